// SPDX-License-Identifier: Apache-2.0

/// SplitMix64: the only source of randomness on the air and in emulated devices. A seed gives the same numbers on every
/// machine and with every version of the standard library, so that a trace can be repeated from its seed.
public struct SeededGenerator: Equatable, Sendable {
    private var state: UInt64

    /// The sequence of this seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The sequence with this name of a seed. Sequences of other names have nothing in common with it: a new user of
    /// randomness shifts no other user's numbers.
    public init(seed: UInt64, stream: String) {
        var first = SeededGenerator(seed: seed)
        self.init(seed: first.next() ^ SeededGenerator.hash(stream))
    }

    /// FNV-1a over the octets of a name.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, octet in (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 to `bound` − 1; 0 if `bound` is 0.
    public mutating func below(_ bound: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: bound).high
    }

    /// True with this probability. 0 and 1 draw no number, so that a path without loss does not affect others.
    public mutating func happens(_ share: Double) -> Bool {
        if share <= 0 { return false }
        if share >= 1 { return true }
        return Double(next() >> 11) * 0x1p-53 < share
    }
}
