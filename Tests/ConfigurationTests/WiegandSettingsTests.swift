// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct WiegandSettingsTests {
    /// The settings of a file with these lines of a panel, and these keys after them.
    private func decoded(_ lines: [String], _ values: [(String, SettingsEntry.Value)] = []) -> DecodedSettings {
        var entries = [SettingsEntry(path: "wiegand.lines", value: .array, line: 1, column: 1)]
        for (index, text) in lines.enumerated() {
            entries.append(
                SettingsEntry(path: "wiegand.lines", index: index, value: .string(text), line: 1, column: 1))
        }
        for (line, value) in values.enumerated() {
            // An entry with a list's name, behind the list, is its element.
            let index = entries.last?.path == value.0 ? 0 : nil
            entries.append(SettingsEntry(path: value.0, index: index, value: value.1, line: line + 2, column: 1))
        }
        return DecodedSettings(entries)
    }

    private func told(_ lines: [String], _ values: [(String, SettingsEntry.Value)] = []) -> [String] {
        decoded(lines, values).diagnostics.map { "\($0.key): \($0.text)" }
    }

    private let lines = ["DATA0", "gpiochip0:7"]
    private let panel = ("wiegand.mode", SettingsEntry.Value.string("panel"))

    @Test func isOffByDefault() {
        let wiegand = ReaderSettings().wiegand
        #expect(!wiegand.isConnected && wiegand.mode == .report && wiegand.cards.format == .bits37WithoutFacility)
        #expect(ReaderSettings().panelDecides == nil)
        #expect(told(lines) == [] && decoded(lines).settings.wiegand.lines == lines)
    }

    @Test func hasTwoLines() {
        for wrong in [["DATA0"], ["DATA0", "DATA1", "DATA2"]] {
            #expect(told(wrong) == ["wiegand.lines: needs two lines, DATA0 and DATA1"])
        }
        #expect(told(["DATA0", "DATA0"]) == ["wiegand.lines: \"DATA0\" is listed twice"])
        #expect(decoded(["DATA0", ""]).diagnostics.map(\.severity) == [.fault])
    }

    /// A panel of either kind has the say alone.
    @Test func thereIsOnePanelAndOneLock() {
        #expect(
            told(lines, [("osdp.line", .string("/dev/ttyS2"))])
                == ["wiegand.lines: conflicts with osdp.line: a reader has one panel; remove one"])
        #expect(told(lines, [panel]) == [] && decoded(lines, [panel]).settings.panelDecides == "wiegand.mode")
        let lock: [(String, SettingsEntry.Value)] = [
            ("gpio.lock", .string("RELAY")), ("gpio.hardware-safe-state", .boolean(true)),
        ]
        #expect(
            told(lines, [panel] + lock) == [
                "wiegand.mode: \"panel\" conflicts with gpio.lock: a panel by Wiegand moves its own lock; "
                    + "remove one"
            ])
        #expect(told(lines, lock) == [])
    }

    @Test func whatIsNoneIsAFault() {
        let faulty: [(String, SettingsEntry.Value)] = [
            ("wiegand.mode", .string("both")), ("wiegand.pulse-us", .integer(19)), ("wiegand.pulse-us", .integer(101)),
            ("wiegand.interval-us", .integer(199)), ("wiegand.interval-us", .integer(20_001)),
            ("wiegand.card-format", .string("35-bit")), ("wiegand.facility", .integer(1)),
        ]
        for entry in faulty { #expect(decoded(lines, [entry]).diagnostics.map(\.severity) == [.fault], "\(entry)") }
    }

    /// A panel that is to decide is connected: else the reader would, also beside a panel by OSDP.
    @Test func aPanelThatDecidesHasLines() {
        let fault =
            "wiegand.mode: \"panel\" needs wiegand.lines: without a panel the reader would decide; set it, or \"report\""
        #expect(told([], [panel]) == [fault])
        #expect(told([], [panel, ("osdp.line", .string("/dev/ttyS2"))]) == [fault])
        #expect(told(["DATA0", "DATA0"], [panel]) == ["wiegand.lines: \"DATA0\" is listed twice"])
    }

    /// A panel that decides has taken them over.
    @Test func theHoursAndTheOrdersOfOthersAreThePanels() {
        let others: [([(String, SettingsEntry.Value)], fault: String)] = [
            (
                [("matter.socket", .string("/run/matter.sock"))],
                "matter.may-unlock: conflicts with wiegand.mode = \"panel\": the panel decides; set it to false"
            ),
            (
                [("door.schedules", .array), ("door.schedules", .string("mon-fri 08:00-18:00"))],
                "door.schedules: conflicts with wiegand.mode = \"panel\": the panel keeps the hours; remove one"
            ),
            (
                [("link.may", .array), ("link.may", .string("pulse"))],
                "link.may: conflicts with wiegand.mode = \"panel\": the panel decides; remove \"pulse\""
            ),
        ]
        for (entries, fault) in others {
            #expect(told(lines, [panel] + entries) == [fault])
            #expect(told(lines, entries) == [])
        }
    }
}
