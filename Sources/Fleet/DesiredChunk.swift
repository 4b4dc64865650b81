// SPDX-License-Identifier: Apache-2.0

public import CBOR

/// A part of a desired state: entries of the blacklist, the settings, or both; a deterministic CBOR map (RFC 8949,
/// 4.2.1) of at most `FleetLimits.chunkCount` octets. The state is all of its chunks together.
public struct DesiredChunk: Equatable, Sendable {
    /// The octets are not a chunk, or not its deterministic encoding.
    public struct FormFault: Error, Equatable, Sendable {}

    /// A refused credential.
    public struct Entry: Equatable, Sendable {
        /// The credential's identifier.
        public var credential: String
        /// The last second of the refusal, since 1970 on the reader's local clock; nil for no end.
        public var end: Int64?

        /// An entry with these parts.
        public init(credential: String, end: Int64?) {
            self.credential = credential
            self.end = end
        }
    }

    private static let blacklist = "blacklist"
    private static let settings = "settings"

    /// Entries of the blacklist; nil if the chunk has no entries, and empty if the state's blacklist is empty.
    public var blacklist: [Entry]?
    /// The settings, by their keys in the configuration file; nil if the chunk has no settings. One chunk has them all.
    public var settings: [String: CBORValue]?

    /// A chunk with these parts.
    public init(blacklist: [Entry]? = nil, settings: [String: CBORValue]? = nil) {
        self.blacklist = blacklist
        self.settings = settings
    }

    /// The octets.
    ///
    /// - Throws: `FormFault` if they exceed the limit, or without any part.
    public func octets() throws(FormFault) -> [UInt8] {
        guard blacklist != nil || settings != nil else { throw FormFault() }
        var members: [CBORValue: CBORValue] = [:]
        if let blacklist { members[.text(DesiredChunk.blacklist)] = .array(blacklist.map(\.value)) }
        if let settings { members[.text(DesiredChunk.settings)] = DesiredChunk.value(of: settings) }
        var octets: [UInt8] = []
        do throws(CBORError) { try CBORValue.map(members).encode(limit: FleetLimits.chunkCount, into: &octets) } catch {
            throw FormFault()
        }
        return octets
    }

    /// Settings as a map of CBOR.
    public static func value(of settings: [String: CBORValue]) -> CBORValue {
        var members: [CBORValue: CBORValue] = [:]
        for (key, value) in settings { members[.text(key)] = value }
        return .map(members)
    }

    /// The settings of a map of CBOR.
    public static func settings(of value: CBORValue) throws(FormFault) -> [String: CBORValue] {
        guard case .map(let values) = value else { throw FormFault() }
        var settings: [String: CBORValue] = [:]
        for (key, value) in values {
            guard case .text(let key) = key else { throw FormFault() }
            settings[key] = value
        }
        // Equal texts may differ in their octets.
        guard settings.count == values.count else { throw FormFault() }
        return settings
    }

    /// Parses a chunk of at most `FleetLimits.chunkCount` octets.
    public init(_ octets: [UInt8]) throws(FormFault) {
        guard octets.count <= FleetLimits.chunkCount,
            case .map(let members)? = try? CBORValue(deterministic: octets.span), !members.isEmpty
        else { throw FormFault() }
        for (name, value) in members {
            switch (name, value) {
            case (.text(DesiredChunk.blacklist), .array(let entries)): blacklist = try entries.map(Entry.init)
            case (.text(DesiredChunk.settings), _): settings = try DesiredChunk.settings(of: value)
            default: throw FormFault()
            }
        }
    }

    /// The octets of the chunks of a state: the settings in the first, and the entries as they fit.
    ///
    /// - Throws: `FormFault` if the settings do not fit a chunk, or the state has nothing or too many chunks.
    public static func chunks(
        blacklist: [Entry]?, settings: [String: CBORValue]?
    ) throws(FormFault) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        if settings != nil { chunks.append(try DesiredChunk(settings: settings).octets()) }
        var rest = (blacklist ?? [])[...]
        if blacklist?.isEmpty == true { chunks.append(try DesiredChunk(blacklist: []).octets()) }
        while !rest.isEmpty {
            let part = Array(rest.prefix(entriesPerChunk))
            chunks.append(try DesiredChunk(blacklist: part).octets())
            rest = rest.dropFirst(part.count)
        }
        guard (1...FleetLimits.chunksPerState).contains(chunks.count) else { throw FormFault() }
        return chunks
    }

    /// An entry has at most 21 octets: two heads, ten characters, and the end in nine.
    private static let entriesPerChunk = (FleetLimits.chunkCount - 16) / 21
}

extension DesiredChunk.Entry {
    fileprivate var value: CBORValue { .array([.text(credential), end.map { .integer($0) } ?? .null]) }

    fileprivate init(_ value: CBORValue) throws(DesiredChunk.FormFault) {
        guard case .array(let parts) = value, parts.count == 2, case .text(let credential) = parts[0] else {
            throw DesiredChunk.FormFault()
        }
        switch parts[1] {
        case .integer(let end): self.init(credential: credential, end: end)
        case .null: self.init(credential: credential, end: nil)
        default: throw DesiredChunk.FormFault()
        }
    }
}
