// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Protobuf

/// The 16 octets that one side contributes to the freshness of an exchange.
public struct SessionSalt: Sendable {
    /// The length of a salt in octets.
    public static let octetCount = 16
    /// The minimum number of distinct values in a salt, 0xFF not counted.
    public static let leastDistinctValues = 8
    /// The maximum number of draws from a random source. A good source needs more than one about once in 10⁶, so one
    /// that fails this often is broken.
    private static let attempts = 4

    /// The octets in over-the-air order.
    public let octets: [16 of UInt8]

    /// The salt with these octets, which may violate the salt rule; see `isStrong`.
    public init(_ octets: [16 of UInt8]) {
        self.octets = octets
    }

    /// The salt with these octets; nil unless there are 16.
    public init?(_ span: Span<UInt8>) {
        guard span.count == SessionSalt.octetCount else { return nil }
        octets = [16 of UInt8] { span[$0] }
    }

    /// The salt of a handshake or its reply.
    public init(_ field: FixedBytes<16>) {
        octets = field.octets
    }

    /// Draws a salt that satisfies the salt rule.
    ///
    /// - Throws: −153 if the source yields none.
    public init(from random: inout some RandomSource) throws(StatusCode) {
        for _ in 0..<SessionSalt.attempts {
            var octets = [16 of UInt8](repeating: 0)
            var span = octets.mutableSpan
            random.fill(&span)
            let salt = SessionSalt(octets)
            if salt.isStrong {
                self = salt
                return
            }
        }
        throw .ownSalt
    }

    /// The salt rule of both sides: at least 8 different values, where 0xFF does not count.
    public var isStrong: Bool {
        var seen = [4 of UInt64](repeating: 0)
        for at in octets.indices where octets[at] != 0xFF {
            seen[Int(octets[at] >> 6)] |= 1 << UInt64(octets[at] & 63)
        }
        var distinct = 0
        for at in seen.indices {
            distinct += seen[at].nonzeroBitCount
        }
        return distinct >= SessionSalt.leastDistinctValues
    }
}
