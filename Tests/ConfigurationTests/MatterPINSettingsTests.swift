// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// `matter.pin`: PINs of Matter's Door Lock, off by default.
@Suite struct MatterPINSettingsTests {
    private func decoded(_ entries: [(String, SettingsEntry.Value)]) -> DecodedSettings {
        DecodedSettings(entries.map { SettingsEntry(path: $0, index: nil, value: $1, line: 1, column: 1) })
    }

    @Test func offByDefault() { #expect(!decoded([]).settings.matter.hasPINs) }

    @Test func aLockIsNeeded() {
        let pin = ("matter.pin", SettingsEntry.Value.boolean(true))
        let sound = decoded([pin, ("matter.socket", .string("/run/readerd-matter/reader.sock"))])
        #expect(sound.settings.matter.hasPINs && sound.diagnostics.allSatisfy { $0.severity != .fault })
        #expect(decoded([pin]).diagnostics.filter { $0.severity == .fault }.map(\.key) == ["matter.pin"])
    }
}
