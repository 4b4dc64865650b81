public import Octets
import Timekeeping

/// What decides about people and has to outlive the reader: who is called back, and the settings that phones and the
/// clock have left. A value; each change makes the next generation of it.
public struct PolicyDocument: Equatable, Sendable {
    /// The most entries of the blacklist: what `credentials.blacklist-capacity` may say at most.
    public static let entryLimit = 100_000
    /// The most settings; there are four names today.
    public static let settingLimit = 16
    /// The most characters of a setting's name.
    public static let nameLimit = 32
    /// The most octets of a setting; a pushed configuration, the largest, comes in a message of at most 1792.
    public static let valueLimit = 4096
    /// The most octets of an encoded document.
    public static let octetLimit =
        signature.count + 8 + 4 + entryLimit * (1 + credentialLimit + 8) + 1
        + settingLimit * (1 + nameLimit + 2 + valueLimit)

    /// The most characters of a credential's identifier (`OSSCredentialID`).
    static let credentialLimit = 10
    /// The setting that names who began an empty policy, until that is recorded.
    public static let begunBy = "begun-by"
    /// `rdpolcy1`
    static let signature: [UInt8] = [0x72, 0x64, 0x70, 0x6F, 0x6C, 0x63, 0x79, 0x31]
    /// 9999-12-31 23:59:59, the last time that a table has room for.
    private static let latest: Int64 = 253_402_300_799
    /// Stands for an entry without an end.
    private static let noEnd: Int64 = 0

    /// Ascending by one with each change that was kept, for the life of the device.
    public var generation: UInt64
    /// Seconds since 1970 on the local clock, by credential.
    private var ends: [String: Int64] = [:]
    /// The settings, by name.
    public private(set) var settings: [String: [UInt8]] = [:]

    /// An empty policy.
    public init(generation: UInt64) { self.generation = generation }

    /// How many entries the blacklist has.
    public var entryCount: Int { ends.count }

    /// The blacklist, by credential.
    public var blacklist: [BlacklistRow] {
        ends.sorted { $0.key < $1.key }.map {
            BlacklistRow(credential: $0.key, until: CivilTime(epochSeconds: $0.value))
        }
    }

    /// Makes the change and the next generation, or throws `limit` or `invalid` and leaves the document as it was.
    public mutating func apply(_ change: PolicyChange) throws(PolicyError) {
        guard generation < UInt64.max else { throw .limit }
        var next = self
        next.generation += 1
        switch change {
        case .blacklist(.clear): next.ends = [:]
        case .blacklist(.put(let rows)): try next.put(rows)
        case .blacklist(.remove(let credentials)): for credential in credentials { next.ends[credential] = nil }
        case .blacklist(.replace(let rows)):
            next.ends = [:]
            try next.put(rows)
        case .setting(let name, let value):
            guard PolicyDocument.isName(name, atMost: PolicyDocument.nameLimit) else { throw .invalid }
            guard value.map({ $0.count <= PolicyDocument.valueLimit }) ?? true else { throw .limit }
            next.settings[name] = value
            guard next.settings.count <= PolicyDocument.settingLimit else { throw .limit }
        }
        self = next
    }

    private mutating func put(_ rows: [BlacklistRow]) throws(PolicyError) {
        for row in rows {
            guard PolicyDocument.isName(row.credential, atMost: PolicyDocument.credentialLimit) else { throw .invalid }
            // One that is over before 1970 must not become one without an end.
            let isForEver = !row.until.isValid || row.until == BlacklistRow.noEnd
            let end = isForEver ? PolicyDocument.noEnd : min(max(row.until.epochSeconds, 1), PolicyDocument.latest)
            ends[row.credential] = end
        }
        guard ends.count <= PolicyDocument.entryLimit else { throw .limit }
    }

    /// ASCII, so that its order is that of its octets.
    private static func isName(_ text: String, atMost limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x01...0x7F).contains($0) }
    }
}

/// A change of the policy.
public enum PolicyChange: Equatable, Sendable {
    /// Of the blacklist.
    case blacklist(BlacklistChange)
    /// Puts a setting, or takes it away.
    case setting(String, [UInt8]?)
}

/// Why octets are no policy, or a change cannot be made.
public enum PolicyError: Error, Equatable, Sendable {
    /// Too few octets, or too many.
    case octets(OctetError)
    /// They begin as no policy of this form does.
    case signature
    /// More than there may be.
    case limit
    /// A value that cannot be there: a name that is none, one twice or out of order, a time beyond all calendars.
    case invalid
}

// MARK: - The form on the disk

extension PolicyDocument {
    /// The document's octets, which have one form only: little endian, names in order, each with its length before it.
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

    /// Reads a document that is all of `octets`.
    public init(decoding octets: Span<UInt8>) throws(PolicyError) {
        do {
            var cursor = OctetCursor(octets)
            let signature = try cursor.take(PolicyDocument.signature.count, of: octets)
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
            value.append(octets.extracting(try cursor.take(length, of: octets)))
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
    /// A name of 1 to `limit` characters of ASCII that comes behind `former`.
    fileprivate mutating func name(_ octets: Span<UInt8>, atMost limit: Int, after former: String) throws -> String {
        let count = Int(try u8(octets))
        guard (1...limit).contains(count) else { throw PolicyError.invalid }
        let range = try take(count, of: octets)
        var characters: [UInt8] = []
        characters.append(octets.extracting(range))
        guard characters.allSatisfy({ (0x01...0x7F).contains($0) }) else { throw PolicyError.invalid }
        let text = String(decoding: characters, as: UTF8.self)
        guard former < text else { throw PolicyError.invalid }
        return text
    }
}
