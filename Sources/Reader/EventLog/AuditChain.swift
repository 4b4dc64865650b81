public import Crypto
import Octets

/// A link of the chain: an authentication tag that covers a record and, through the tag before it, all records
/// before. 32 octets.
public struct ChainValue: Hashable, Sendable {
    /// How many octets it has.
    public static let count = 32
    /// The octets.
    public let octets: [UInt8]

    /// The value with these octets; nil if they are not 32.
    public init?(_ octets: [UInt8]) {
        guard octets.count == ChainValue.count else { return nil }
        self.octets = octets
    }

    fileprivate init(_ tag: InlineArray<32, UInt8>) {
        var octets: [UInt8] = []
        octets.append(tag.span)
        self.octets = octets
    }
}

/// A place in the log, with the chain's value there, under the device's key: nobody else can make one.
///
/// The log begins with one, its checkpoint, which stands for every record before; and a file beside the log holds
/// one, the head, which tells how far the log went.
public struct ChainPlace: Hashable, Sendable {
    /// What it is the place of.
    public enum Role: UInt8, Sendable {
        /// What was dropped from the log, or nothing at all in a new one.
        case checkpoint = 2
        /// The newest record.
        case head = 3
        /// The newest record, with its time in seconds since 1970 for its number.
        case headTime = 4
    }

    /// The last record up to there; 0 for the beginning of all.
    public var sequence: UInt64
    /// The chain's value after that record.
    public var chain: ChainValue
    /// The tag that covers both.
    public var tag: ChainValue

    /// A place as it was stored, good or not.
    public init(sequence: UInt64, chain: ChainValue, tag: ChainValue) {
        self.sequence = sequence
        self.chain = chain
        self.tag = tag
    }
}

/// The key of a device's log: HMAC-SHA-256, made on the device, never shown.
///
/// Every use has an octet of its own in front of what is covered, so that a tag of one never serves as another's.
public struct AuditKey: Sendable, CustomStringConvertible {
    /// How many octets it has.
    public static let count = 32
    private static let recordPurpose: UInt8 = 1

    /// What it authenticates besides the log; the numbers follow those of `ChainPlace.Role`.
    public enum Purpose: UInt8, Sendable {
        /// A policy.
        case policy = 5
        /// The witness of a policy.
        case policyCount = 6
    }

    private let octets: [UInt8]

    /// The key with these octets; nil if they are not 32.
    public init?(_ octets: [UInt8]) {
        guard octets.count == AuditKey.count else { return nil }
        self.octets = octets
    }

    /// Nothing of the key.
    public var description: String { "the log's key" }

    /// The chain's value after a record with these octets, whose predecessor's was `previous`.
    public func value(after previous: ChainValue, _ record: Span<UInt8>) throws(CryptoError) -> ChainValue {
        let head = [AuditKey.recordPurpose] + previous.octets
        return ChainValue(try HMACSHA256.authenticate(key: octets.span, head.span, record))
    }

    /// The place of this role after record `sequence`.
    public func place(
        _ role: ChainPlace.Role, sequence: UInt64, chain: ChainValue
    ) throws(CryptoError) -> ChainPlace {
        var covered = [role.rawValue]
        covered.append(littleEndian: sequence)
        let tag = try HMACSHA256.authenticate(key: octets.span, covered.span, chain.octets.span)
        return ChainPlace(sequence: sequence, chain: chain, tag: ChainValue(tag))
    }

    /// The tag of octets that serve this purpose.
    public func tag(_ purpose: Purpose, _ covered: Span<UInt8>) throws(CryptoError) -> ChainValue {
        let head = [purpose.rawValue]
        return ChainValue(try HMACSHA256.authenticate(key: octets.span, head.span, covered))
    }

    /// Whether this device made the place, for this role.
    public func made(_ place: ChainPlace, _ role: ChainPlace.Role) throws(CryptoError) -> Bool {
        let own = try self.place(role, sequence: place.sequence, chain: place.chain)
        return constantTimeEqual(own.tag.octets.span, place.tag.octets.span)
    }
}
