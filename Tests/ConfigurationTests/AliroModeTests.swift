// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import Configuration

/// The mode of Aliro phones over Bluetooth LE: off by default, and never without a gate, a place and a resolving key.
@Suite struct AliroModeTests {
    private static let key = String(repeating: "0A", count: 16)

    private static func entry(_ path: String, _ text: String = key, line: Int = 2) -> SettingsEntry {
        SettingsEntry(path: path, value: .string(text), line: line, column: 1)
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

    private static let cards = entry("credentials.cards", "/etc/readerd/cards.json")
    fileprivate static let mode = list("advertising.modes", ["access", "aliro"])
    private static let place = [entry("aliro.group"), entry("aliro.door")]

    @Test func itIsOffAndGatedByDefault() {
        let settings = DecodedSettings().settings
        #expect(!settings.advertising.modes.contains(.aliro) && !settings.readsAliro)
        #expect(settings.proximity.gate(of: .aliro) != nil)
    }

    @Test func itIsCompleteWithPlaceKeyAndList() throws {
        let entries = Self.mode + Self.place + [Self.cards, Self.entry("aliro.resolving-key")]
        #expect(Self.diagnostics(entries) == [])
        let settings = DecodedSettings(entries).settings
        // No polling frame: nothing is read over NFC.
        #expect(settings.readsAliro && settings.pollingFrame == nil)
        let identifier = try #require(settings.aliro.identifier)
        #expect(settings.aliro.advertisement(of: identifier) != nil)
    }

    @Test func itNeedsAPlaceAndAKey() {
        #expect(
            Self.diagnostics(Self.mode + Self.place + [Self.cards])
                == [
                    "1: aliro.resolving-key: is missing: mode \"aliro\" needs the 32 hexadecimal digits by which phones "
                        + "recognize the group"
                ])
        let withoutPlace = Self.diagnostics(Self.mode + [Self.cards, Self.entry("aliro.resolving-key")])
        #expect(withoutPlace.count == 1 && withoutPlace[0].contains("aliro.group: is missing"))
    }

    /// The certificate of a reader would be one of an issuer too.
    @Test func authorityOfReadersIsNoneOfIssuers() {
        let entries =
            Self.mode + Self.place + [Self.cards, Self.entry("aliro.resolving-key")]
            + [Self.entry("aliro.certificate", "/etc/readerd/aliro.crt")]
            + [Self.entry("aliro.certificate-issuer", AliroPointText.example)]
        #expect(Self.diagnostics(entries) == [])
        let authorities = Self.list("aliro.issuer-authorities", [AliroPointText.example.lowercased()], line: 7)
        #expect(
            Self.diagnostics(entries + authorities) == [
                "7: aliro.issuer-authorities: has aliro.certificate-issuer: each reader that it has certified can sign "
                    + "documents that open. Have another authority certify issuers"
            ])
    }

    /// One line for the whole table, at its first key.
    @Test func keysOfAReaderThatReadsNoneAreAWarning() {
        let effect = "has no effect: credentials.card-kinds lacks \"aliro\", and so does advertising.modes"
        #expect(Self.diagnostics(Self.place) == ["2: aliro.group: \(effect)"])
        #expect(Self.diagnostics([Self.entry("aliro.door")]) == ["2: aliro.door: \(effect)"])
        #expect(
            Self.diagnostics(Self.list("aliro.issuers", [AliroPointText.example])) == ["1: aliro.issuers: \(effect)"])
        #expect(Self.diagnostics(Self.list("aliro.issuers", [])) == [])
    }

    @Test func itNeedsAGate() {
        #expect(
            Self.diagnostics(
                Self.mode + Self.place + [Self.cards, Self.entry("aliro.resolving-key")]
                    + Self.list("proximity.gate", ["access"], line: 3))
                == [
                    "3: proximity.gate: lacks \"aliro\", whose phones would open at any distance: add it, or remove "
                        + "the mode"
                ])
    }

    @Test func itNeedsAListOrIssuers() {
        let entries = Self.mode + Self.place + [Self.entry("aliro.resolving-key")]
        #expect(
            Self.diagnostics(entries)
                == ["1: advertising.modes: mode \"aliro\" refuses every phone: set credentials.cards, or aliro.issuers"]
        )
    }

    @Test func keyWithoutTheModeHasNoEffect() {
        #expect(
            Self.diagnostics([Self.entry("aliro.resolving-key")])
                == ["2: aliro.resolving-key: has no effect: advertising.modes lacks \"aliro\""])
    }

    @Test func mattersReaderHasNone() {
        let entries =
            Self.mode + Self.list("credentials.card-kinds", ["aliro"])
            + [SettingsEntry(path: "matter.aliro", value: .boolean(true), line: 4, column: 1)]
        #expect(Self.diagnostics(entries).contains { $0.contains("mode \"aliro\" is not part of matter.aliro") })
    }

    @Test func keyIsChecked() {
        #expect(Self.diagnostics([Self.entry("aliro.resolving-key", "0A0B")]).contains { $0.contains("is not 32") })
    }
}
