// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Configuration
@testable import readerd

/// `check-config`: the files of cards and phones that a configuration names.
@Suite struct CheckedFilesTests {
    private let directory: TemporaryDirectory
    private let cards: String

    init() throws {
        directory = try TemporaryDirectory()
        cards = "\(directory.path)/cards.json"
    }

    /// The exit status, and the lines without the file's name.
    private func check(_ kind: String, _ text: String) throws -> [String] {
        let path = try directory.write(
            "a.toml",
            """
            [nfc]
            connection = "pn532_uart:/dev/ttyS1"
            role = "poll"
            [credentials]
            card-kinds = ["\(kind)"]
            cards = "\(cards)"
            \(text)
            """)
        let outcome = Program.outcome(of: ["check-config", path])
        return ["\(outcome.code)"] + outcome.complaints.map { String($0.dropFirst(path.count)) }
    }

    /// It may not be in place yet.
    @Test func missingListIsAWarning() throws {
        #expect(
            try check("pkoc", "") == [
                "0",
                ":6: warning: credentials.cards: \(cards): no such file, so no card opens: make it with readerlab "
                    + "credentials",
            ])
    }

    /// A reader would start with it, and refuse every card.
    @Test func damagedListIsAFaultThatNamesItsLine() throws {
        try directory.write("cards.json", "{\"cards\": [\n  {\"kind\": \"pkoc\", \"id\": \"A\"}\n]}\n")
        #expect(try check("pkoc", "") == ["1", ":6: credentials.cards: \(cards):2: cards[0]: lacks \"key\""])
        try directory.write("cards.json", "{\"cards\": []}")
        #expect(try check("pkoc", "") == ["0"])
    }

    @Test func numberOfAnotherLengthIsAWarning() throws {
        let key = try directory.write("desfire.key", Array("00112233445566778899AABBCCDDEEFF".utf8), mode: 0o600)
        let table = "[desfire]\napplication = \"F51BC0\"\nfile = 1\ncount = 8\nkey-file = \"\(key)\"\n"
        let entries = ["0011223344556677", "00112233445566", "001122"].enumerated().map { place, number in
            "{\"kind\": \"desfire\", \"id\": \"CARD\(place)\", \"number\": \"\(number)\"}"
        }
        try directory.write("cards.json", "{\"cards\": [\(entries[0])]}")
        #expect(try check("desfire", table) == ["0"])
        try directory.write("cards.json", "{\"cards\": [\(entries.joined(separator: ","))]}")
        #expect(
            try check("desfire", table) == [
                "0",
                ":6: warning: credentials.cards: \(cards): CARD1 and 1 more will not open: a number has 7 octets there, "
                    + "and desfire.count is 8",
            ])
    }

    /// Without its certificate an Aliro reader serves no phone.
    @Test func certificateThatIsNoneIsAFault() throws {
        try directory.write("cards.json", "{\"cards\": []}")
        let path = "\(directory.path)/aliro.crt"
        let digits = "00112233445566778899aabbccddeeff"
        let table = """
            [aliro]
            group = "\(digits)"
            door = "\(digits)"
            certificate = "\(path)"
            certificate-issuer = "\(AliroPointText.example)"
            """
        #expect(
            try check("aliro", table)
                == ["1", ":10: aliro.certificate: \(path): no such file; put the certificate of the reader there"])
        try directory.write("aliro.crt", "-----BEGIN CERTIFICATE-----\n")
        #expect(
            try check("aliro", table) == [
                "1", ":10: aliro.certificate: \(path): is no reader certificate of profile 0000 (malformed-response)",
            ])
    }
}
