// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// A value of the chain: an authentication tag that covers a record and, through the previous tag, all records before.
/// 32 octets.
public struct ChainValue: Hashable, Sendable {
    /// The length in octets.
    public static let count = 32
    /// The octets.
    public let octets: [UInt8]

    /// Creates the value from these octets; nil unless there are 32.
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

/// A position in the log with the chain's value there, authenticated with the device's key.
///
/// The log begins with one, the checkpoint, which stands for every record before. A file next to the log holds another,
/// the head, which marks the log's end.
public struct ChainPlace: Hashable, Sendable {
    /// The role of a position.
    public enum Role: UInt8, Sendable {
        /// The end of the records that were dropped from the log, if any.
        case checkpoint = 2
        /// The newest record.
        case head = 3
        /// The newest record, with its time in seconds since 1970 instead of the sequence number.
        case headTime = 4
        /// The newest record, with the policy's generation instead of the sequence number. 5 and 6 are
        /// `AuditKey.Purpose`.
        case headGeneration = 7
    }

    /// The number of the last record covered; 0 before the first record.
    public var sequence: UInt64
    /// The chain's value after that record.
    public var chain: ChainValue
    /// The tag that covers both.
    public var tag: ChainValue

    /// Creates a position as stored, without verification.
    public init(sequence: UInt64, chain: ChainValue, tag: ChainValue) {
        self.sequence = sequence
        self.chain = chain
        self.tag = tag
    }
}

/// The key of a device's log: HMAC-SHA-256, generated on the device, never disclosed.
///
/// Each use has its own prefix octet before the covered octets, so that the tag of one use is not valid for another.
public struct AuditKey: Sendable, CustomStringConvertible {
    /// The length in octets.
    public static let count = 32
    private static let recordPurpose: UInt8 = 1

    /// A use of the key other than the log; no number is a `ChainPlace.Role`.
    public enum Purpose: UInt8, Sendable {
        /// A policy.
        case policy = 5
        /// The witness of a policy.
        case policyCount = 6
    }

    private let octets: [UInt8]

    /// Creates the key from these octets; nil unless there are 32.
    public init?(_ octets: [UInt8]) {
        guard octets.count == AuditKey.count else { return nil }
        self.octets = octets
    }

    /// A fixed text, without the key.
    public var description: String { "the log's key" }

    /// Returns the chain's value after a record with these octets, where `previous` is the value before it.
    public func value(after previous: ChainValue, _ record: Span<UInt8>) throws(CryptoError) -> ChainValue {
        let head = [AuditKey.recordPurpose] + previous.octets
        return ChainValue(try HMACSHA256.authenticate(key: octets.span, head.span, record))
    }

    /// Returns the position after record `sequence` in this role.
    public func place(
        _ role: ChainPlace.Role, sequence: UInt64, chain: ChainValue
    ) throws(CryptoError) -> ChainPlace {
        var covered = [role.rawValue]
        covered.append(littleEndian: sequence)
        let tag = try HMACSHA256.authenticate(key: octets.span, covered.span, chain.octets.span)
        return ChainPlace(sequence: sequence, chain: chain, tag: ChainValue(tag))
    }

    /// Returns the tag of octets for this purpose.
    public func tag(_ purpose: Purpose, _ covered: Span<UInt8>) throws(CryptoError) -> ChainValue {
        let head = [purpose.rawValue]
        return ChainValue(try HMACSHA256.authenticate(key: octets.span, head.span, covered))
    }

    /// True if this device created the position in this role.
    public func made(_ place: ChainPlace, _ role: ChainPlace.Role) throws(CryptoError) -> Bool {
        let own = try self.place(role, sequence: place.sequence, chain: place.chain)
        return constantTimeEqual(own.tag.octets.span, place.tag.octets.span)
    }
}
