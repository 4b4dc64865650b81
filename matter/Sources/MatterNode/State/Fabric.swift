// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV

/// A fabric that the node belongs to.
struct Fabric: Sendable {
    /// The certificates, keys and identifiers.
    let identity: OperationalIdentity
    /// The operational key; the identity has it without its octets.
    let key: P256PrivateKey
    /// The administrator's vendor.
    var vendor: VendorID
    /// The administrator's name for the fabric, at most 32 octets.
    var label: String

    var index: FabricIndex { identity.index }
}
