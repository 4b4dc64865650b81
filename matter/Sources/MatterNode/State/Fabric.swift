// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV

/// A fabric that the node belongs to.
struct Fabric: Sendable {
    /// The certificates, keys and identifiers.
    let identity: OperationalIdentity
    /// The operational key with its octets, which the identity does not expose.
    let key: P256PrivateKey
    /// The administrator's vendor.
    var vendor: VendorID
    /// The administrator's name for the fabric, at most 32 octets.
    var label: String

    var index: FabricIndex { identity.index }
}
