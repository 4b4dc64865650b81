// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct OSDPSettingsTests {
    private func decoded(_ values: [(String, SettingsEntry.Value)]) -> DecodedSettings {
        DecodedSettings(
            values.enumerated().map { line, entry in
                SettingsEntry(path: entry.0, value: entry.1, line: line + 1, column: 1)
            })
    }

    private let line = ("osdp.line", SettingsEntry.Value.string("/dev/ttyS2"))

    @Test func isOffAndClosedByDefault() {
        let osdp = ReaderSettings().osdp
        #expect(osdp.line == nil && osdp.mode == .report && !osdp.obeysOutputs)
        #expect(!osdp.allowsClear && osdp.installSeconds == 0 && osdp.whenSilent == .refuse)
        #expect(decoded([line]).diagnostics.isEmpty)
    }

    /// Nobody would take the file.
    @Test func aFileNeedsAnUpdater() {
        let limit = ("osdp.file-limit", SettingsEntry.Value.integer(1000))
        #expect(ReaderSettings().osdp.fileLimit == 0)
        #expect(decoded([line, limit]).diagnostics.map(\.key) == ["osdp.file-limit"])
    }

    @Test func whatIsNoneIsAFault() {
        let faulty: [(String, SettingsEntry.Value)] = [
            ("osdp.line", .string("ttyS2")), ("osdp.line", .string("/dev/")), ("osdp.line", .string("")),
            ("osdp.mode", .string("both")), ("osdp.address", .integer(127)), ("osdp.speed", .integer(9601)),
            ("osdp.speed", .integer(300)), ("osdp.install-s", .integer(3601)), ("osdp.vendor", .string("12345")),
            ("osdp.vendor", .string("12345g")), ("osdp.card-format", .string("35-bit")),
            ("osdp.facility", .integer(65_536)), ("osdp.file-limit", .integer(16_777_217)),
            ("osdp.file-limit", .integer(-1)),
        ]
        for entry in faulty {
            #expect(decoded([entry]).diagnostics.map(\.severity) == [.fault], "\(entry)")
        }
        for speed in [9600, 19200, 38400, 57600, 115_200, 230_400] as [Int64] {
            #expect(decoded([("osdp.speed", .integer(speed))]).settings.osdp.speed == Int(speed))
        }
    }

    @Test func aFacilityCodeFitsItsFormat() {
        for (format, most) in [("26-bit", 255), ("34-bit", 65_535), ("37-bit", 65_535)] as [(String, Int64)] {
            let key = ("osdp.card-format", SettingsEntry.Value.string(format))
            #expect(decoded([key, ("osdp.facility", .integer(most))]).diagnostics.isEmpty)
        }
        for (format, least) in [("26-bit", 256), ("37-bit-number", 1), ("identifier", 1)] as [(String, Int64)] {
            let key = ("osdp.card-format", SettingsEntry.Value.string(format))
            let told = decoded([key, ("osdp.facility", .integer(least))]).diagnostics
            #expect(told.map(\.key) == ["osdp.facility"] && told.map(\.line) == [2])
        }
    }

    /// A pattern needs a layout, and says which line is wrong.
    @Test func aPatternIsALayout() {
        func told(_ lines: [String], facility: Int64 = 0) -> [String] {
            var entries = [
                SettingsEntry(path: "osdp.card-format", value: .string("pattern"), line: 1, column: 1),
                SettingsEntry(path: "osdp.facility", value: .integer(facility), line: 2, column: 1),
                SettingsEntry(path: "osdp.card-pattern", value: .array, line: 3, column: 1),
            ]
            for (index, text) in lines.enumerated() {
                entries.append(
                    SettingsEntry(path: "osdp.card-pattern", index: index, value: .string(text), line: 3, column: 1))
            }
            return DecodedSettings(entries).diagnostics.map { "\($0.key) \($0.text)" }
        }
        #expect(told(["FFNNNN"], facility: 3).isEmpty)
        #expect(told(["PFNNNP", "EXX...", "...XXO"], facility: 1).isEmpty)
        #expect(
            told(["FFNNNN"], facility: 4)
                == ["osdp.facility 4 does not fit osdp.card-format \"pattern\": at most 3"])
        let wrong: [([String], String)] = [
            ([], "needs lines of 1 to 512 characters, one for each bit"),
            (["PN", "E"], "line 2 has another length than the first: write . for bits that it leaves out"),
            (["QN"], "line 1 has \"Q\": needs F, N, P, 0 or 1"),
            (["PN", "EN"], "line 2 has \"N\": needs E, O, X or ."),
            (["FF"], "needs 1 to 64 N, and 64 F at most"),
            (["PN", "XE"], "line 2 needs one E or O, at a P that no other line has"),
            (["PN"], "has a P without a line: add one with E or O at its place"),
        ]
        for (lines, remedy) in wrong { #expect(told(lines) == ["osdp.card-pattern \(remedy)"]) }
    }

    @Test func aFASCNHasItsDigits() {
        for text in ["", "9999-9999-######-0-1-########399991", "99999999999999011112223333399991#9", "9999 9999"] {
            #expect(decoded([("osdp.fasc-n", .string(text))]).diagnostics.map(\.severity) == [.fault], "\(text)")
        }
        #expect(decoded([("osdp.fasc-n", .string("0032-0001-######-0-1-##########112232"))]).diagnostics.isEmpty)
    }

    /// A panel that is to decide is connected: else the reader would. A line that is wrong is one fault.
    @Test func aPanelThatDecidesHasALine() {
        let panel = ("osdp.mode", SettingsEntry.Value.string("panel"))
        #expect(
            decoded([panel]).diagnostics.map { "\($0.severity) \($0.line ?? 0) \($0.key): \($0.text)" } == [
                "fault 1 osdp.mode: \"panel\" needs osdp.line: without a panel the reader would decide; set it, or "
                    + "\"report\""
            ])
        #expect(decoded([panel, line]).diagnostics.isEmpty)
        #expect(decoded([panel, ("osdp.line", .string("ttyS2"))]).diagnostics.map(\.key) == ["osdp.line"])
    }

    @Test func thePanelKeepsTheHours() {
        let hours = (
            "door.schedules", SettingsEntry.Value.array
        )
        var entries = [SettingsEntry(path: line.0, value: line.1, line: 1, column: 1)]
        entries.append(SettingsEntry(path: "osdp.mode", value: .string("panel"), line: 2, column: 1))
        entries.append(SettingsEntry(path: hours.0, value: hours.1, line: 3, column: 1))
        #expect(DecodedSettings(entries).diagnostics.isEmpty)
        entries.append(
            SettingsEntry(path: hours.0, index: 0, value: .string("mon-fri 08:00-18:00"), line: 3, column: 1))
        #expect(DecodedSettings(entries).diagnostics.map(\.key) == ["door.schedules"])
        entries[1].value = .string("report")
        #expect(DecodedSettings(entries).diagnostics.isEmpty)
    }

    @Test func clearTextIsWarnedOf() {
        let told = decoded([line, ("osdp.allow-clear", .boolean(true))]).diagnostics
        #expect(told.map(\.severity) == [.warning] && told.map(\.line) == [2])
        #expect(decoded([("osdp.allow-clear", .boolean(true))]).diagnostics.isEmpty)
    }
}
