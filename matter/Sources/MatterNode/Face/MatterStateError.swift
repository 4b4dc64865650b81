// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// A fault in a stored state.
public enum MatterStateError: Error, Equatable, Sendable {
    /// The octets are not the TLV of a state.
    case damaged
    /// The state was written by a later version.
    case unknownVersion(UInt64)
    /// A fabric's certificates or key do not agree.
    case invalidFabric(FabricIndex)
}
