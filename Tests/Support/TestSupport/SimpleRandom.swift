// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// Octets that differ, and are the same in every run.
public struct CountingRandom: RandomSource, Sendable {
    /// The next octet.
    public var next: UInt8

    /// A source that begins with `next`.
    public init(next: UInt8 = 1) { self.next = next }

    /// Fills `octets`.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices {
            octets[index] = next
            next = next &* 5 &+ 13
        }
    }
}

/// A broken source: the same octet always.
public struct ConstantRandom: RandomSource {
    private let octet: UInt8

    /// A source of this octet.
    public init(_ octet: UInt8) { self.octet = octet }

    /// Fills `octets`.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) { octets.update(repeating: octet) }
}
