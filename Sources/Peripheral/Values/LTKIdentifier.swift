// SPDX-License-Identifier: Apache-2.0

/// The identifier of a long-term key of legacy pairing, sent by the central to request the key (Core 5.4, Vol 3, Part
/// H, 2.4.2).
public struct LTKIdentifier: Equatable, Sendable {
    /// EDIV.
    public var diversifier: UInt16
    /// Rand.
    public var random: UInt64

    /// The identifier with these fields.
    public init(diversifier: UInt16, random: UInt64) {
        self.diversifier = diversifier
        self.random = random
    }

    /// Zero: the key of Secure Connections, and the short-term key of a pairing in progress.
    public static let zero = LTKIdentifier(diversifier: 0, random: 0)
}
