// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing
import Timekeeping

@testable import Reader

/// The policy's form on the disk, and its changes.
@Suite struct PolicyDocumentTests {
    private static let until = CivilTime(epochSeconds: 1_893_456_000)

    private func document() throws -> PolicyDocument {
        var document = PolicyDocument(generation: 4)
        try document.apply(
            .blacklist(
                .put([
                    BlacklistRow(credential: "EVIL", until: CivilTime(year: 0, month: 0, day: 0)),
                    BlacklistRow(credential: "CRED000001", until: Self.until),
                ])))
        try document.apply(.setting("a", [0xFF]))
        return document
    }

    private static let octets: [UInt8] =
        Array("rdpolcy1".utf8) + [6, 0, 0, 0, 0, 0, 0, 0] + [2, 0, 0, 0]
        + [10] + Array("CRED000001".utf8) + [0x80, 0xD8, 0xDB, 0x70, 0, 0, 0, 0]
        + [4] + Array("EVIL".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
        + [1, 1] + Array("a".utf8) + [1, 0, 0xFF]

    private func decode(_ octets: [UInt8]) throws(PolicyError) -> PolicyDocument {
        try PolicyDocument(decoding: octets.span)
    }

    @Test func theFormIsOne() throws {
        #expect(try document().octets == Self.octets)
        let decoded = try decode(Self.octets)
        #expect(try decoded == document() && decoded.generation == 6 && decoded.entryCount == 2)
        #expect(
            decoded.blacklist == [
                BlacklistRow(credential: "CRED000001", until: Self.until),
                BlacklistRow(credential: "EVIL", until: BlacklistRow.noEnd),
            ])
        #expect(decoded.settings == ["a": [0xFF]])
        #expect(try decode(PolicyDocument(generation: .max).octets) == PolicyDocument(generation: .max))
    }

    @Test func aDocumentIsReadAsAWholeOrNotAtAll() {
        for length in Self.octets.indices {
            #expect(throws: PolicyError.self) { try decode(Array(Self.octets[..<length])) }
        }
        #expect(throws: PolicyError.octets(.trailing(offset: Self.octets.count, count: 1))) {
            try decode(Self.octets + [0])
        }
    }

    @Test(arguments: [
        (0, 0x52, PolicyError.signature), (7, 0x32, .signature),
        // More entries than there may be.
        (18, 0xFF, .limit), (19, 0x01, .limit),
        (20, 0, .invalid), (20, 11, .invalid),
        // A name that is no ASCII, one behind its successor, and a time beyond the year 9999.
        (21, 0x80, .invalid), (21, 0x46, .invalid), (38, 0x80, .invalid), (36, 0x40, .invalid),
        (52, 17, .limit), (53, 33, .invalid), (56, 0x11, .limit),
    ])
    func whatCannotBeThereIsRefused(place: Int, value: Int, error: PolicyError) {
        var octets = Self.octets
        octets[place] = UInt8(value)
        #expect(throws: error) { try decode(octets) }
    }

    @Test func aChangeIsAllOrNothing() throws {
        var document = try document()
        let before = document
        let row = BlacklistRow(credential: "CRED000002", until: Self.until)
        for (change, error) in [
            (.blacklist(.put([row, BlacklistRow(credential: "", until: Self.until)])), .invalid),
            (.blacklist(.put([row, BlacklistRow(credential: "ELEVEN00000", until: Self.until)])), .invalid),
            (.blacklist(.replace([BlacklistRow(credential: "Ü", until: Self.until)])), .invalid),
            (.setting("", [1]), .invalid),
            (.setting(String(repeating: "n", count: 33), [1]), .invalid),
            (.setting("n", [UInt8](repeating: 0, count: 4097)), .limit),
        ] as [(PolicyChange, PolicyError)] {
            #expect(throws: error) { try document.apply(change) }
            #expect(document == before)
        }
        for name in 1..<16 { try document.apply(.setting("n\(name)", [1])) }
        #expect(throws: PolicyError.limit) { try document.apply(.setting("n16", [1])) }
        try document.apply(.setting("n15", nil))
        try document.apply(.setting("n16", [1]))
        try document.apply(.blacklist(.remove(["EVIL", "NOBODY"])))
        #expect(document.blacklist.map(\.credential) == ["CRED000001"] && document.generation == 24)
        try document.apply(.blacklist(.replace([row])))
        #expect(document.blacklist == [row])
        try document.apply(.blacklist(.clear))
        #expect(document.blacklist == [])
        var last = PolicyDocument(generation: .max)
        #expect(throws: PolicyError.limit) { try last.apply(.blacklist(.clear)) }
    }

    /// The list and a setting change together, or neither does.
    @Test func twoChangesInOneGeneration() throws {
        var document = try document()
        let before = document
        let row = BlacklistRow(credential: "NEW", until: Self.until)
        for change in [
            PolicyChange.both(.replace([row]), "", [1]),
            .both(.replace([row]), "n", [UInt8](repeating: 0, count: 4097)),
            .both(.replace([BlacklistRow(credential: "", until: Self.until)]), "n", [1]),
        ] {
            #expect(throws: PolicyError.self) { try document.apply(change) }
            #expect(document == before)
        }
        try document.apply(.both(.replace([row]), "n", [1]))
        #expect(document.blacklist == [row] && document.settings["n"] == [1])
        #expect(document.generation == before.generation + 1)
    }

    /// An entry that ended before 1970 does not come back as one without an end.
    @Test func anEndBefore1970IsOne() throws {
        var document = PolicyDocument(generation: 0)
        let row = BlacklistRow(credential: "OLD", until: CivilTime(year: 1960, month: 1, day: 1))
        try document.apply(.blacklist(.put([row])))
        #expect(document.blacklist.first?.until == CivilTime(epochSeconds: 1))
    }

    /// The key's octet for a policy is none of a witness's, a record's or a place's.
    @Test func tagsServeOnePurpose() throws {
        let key = try #require(AuditKey([UInt8](repeating: 7, count: 32)))
        let sealed = try SealedPolicy(document(), key: key)
        #expect(SealedPolicy(sealed.octets, key: key) == sealed)
        #expect(sealed.tag.octets.prefix(4) == [0xDA, 0xB4, 0x1B, 0x09])
        #expect(try key.tag(.policyCount, Self.octets.span) != sealed.tag)
        let count = PolicyCount(sealed)
        let octets = try count.octets(key: key)
        #expect(octets.count == PolicyCount.octetCount && octets.count == 80)
        #expect(PolicyCount(octets, key: key) == count && count.witnesses(sealed))
        let other = try #require(AuditKey([UInt8](repeating: 8, count: 32)))
        #expect(SealedPolicy(sealed.octets, key: other) == nil && PolicyCount(octets, key: other) == nil)
    }
}
