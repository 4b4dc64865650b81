// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import JSON
import Octets
public import Reader
public import Timekeeping

/// The file of the cards that open a door: written by the desk, read by the reader.
///
/// ```json
/// {"cards": [
///   {"kind": "pkoc", "id": "CARD000001", "key": "04…", "name": "Ada", "from": "2026-12-01T00:00",
///    "until": "2027-11-30T23:59", "schedules": ["mon-fri 08:00-18:00"], "extended": true},
///   {"kind": "desfire", "id": "CARD000002", "number": "0011223344556677"}
/// ]}
/// ```
///
/// `kind`, `id`, and `key` or `number` by the kind, are required. Identifiers, keys and numbers are unique.
public struct CardListFile: Equatable, Sendable {
    /// The maximum size in octets: `CardList.limit` cards with long names and schedules.
    public static let maximumCount = 4 << 20

    /// A card as it is written.
    public struct Entry: Equatable, Sendable {
        /// The kind of the card, and its whole identity.
        public var evidence: CardEvidence
        /// The identifier in logs and for revocation.
        public var id: OSSCredentialID
        /// The name for people; empty for none.
        public var name = ""
        /// The first minute; nil for no beginning.
        public var from: CivilTime?
        /// The last minute; nil for no end.
        public var until: CivilTime?
        /// The times at which the card opens, such as `mon-fri 08:00-18:00`; always if empty.
        public var schedules: [String] = []
        /// True if it opens for the extended time.
        public var isExtended = false

        /// An entry without a limit.
        public init(_ evidence: CardEvidence, id: OSSCredentialID) { (self.evidence, self.id) = (evidence, id) }
    }

    /// The cards, in the order of the file.
    public var entries: [Entry] = []

    /// A file without cards.
    public init() {}

    /// Parses the octets of a file.
    ///
    /// - Throws: The first error with its line.
    public init(_ octets: [UInt8]) throws(JSONPlaceFault) {
        let root = try JSONPlace(file: octets)
        let places = try root.members(["cards"]).required("cards").elements()
        var (identities, ids) = (Set<CardEvidence>(), Set<OSSCredentialID>())
        for place in places {
            let entry = try Entry(place)
            guard identities.insert(entry.evidence).inserted else {
                throw place.fault("has the \(entry.evidence.kind.member) of another card")
            }
            guard ids.insert(entry.id).inserted else { throw place.fault("has the id of another card") }
            if let full = fullness(for: entry.evidence.kind) { throw place.fault("has no room: the list \(full)") }
            entries.append(entry)
        }
    }

    /// The reason for which the list has no room for a further card of this kind; nil if it has.
    public func fullness(for kind: CardKind) -> String? {
        if entries.count >= CardList.limit { return "is full, with \(CardList.limit) cards" }
        guard kind == .aliro, entries.count(where: { $0.evidence.kind == .aliro }) >= AliroStore.maximumCredentials
        else { return nil }
        return "has \(AliroStore.maximumCredentials) Aliro phones, as many as a reader keeps"
    }

    /// The list for the reader.
    public var list: CardList { CardList(entries.map(\.card)) }

    /// The contents of the file, one card in each line.
    public var text: String {
        let lines = entries.map { "  " + $0.json.text }
        return "{\"cards\": [" + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n") + "]}\n"
    }

    /// Parses a schedule such as `mon-fri 08:00-18:00` or `sat,sun 10:00-14:00 1-90`; nil if it is invalid.
    public static func schedule(_ text: String) -> DoorGroup.Schedule? { GroupLine("1 \(text)")?.schedule }

    /// Parses the identifier of a card: 1 to 10 characters of ASCII that can be printed; nil for other text. A control
    /// character would break the lines of lists and logs.
    public static func id(_ text: String) -> OSSCredentialID? {
        text.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? OSSCredentialID(text) : nil
    }

    /// Parses the number of a DESFire card, the octets of its file, in hexadecimal digits; nil for another length.
    public static func number(_ text: String) -> [UInt8]? {
        Hexadecimal.octets(text).flatMap { 1...DESFireCredential.countLimit ~= $0.count ? $0 : nil }
    }
}

extension CardListFile.Entry {
    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members([
            "kind", "id", "key", "number", "name", "from", "until", "schedules", "extended",
        ])
        let kindPlace = try members.required("kind")
        if let problem = IdentifierOnly.problem(try kindPlace.text()) { throw kindPlace.fault(problem) }
        _ = try kindPlace.word(CardReading.listed.map(\.rawValue))
        let kind: CardKind = try kindPlace.value()
        for name in ["key", "number"] where name != kind.member {
            if let place = members[name] { throw place.fault("belongs to another kind of card: remove it") }
        }
        let identity = try kind.identity(try members.required(kind.member))
        let idPlace = try members.required("id")
        guard let id = CardListFile.id(try idPlace.text()) else {
            throw idPlace.fault("is not a credential identifier: needs 1 to 10 printable ASCII characters")
        }
        self.init(CardEvidence(kind: kind, identity: identity), id: id)
        name = try members["name"]?.text() ?? ""
        from = try Self.time(members["from"], .first)
        until = try Self.time(members["until"], .last)
        if let from, let until, until < from { throw place.fault("ends before it begins") }
        for line in try members["schedules"]?.elements() ?? [] {
            let text = try line.text()
            guard CardListFile.schedule(text) != nil else {
                throw line.fault("is no schedule: write it as in \"mon-fri 08:00-18:00\"")
            }
            schedules.append(text)
        }
        isExtended = try members["extended"]?.boolean() ?? false
    }

    private static func time(
        _ place: JSONPlace?, _ edge: LocalMinute.Edge
    ) throws(JSONPlaceFault) -> CivilTime? {
        guard let place else { return nil }
        guard let time = LocalMinute.parse(try place.text()[...], ofDay: edge) else {
            throw place.fault("is no time: write it as in \"2026-12-31T23:59\" or \"2026-12-31\"")
        }
        return time
    }

    /// The card for the reader.
    public var card: ListedCard {
        ListedCard(
            evidence, id, name: name, validFrom: from, validUntil: until,
            schedules: schedules.compactMap(CardListFile.schedule), isExtended: isExtended)
    }

    /// The entry as JSON, without the members that are not set.
    public var json: JSONObject {
        [
            "kind": evidence.kind.rawValue, "id": id.text,
            evidence.kind.member: Hexadecimal.text(evidence.identity), "name": name.isEmpty ? nil : name,
            "from": from.map(LocalMinute.text), "until": until.map(LocalMinute.text),
            "schedules": schedules.isEmpty ? nil : schedules,
            "extended": isExtended ? true : nil,
        ]
    }
}

extension CardKind {
    /// The member of an entry that has the identity.
    fileprivate var member: String { self == .desfire ? "number" : "key" }

    /// The identity in that member.
    fileprivate func identity(_ place: JSONPlace) throws(JSONPlaceFault) -> [UInt8] {
        let text = try place.text()
        if self == .desfire {
            if let number = CardListFile.number(text) { return number }
            throw place.fault(
                "is no number of a card: needs 2 to \(2 * DESFireCredential.countLimit) hexadecimal digits, the octets "
                    + "of its file")
        }
        if let point = AliroPointText(text) { return point.octets }
        throw place.fault(AliroPointText.problem)
    }
}
