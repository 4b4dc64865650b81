// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A pseudo-random generator whose numbers and octets are the same in every run, so that a failure can be reproduced.
public struct SplitMix64: RandomNumberGenerator, RandomSource {
    private var state: UInt64

    /// A generator seeded with `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number below `limit`.
    public mutating func below(_ limit: UInt64) -> UInt64 { next() % limit }

    /// Fills `octets`, each from a number of its own.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for at in octets.indices {
            octets[at] = UInt8(truncatingIfNeeded: next())
        }
    }

    /// `count` pseudo-random octets.
    public mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
