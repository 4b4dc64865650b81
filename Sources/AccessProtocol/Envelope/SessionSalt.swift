public import Crypto
public import Protobuf

/// The 16 octets that one side contributes to the freshness of an exchange.
public struct SessionSalt: Sendable {
    /// How many octets a salt has.
    public static let octetCount = 16
    /// How many different values, 0xFF not counted, a salt must have at least.
    public static let leastDistinctValues = 8
    /// How often a random source is asked for a usable salt. A good source needs more than one try about once in
    /// 10⁶, so a source that fails this often is broken.
    private static let attempts = 4

    /// The octets as they go over the air.
    public let octets: [16 of UInt8]

    /// The salt with these octets, which may break the salt rule; see `isStrong`.
    public init(_ octets: [16 of UInt8]) {
        self.octets = octets
    }

    /// The salt with these octets; nil if they are not 16.
    public init?(_ span: Span<UInt8>) {
        guard span.count == SessionSalt.octetCount else { return nil }
        octets = [16 of UInt8] { span[$0] }
    }

    /// The salt in a handshake or its reply.
    public init(_ field: FixedBytes<16>) {
        octets = field.octets
    }

    /// Draws a salt that keeps the salt rule. Throws −153 if the source gives none.
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
