// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reader

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
