// SPDX-License-Identifier: Apache-2.0

import Reader
import TestSupport
import Testing

@testable import Configuration

/// `[nfc]`: what is taken, and what phones find of it.
@Suite struct NFCSettingsTests {
    private func decoded(_ key: String, _ value: String) -> DecodedSettings {
        DecodedSettings([SettingsEntry(path: "nfc.\(key)", value: .string(value), line: 1, column: 1)])
    }

    @Test func defaults() {
        let configuration = ReaderSettings().nfc.configuration(deviceID: "Door0001")
        #expect(configuration.application.octets == octets("F07265616465726401"))
        #expect(configuration.message == [] && configuration.deviceID == "Door0001")
    }

    @Test func taken() {
        for (key, value) in [
            ("aid", "F072656164"), ("aid", String(repeating: "aB", count: 16)), ("uri", "https://a"),
            ("uri", "https://" + String(repeating: "a", count: 192)), ("package", "a.b_1.C"),
        ] {
            #expect(!decoded(key, value).hasFaults, "\(key) = \(value)")
        }
        #expect(decoded("aid", "a000000151").settings.nfc.configuration(deviceID: "").application.octets.first == 0xA0)
        #expect(
            decoded("uri", "https://a").settings.nfc.configuration(deviceID: "").message
                == octets("D1 01 02 55 04 61"))
    }

    @Test func refused() {
        for (key, value) in [
            ("aid", ""), ("aid", "F0726561"), ("aid", String(repeating: "aB", count: 17)), ("aid", "D2760000850101"),
            ("aid", "F0 72 65 61 64"), ("uri", ""), ("uri", "https://"), ("uri", "http://a"), ("uri", "https://a b"),
            ("uri", "https://\u{e4}"), ("uri", "https://" + String(repeating: "a", count: 193)), ("package", ""),
            ("package", "app"), ("package", "a..b"), ("package", "a.1b"), ("package", "a.b-c"),
            ("package", "a." + String(repeating: "b", count: 149)),
        ] {
            #expect(decoded(key, value).hasFaults, "\(key) = \(value)")
        }
    }

    @Test(
        arguments: [
            "6A01000000", "6a0102FFFF", "6A02C3020002FFFF", "6A02CB02042042200102030405060708",
            "6A02C8010003000279 0000 0000".filter { $0 != " " },
        ]) func aPollingFrame(_ text: String)
    {
        #expect(!decoded("ecp", text).hasFaults && PollingFrame(text)?.octets.count == text.count / 2)
    }

    /// Phones ignore a frame whose length differs from its count.
    @Test(
        arguments: [
            "", "6A", "6A0100000", "6A010000", "6A0100000000", "6B01000000", "6A03000000", "6A02C3020002FF",
            "6A02C3020002FFFFFF", "6A02C3 020002FFFF", "6A02G3020002FFFF", "6A02C302",
        ]) func anotherTextIsNoPollingFrame(_ text: String)
    {
        #expect(decoded("ecp", text).hasFaults)
    }

    /// The problems of these keys of `[nfc]`, without those of the kinds of card.
    private func decoded(_ values: [(String, SettingsEntry.Value)]) -> [String] {
        problems(
            values.enumerated().map { number, entry in
                SettingsEntry(path: "nfc.\(entry.0)", value: entry.1, line: number + 1, column: 1)
            }
        ).filter { !$0.contains("every card") }
    }

    private func problems(_ entries: [SettingsEntry]) -> [String] {
        DecodedSettings(entries).diagnostics.map { "\($0.key): \($0.text)" }
    }

    private func entry(_ path: String, _ value: SettingsEntry.Value, index: Int? = nil) -> SettingsEntry {
        SettingsEntry(path: path, index: index, value: value, line: 1, column: 1)
    }

    @Test func kindsOfCardAndTheRoleThatReadsThemGoTogether() {
        let connection = [entry("nfc.connection", .string("pn532_uart:/dev/ttyS1"))]
        let role = [entry("nfc.role", .string("poll"))]
        let kinds = [
            entry("credentials.card-kinds", .array), entry("credentials.card-kinds", .string("pkoc"), index: 0),
        ]
        let list = [entry("credentials.cards", .string("/etc/readerd/cards.json"))]
        #expect(problems(connection + role + kinds + list) == [])
        #expect(
            problems(connection + role)
                == ["nfc.role: \"poll\" refuses every card: set credentials.card-kinds and credentials.cards"])
        #expect(
            problems(connection + role + kinds)
                == ["credentials.card-kinds: refuses every card: set credentials.cards"])
        let phone = [
            entry("credentials.card-kinds", .array), entry("credentials.card-kinds", .string("phone"), index: 0),
        ]
        #expect(problems(connection + role + phone) == [])
        let unread = "credentials.card-kinds: reads no card: set nfc.connection, and nfc.role to \"poll\" or \"both\""
        #expect(problems(connection + kinds + list) == [unread])
        #expect(problems(role + kinds + list) == [unread])
    }

    @Test func aChipThatCannotPollIsAFault() {
        let problem = "nfc.role: \"both\" needs a PN532: a connection with pn532_uart, pn532_i2c or pn532_spi"
        for connection in ["acr122_usb:1", "pn532_uartx", "", "pcsc:x"] {
            let found = decoded([("connection", .string(connection)), ("role", .string("both"))])
            #expect(connection.isEmpty ? !found.isEmpty : found == [problem], "\(connection)")
        }
        for connection in ["pn532_uart:/dev/ttyS1", "pn532_i2c:/dev/i2c-1", "pn532_spi:/dev/spidev0.0:500000"] {
            #expect(decoded([("connection", .string(connection)), ("role", .string("poll"))]) == [], "\(connection)")
        }
    }

    @Test func aKeyOfAnotherRoleIsAWarning() {
        let keys: [(String, SettingsEntry.Value)] = [("poll-ms", .integer(300)), ("listen-ms", .integer(500))]
        #expect(
            decoded([("role", .string("poll"))] + keys) == [
                "nfc.poll-ms: has no effect with the role \"poll\"",
                "nfc.listen-ms: has no effect with the role \"poll\"",
            ])
        #expect(decoded([("role", .string("both"))] + keys) == [])
        // A default is no warning: the reference file has them all.
        #expect(decoded([("round-ms", .integer(100)), ("poll-ms", .integer(250))]) == [])
        #expect(
            decoded([("ecp", .string("6A01000000")), ("round-ms", .integer(200))]) == [
                "nfc.ecp: has no effect with the role \"target\"",
                "nfc.round-ms: has no effect with the role \"target\"",
            ])
    }
}
