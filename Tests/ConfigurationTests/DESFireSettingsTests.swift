// SPDX-License-Identifier: Apache-2.0

import Credentials
import Reader
import TestSupport
import Testing

@testable import Configuration

/// `[desfire]`: what is necessary with the kind, and the place that follows from it (docs/operate/desfire.md).
@Suite struct DESFireSettingsTests {
    private static let whole: [(String, SettingsEntry.Value)] = [
        ("desfire.application", .string("F51BC0")), ("desfire.file", .integer(1)), ("desfire.count", .integer(8)),
        ("desfire.key-file", .string("/etc/readerd/desfire.key")),
    ]
    /// A reader that polls for these cards.
    private static let polling = [
        entry("nfc.connection", .string("pn532_uart:/dev/ttyS1")), entry("nfc.role", .string("poll")),
        entry("credentials.cards", .string("/etc/readerd/cards.json")), entry("credentials.card-kinds", .array),
        entry("credentials.card-kinds", .string("desfire"), index: 0),
    ]

    private static func entry(
        _ path: String, _ value: SettingsEntry.Value, index: Int? = nil
    ) -> SettingsEntry {
        SettingsEntry(path: path, index: index, value: value, line: 1, column: 1)
    }

    private func decoded(_ values: [(String, SettingsEntry.Value)]) -> DecodedSettings {
        DecodedSettings(Self.polling + values.map { Self.entry($0.0, $0.1) })
    }

    private func problems(_ values: [(String, SettingsEntry.Value)]) -> [String] {
        decoded(values).diagnostics.map { "\($0.key): \($0.text)" }
    }

    @Test func settingsBecomeThePlaceOfTheNumber() throws {
        let settings = decoded(
            Self.whole + [
                ("desfire.offset", .integer(2)), ("desfire.communication", .string("mac")),
                ("desfire.diversification", .string("4E58")), ("desfire.uid-key-file", .string("/etc/uid.key")),
                ("desfire.uid-key-number", .integer(2)),
            ])
        #expect(settings.diagnostics == [])
        let desfire = settings.settings.desfire
        #expect(desfire.key?.path == "/etc/readerd/desfire.key" && desfire.key?.number == 0)
        #expect(desfire.uidKey?.path == "/etc/uid.key" && desfire.uidKey?.number == 2)
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](1...16)))
        let place = try #require(desfire.credential(key, uidKey: key))
        #expect(place.application == octets("f51bc0") && place.file == 1 && place.offset == 2 && place.count == 8)
        #expect(place.communication == .mac)
        #expect(place.diversification?.system == octets("4e58") && place.diversification?.uidKey != nil)
    }

    /// Without octets of the site the key is diversified nevertheless, by UID and application.
    @Test func keysAreDiversifiedIfTheKeyIsWritten() throws {
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](1...16)))
        let common = decoded(Self.whole).settings.desfire
        #expect(common.credential(key, uidKey: nil)?.diversification == nil)
        let diversified = decoded(Self.whole + [("desfire.diversification", .string(""))]).settings.desfire
        #expect(diversified.credential(key, uidKey: nil)?.diversification?.system == [])
    }

    @Test func missingKeyIsAFaultThatSaysWhyAUIDIsNone() {
        #expect(
            problems([Self.whole[1]]) == [
                "desfire.application: is missing: set desfire.application, desfire.count, desfire.key-file. A card's UID "
                    + "alone is no identity, since anyone near reads and copies it; a number in a file is, if only the "
                    + "site's key reads it"
            ])
        #expect(decoded(Self.whole).diagnostics == [])
    }

    /// One line for the whole table, at its first key.
    @Test(arguments: [0, 1, 2, 3]) func keysWithoutTheKindAreAWarning(_ first: Int) {
        let entries = Self.whole[first...].map { Self.entry($0.0, $0.1) }
        let key = ["application", "file", "count", "key-file"][first]
        #expect(
            DecodedSettings(entries).diagnostics.map { "\($0.severity.rawValue) \($0.key): \($0.text)" }
                == ["warning desfire.\(key): has no effect: credentials.card-kinds lacks \"desfire\""])
    }

    /// A place in the application has one key: the diversified one is another in each card.
    @Test func commonKeyHasItsOwnNumber() {
        let diversified = Self.whole + [("desfire.diversification", .string(""))]
        let common = diversified + [("desfire.uid-key-file", .string("/etc/uid.key"))]
        let fault =
            "is desfire.key-number as well, whose key differs on each card: write the number of the key that all cards "
            + "have"
        #expect(problems(common) == ["desfire.uid-key-number: 0 \(fault)"])
        #expect(
            problems(common + [("desfire.key-number", .integer(3)), ("desfire.uid-key-number", .integer(3))])
                == ["desfire.uid-key-number: 3 \(fault)"])
        #expect(problems(common + [("desfire.uid-key-number", .integer(1))]) == [])
        #expect(
            problems(diversified + [("desfire.uid-key-number", .integer(1))])
                == ["desfire.uid-key-number: has no effect without desfire.uid-key-file"])
    }

    @Test(arguments: ["uid", "UID", "csn", "mifare-classic", "ntag"])
    func identifierIsNoKind(_ kind: String) {
        let entries = Self.polling.dropLast() + [Self.entry("credentials.card-kinds", .string(kind), index: 0)]
        #expect(
            DecodedSettings(Array(entries)).diagnostics.first?.text
                == "\"\(kind)\" is no identity, since anyone near reads such an identifier, and cheap blanks copy it: needs "
                + "\"phone\", \"pkoc\", \"desfire\" or \"aliro\"")
    }

    @Test(arguments: [
        ("application", "F51BC", "\"F51BC\" is not six hexadecimal digits"),
        ("application", "000000", "is the card itself, which has no file"),
        ("key-file", "desfire.key", "\"desfire.key\" is not an absolute path"),
        ("diversification", "4E5", "\"4E5\" is not 0 to 42 hexadecimal digits, two for each octet"),
        ("communication", "plain", "\"plain\" is unknown: needs \"mac\" or \"full\""),
    ]) func faultNamesTheRemedy(_ key: String, _ value: String, _ fault: String) {
        #expect(problems([("desfire.\(key)", .string(value))]).contains("desfire.\(key): \(fault)"))
    }

    @Test func panelCannotHaveMoreBitsThanANumber() {
        for section in ["osdp", "wiegand"] {
            #expect(problems(Self.whole + [("\(section).desfire-bits", .integer(64))]) == [])
            #expect(
                problems(Self.whole + [("\(section).desfire-bits", .integer(65))]) == [
                    "\(section).desfire-bits: 65 exceeds the 64 bits of a number: raise desfire.count, or write 0"
                ])
        }
    }

    @Test func uidKeyWithoutDiversificationIsAWarning() {
        #expect(
            problems(Self.whole + [("desfire.uid-key-file", .string("/etc/uid.key"))])
                == ["desfire.uid-key-file: has no effect without desfire.diversification"])
    }
}
