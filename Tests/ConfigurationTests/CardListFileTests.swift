// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Credentials
import JSON
import Reader
import TestSupport
import Testing
import Timekeeping

/// The file of the cards that open a door (docs/operate/pkoc.md).
@Suite struct CardListFileTests {
    static let key =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"
    static let other =
        "040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"
        + "bbda1f0252c33503c5287035e6eac55d138d0650dcfb5281d59a9cf4124d2831"

    private func file(_ text: String) throws(JSONPlaceFault) -> CardListFile { try CardListFile(Array(text.utf8)) }

    @Test func cardIsReadWithAllMembers() throws {
        let file = try file(
            """
            {"cards": [
              {"kind": "pkoc", "id": "CARD000001", "key": "\(Self.key)", "name": "Ada", "from": "2026-12-01",
               "until": "2027-11-30", "schedules": ["mon-fri 08:00-18:00"], "extended": true}
            ]}
            """)
        let evidence = CardEvidence(kind: .pkoc, identity: octets(Self.key))
        let card = try #require(file.list[evidence])
        #expect(card.credentialID == OSSCredentialID("CARD000001"))
        #expect(card.name == "Ada")
        #expect(card.validFrom == CivilTime(year: 2026, month: 12, day: 1))
        #expect(card.validUntil == CivilTime(year: 2027, month: 11, day: 30, hour: 23, minute: 59, second: 59))
        #expect(card.schedules.map(\.weekdays) == [0x1F])
        #expect(card.isExtended)
        #expect(file.list.count == 1)
    }

    @Test func cardWithoutLimitsIsReadAndWritten() throws {
        let file = try file(#"{"cards": [{"kind": "pkoc", "id": "A", "key": "\#(Self.key)"}]}"#)
        #expect(file.text == "{\"cards\": [\n  {\"kind\":\"pkoc\",\"id\":\"A\",\"key\":\"\(Self.key)\"}\n]}\n")
        #expect(try CardListFile(Array(file.text.utf8)) == file)
        #expect(CardListFile().text == "{\"cards\": []}\n")
        #expect(try self.file("{\"cards\": []}").list.count == 0)
    }

    @Test func cardOfDESFireIsReadAndWritten() throws {
        let file = try file(#"{"cards": [{"kind": "desfire", "id": "B", "number": "00AABB"}]}"#)
        #expect(file.text == "{\"cards\": [\n  {\"kind\":\"desfire\",\"id\":\"B\",\"number\":\"00aabb\"}\n]}\n")
        #expect(file.list[CardEvidence(kind: .desfire, identity: [0x00, 0xAA, 0xBB])]?.credentialID.text == "B")
        // The same octets of another kind are another card.
        #expect(file.list[CardEvidence(kind: .pkoc, identity: [0x00, 0xAA, 0xBB])] == nil)
    }

    /// An identifier with a line break would be two lines of a list and of a log.
    @Test(arguments: ["A\\nB", "A\\u001b[1m", "A\\u007f", "\\t", "é", "", "12345678901"])
    func identifierCanBePrinted(_ id: String) {
        #expect(
            thrown { _ = try file("{\"cards\": [{\"kind\": \"desfire\", \"id\": \"\(id)\", \"number\": \"01\"}]}") }
                .map { "\($0)" }
                == "1: cards[0].id: is not a credential identifier: needs 1 to 10 printable ASCII characters")
    }

    /// A reader would leave further phones out of its store without a word.
    @Test func listHasAsManyAliroPhonesAsAReaderKeeps() throws {
        let id = try #require(OSSCredentialID("A"))
        var file = CardListFile()
        file.entries = (0..<512).map {
            CardListFile.Entry(CardEvidence(kind: .aliro, identity: [UInt8($0 >> 8), UInt8($0 & 0xFF)]), id: id)
        }
        #expect(file.fullness(for: .aliro) == "has 512 Aliro phones, as many as a reader keeps")
        #expect(file.fullness(for: .pkoc) == nil)
        file.entries.removeLast()
        #expect(file.fullness(for: .aliro) == nil)
        file.entries = (0..<4096).map { _ in CardListFile.Entry(CardEvidence(kind: .pkoc, identity: [1]), id: id) }
        #expect(file.fullness(for: .pkoc) == "is full, with 4096 cards")
    }

    @Test func writtenFileIsReadAgain() throws {
        var entry = CardListFile.Entry(
            CardEvidence(kind: .pkoc, identity: octets(Self.key)), id: try #require(OSSCredentialID("B")))
        entry.name = "Ada \"the first\"\n"
        entry.from = CivilTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4)
        entry.until = CivilTime(year: 2027, month: 1, day: 2, hour: 3, minute: 4)
        entry.schedules = ["mon-fri 08:00-18:00", "sat 10:00-14:00 1-90"]
        entry.isExtended = true
        var file = CardListFile()
        file.entries = [entry]
        #expect(try CardListFile(Array(file.text.utf8)) == file)
    }

    @Test(arguments: [
        ("{}", "1: lacks \"cards\""),
        ("[]", "1: is a list, and must be an object"),
        ("{\"cards\": [\n{\"kind\": \"pkoc\", \"id\": \"A\"}]}", "2: cards[0]: lacks \"key\""),
        (
            "{\"cards\": [\n{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"02\"}]}",
            "2: cards[0].key: is no point of P-256: needs 130 hexadecimal digits, 04 first"
        ),
        (
            "{\"cards\": [{\"kind\": \"uid\", \"id\": \"A\", \"key\": \"\(key)\"}]}",
            "1: cards[0].kind: is no identity, since anyone near reads such an identifier, and cheap blanks copy it"
        ),
        (
            "{\"cards\": [{\"kind\": \"phone\", \"id\": \"A\", \"key\": \"\(key)\"}]}",
            "1: cards[0].kind: \"phone\" is not known; write pkoc, desfire, aliro"
        ),
        (
            "{\"cards\": [{\"kind\": \"desfire\", \"id\": \"A\", \"key\": \"\(key)\"}]}",
            "1: cards[0].key: belongs to another kind of card: remove it"
        ),
        ("{\"cards\": [{\"kind\": \"desfire\", \"id\": \"A\"}]}", "1: cards[0]: lacks \"number\""),
        (
            "{\"cards\": [{\"kind\": \"desfire\", \"id\": \"A\", \"number\": \"\"}]}",
            "1: cards[0].number: is no number of a card: needs 2 to 64 hexadecimal digits, the octets of its file"
        ),
        (
            "{\"cards\": [{\"kind\": \"desfire\", \"id\": \"A\", \"number\": \"00\"},\n"
                + "{\"kind\": \"desfire\", \"id\": \"B\", \"number\": \"00\"}]}",
            "2: cards[1]: has the number of another card"
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"\", \"key\": \"\(key)\"}]}",
            "1: cards[0].id: is not a credential identifier: needs 1 to 10 printable ASCII characters"
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(key)\"},\n"
                + "{\"kind\": \"pkoc\", \"id\": \"B\", \"key\": \"\(key)\"}]}",
            "2: cards[1]: has the key of another card"
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(key)\"},\n"
                + "{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(other)\"}]}",
            "2: cards[1]: has the id of another card"
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(key)\", \"until\": \"soon\"}]}",
            "1: cards[0].until: is no time: write it as in \"2026-12-31T23:59\" or \"2026-12-31\""
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(key)\", \"from\": \"2027-01-02\", "
                + "\"until\": \"2027-01-01\"}]}",
            "1: cards[0]: ends before it begins"
        ),
        (
            "{\"cards\": [{\"kind\": \"pkoc\", \"id\": \"A\", \"key\": \"\(key)\", \"schedules\": [\"always\"]}]}",
            "1: cards[0].schedules[0]: is no schedule: write it as in \"mon-fri 08:00-18:00\""
        ),
    ]) func faultNamesPlaceAndRemedy(_ text: String, _ fault: String) {
        #expect {
            try file(text)
        } throws: { error in
            "\(error)" == fault
        }
    }

    /// A point off the curve is no key.
    @Test func pointOffTheCurveIsRefused() { #expect(AliroPointText(String(Self.key.dropLast()) + "e") == nil) }
}
