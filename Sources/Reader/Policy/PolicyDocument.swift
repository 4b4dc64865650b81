// SPDX-License-Identifier: Apache-2.0

public import Octets
import Timekeeping

/// The persistent policy: the blacklist, and the settings that phones and the clock have left. A value; each change
/// makes the next generation.
public struct PolicyDocument: Equatable, Sendable {
    /// The maximum number of blacklist entries, and the upper limit of `credentials.blacklist-capacity`.
    public static let entryLimit = 100_000
    /// The maximum number of settings; fourteen are in use.
    public static let settingLimit = 16
    /// The maximum length of a setting's name in characters.
    public static let nameLimit = 32
    /// The maximum length of a setting in octets. The largest, a pushed configuration, comes in a message of at most
    /// 1792.
    public static let valueLimit = 4096
    /// The maximum length of an encoded document in octets.
    public static let octetLimit =
        signature.count + 8 + 4 + entryLimit * (1 + credentialLimit + 8) + 1
        + settingLimit * (1 + nameLimit + 2 + valueLimit)

    /// The maximum length of a credential's identifier in characters (`OSSCredentialID`).
    static let credentialLimit = 10
    /// The name of the setting for the operator who began an empty policy, until that is recorded.
    public static let begunBy = "begun-by"
    /// The name of the setting for the time at which an operator began an empty policy (`PolicyTime`). The setting
    /// remains: the counters of orders were lost with the previous policy, so no order from before this time counts.
    /// The next time of a synchronised clock or an operator replaces `PolicyTime.unknown`.
    public static let begunAt = "begun-at"
    /// The name of the setting for the time at which a phone, a credential or an operator last added to the blacklist
    /// (`PolicyTime`).
    public static let blacklistAddedAt = "blacklist-added-at"
    /// `rdpolcy1`
    static let signature: [UInt8] = [0x72, 0x64, 0x70, 0x6F, 0x6C, 0x63, 0x79, 0x31]
    /// 9999-12-31 23:59:59, the last time with the digits that a table has room for.
    private static let latest: Int64 = 253_402_300_799
    /// The value for an entry without an end.
    private static let noEnd: Int64 = 0

    /// The generation, which each stored change increments, for the life of the device.
    public var generation: UInt64
    /// The ends by credential, in seconds since 1970 of the local clock.
    private var ends: [String: Int64] = [:]
    /// The settings, by name.
    public private(set) var settings: [String: [UInt8]] = [:]

    /// Creates an empty policy.
    public init(generation: UInt64) { self.generation = generation }

    /// The number of blacklist entries.
    public var entryCount: Int { ends.count }

    /// The blacklist, ordered by credential.
    public var blacklist: [BlacklistRow] {
        ends.sorted { $0.key < $1.key }.map {
            BlacklistRow(credential: $0.key, until: CivilTime(epochSeconds: $0.value))
        }
    }

    /// Applies the change and increments the generation.
    ///
    /// - Throws: `limit` or `invalid`; the document is unchanged then.
    public mutating func apply(_ change: PolicyChange) throws(PolicyError) {
        guard generation < UInt64.max else { throw .limit }
        var next = self
        next.generation += 1
        try next.carryOut(change)
        self = next
    }

    private mutating func carryOut(_ change: PolicyChange) throws(PolicyError) {
        switch change {
        case .blacklist(.clear): ends = [:]
        case .blacklist(.put(let rows)): try put(rows)
        case .blacklist(.remove(let credentials)): for credential in credentials { ends[credential] = nil }
        case .blacklist(.replace(let rows)):
            ends = [:]
            try put(rows)
        case .setting(let name, let value):
            guard PolicyDocument.isName(name, atMost: PolicyDocument.nameLimit) else { throw .invalid }
            guard value.map({ $0.count <= PolicyDocument.valueLimit }) ?? true else { throw .limit }
            settings[name] = value
            guard settings.count <= PolicyDocument.settingLimit else { throw .limit }
        case .both(let list, let name, let value):
            try carryOut(.blacklist(list))
            try carryOut(.setting(name, value))
        }
    }

    private mutating func put(_ rows: [BlacklistRow]) throws(PolicyError) {
        for row in rows {
            guard PolicyDocument.isName(row.credential, atMost: PolicyDocument.credentialLimit) else { throw .invalid }
            // An end before 1970 must not become "no end".
            let end = row.isForEver ? PolicyDocument.noEnd : min(max(row.until.epochSeconds, 1), PolicyDocument.latest)
            ends[row.credential] = end
        }
        guard ends.count <= PolicyDocument.entryLimit else { throw .limit }
    }

    /// True for ASCII within the limit. ASCII strings sort as their octets do.
    private static func isName(_ text: String, atMost limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x01...0x7F).contains($0) }
    }
}

/// A change of the policy.
public enum PolicyChange: Equatable, Sendable {
    /// A change of the blacklist.
    case blacklist(BlacklistChange)
    /// Sets a setting, or removes it.
    case setting(String, [UInt8]?)
    /// Changes the blacklist and a setting in one generation.
    case both(BlacklistChange, String, [UInt8]?)
}

/// The reason why octets are not a policy, or a change cannot be applied.
public enum PolicyError: Error, Equatable, Sendable {
    /// Too few or too many octets.
    case octets(OctetError)
    /// The octets do not begin with this format's signature.
    case signature
    /// A limit is exceeded.
    case limit
    /// A value is invalid: a name, the order of names, or a time out of range.
    case invalid
}

// MARK: - Encoding

extension PolicyDocument {
    /// The document's only encoding: little endian, names in ascending order, each preceded by its length.
    public var octets: [UInt8] {
        var octets = PolicyDocument.signature
        octets.append(littleEndian: generation)
        octets.append(littleEndian: UInt32(truncatingIfNeeded: ends.count))
        for (credential, end) in ends.sorted(by: { $0.key < $1.key }) {
            octets.append(text: credential)
            octets.append(littleEndian: UInt64(bitPattern: end))
        }
        octets.append(UInt8(truncatingIfNeeded: settings.count))
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
            octets.append(text: name)
            octets.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
            octets += value
        }
        return octets
    }

    /// Decodes a document from all of `octets`.
    public init(decoding octets: Span<UInt8>) throws(PolicyError) {
        do {
            var cursor = OctetCursor(octets)
            let signature = try cursor.consume(PolicyDocument.signature.count, of: octets)
            for (index, place) in signature.enumerated() where octets[place] != PolicyDocument.signature[index] {
                throw PolicyError.signature
            }
            self.init(generation: try cursor.u64(octets))
            try decodeBlacklist(octets, &cursor)
            try decodeSettings(octets, &cursor)
            try cursor.finish()
        } catch let error as OctetError {
            throw .octets(error)
        } catch let error as PolicyError {
            throw error
        } catch {
            throw .invalid
        }
    }

    private mutating func decodeBlacklist(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws {
        let count = Int(try cursor.u32(octets))
        guard count <= PolicyDocument.entryLimit else { throw PolicyError.limit }
        var former = ""
        for _ in 0..<count {
            let credential = try cursor.name(octets, atMost: PolicyDocument.credentialLimit, after: former)
            let end = Int64(bitPattern: try cursor.u64(octets))
            guard (0...PolicyDocument.latest).contains(end) else { throw PolicyError.invalid }
            ends[credential] = end
            former = credential
        }
    }

    private mutating func decodeSettings(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws {
        let count = Int(try cursor.u8(octets))
        guard count <= PolicyDocument.settingLimit else { throw PolicyError.limit }
        var former = ""
        for _ in 0..<count {
            let name = try cursor.name(octets, atMost: PolicyDocument.nameLimit, after: former)
            let length = Int(try cursor.u16(octets))
            guard length <= PolicyDocument.valueLimit else { throw PolicyError.limit }
            var value: [UInt8] = []
            value.append(octets.extracting(try cursor.consume(length, of: octets)))
            settings[name] = value
            former = name
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        append(UInt8(truncatingIfNeeded: text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension OctetCursor {
    /// Reads a name of 1 to `limit` ASCII characters. Names ascend: it must be greater than the name before it.
    fileprivate mutating func name(_ octets: Span<UInt8>, atMost limit: Int, after former: String) throws -> String {
        let count = Int(try u8(octets))
        guard (1...limit).contains(count) else { throw PolicyError.invalid }
        let range = try consume(count, of: octets)
        var characters: [UInt8] = []
        characters.append(octets.extracting(range))
        guard characters.allSatisfy({ (0x01...0x7F).contains($0) }) else { throw PolicyError.invalid }
        let text = String(decoding: characters, as: UTF8.self)
        guard former < text else { throw PolicyError.invalid }
        return text
    }
}
