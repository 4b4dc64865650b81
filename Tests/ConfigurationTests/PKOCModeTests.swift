// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import Configuration

/// The mode of PKOC phones over Bluetooth LE: off by default, and never without a gate.
@Suite struct PKOCModeTests {
    private static func entry(_ path: String, _ value: SettingsEntry.Value, line: Int = 1) -> SettingsEntry {
        SettingsEntry(path: path, value: value, line: line, column: 1)
    }

    private static func list(_ path: String, _ elements: [String], line: Int = 1) -> [SettingsEntry] {
        [SettingsEntry(path: path, value: .array, line: line, column: 1)]
            + elements.enumerated().map {
                SettingsEntry(path: path, index: $0.offset, value: .string($0.element), line: line, column: 2)
            }
    }

    private static func diagnostics(_ entries: [SettingsEntry]) -> [String] {
        DecodedSettings(entries).diagnostics.map { "\($0.line ?? 0): \($0.key): \($0.text)" }
    }

    private static let cards = entry("credentials.cards", .string("/etc/readerd/cards.json"))

    private static func modes(_ modes: [String]) -> [SettingsEntry] {
        list("advertising.modes", modes)
    }

    @Test func itIsOffAndGatedByDefault() {
        let settings = DecodedSettings().settings
        #expect(!settings.advertising.modes.contains(.pkoc))
        #expect(settings.proximity.gate(of: .pkoc) != nil)
        #expect(settings.advertising.pkocService == "0000fff0-0000-1000-8000-00805f9b34fb")
    }

    @Test func fragmentsAreOffByDefault() {
        #expect(!DecodedSettings().settings.cardReading.hasPKOCFragments)
        let decoded = DecodedSettings([Self.entry("advertising.pkoc-fragments", .boolean(true))])
        #expect(decoded.settings.cardReading.hasPKOCFragments)
    }

    @Test func itTakesAList() {
        #expect(
            Self.diagnostics(Self.modes(["pkoc"]))
                == ["1: advertising.modes: mode \"pkoc\" refuses every phone: set credentials.cards"])
        #expect(Self.diagnostics(Self.modes(["access", "pkoc"]) + [Self.cards]) == [])
    }

    /// A phone of PKOC opens as it connects: without a gate, at any distance.
    @Test func itNeedsAGate() {
        #expect(
            Self.diagnostics(
                Self.modes(["access", "pkoc"]) + [Self.cards]
                    + Self.list("proximity.gate", ["access"], line: 2))
                == ["2: proximity.gate: lacks \"pkoc\", whose phones open as they connect: add it, or remove the mode"])
    }

    @Test func itHasNoCertificates() {
        let issuer = "0100000000000001 " + CardListFileTests.key
        #expect(
            Self.diagnostics(
                Self.modes(["access", "pkoc"]) + [Self.cards] + Self.list("credentials.pkoc-issuers", [issuer]))
                == [
                    "1: advertising.modes: mode \"pkoc\" shows no certificates of the issuers in "
                        + "credentials.pkoc-issuers: remove one of them"
                ])
    }

    @Test func keysWithoutTheKindHaveNoEffect() {
        let issuer = "0100000000000001 " + CardListFileTests.key
        let reader = Self.entry("credentials.pkoc-reader", .string(String(repeating: "0A", count: 32)), line: 2)
        #expect(
            Self.diagnostics([reader] + Self.list("credentials.pkoc-issuers", [issuer], line: 3))
                == [
                    "2: credentials.pkoc-reader: has no effect: credentials.card-kinds and advertising.modes lack \"pkoc\"",
                    "3: credentials.pkoc-issuers: has no effect: credentials.card-kinds and advertising.modes lack "
                        + "\"pkoc\"",
                ])
        #expect(!Self.diagnostics(Self.modes(["access", "pkoc"]) + [reader]).contains { $0.contains("no effect") })
    }

    @Test func itsServiceIsAUUID() {
        #expect(
            Self.diagnostics([Self.entry("advertising.pkoc-service", .string("fff0"))])
                == ["1: advertising.pkoc-service: \"fff0\" is not a UUID: needs 8-4-4-4-12 hexadecimal digits"])
    }
}
