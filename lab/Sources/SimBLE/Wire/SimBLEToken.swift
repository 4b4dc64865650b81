// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// The token of a session, which each request contains.
public struct SimBLEToken: Sendable {
    /// The length in octets.
    public static let count = 32

    private let octets: [UInt8]

    /// A new token.
    public init(_ random: inout some RandomSource) { octets = random.octets(SimBLEToken.count) }

    /// The token with these octets; nil for another length than 32.
    public init?(_ octets: [UInt8]) {
        guard octets.count == SimBLEToken.count else { return nil }
        self.octets = octets
    }

    /// The token as an environment variable has it: 64 hexadecimal digits.
    public var text: String { Hexadecimal.text(octets) }

    /// Compares in constant time, given the length.
    func matches(_ presented: [UInt8]) -> Bool { constantTimeEqual(octets.span, presented.span) }
}
