// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// The settings of the companion processes.
@Suite struct CompanionSettingsTests {
    @Test func twoOwnersOfOneSettingAreAFault() {
        func faults(_ phones: String, _ link: String) -> Int {
            func entries(_ path: String, _ text: String) -> [SettingsEntry] {
                [
                    SettingsEntry(path: path, value: .array, line: 1, column: 1),
                    SettingsEntry(path: path, index: 0, value: .string(text), line: 1, column: 1),
                ]
            }
            let decoded = DecodedSettings(entries("reader.phones-may-set", phones) + entries("link.may-set", link))
            return decoded.diagnostics.count { $0.severity == .fault }
        }
        #expect(faults("door.pulse-s", "door.pulse-s") == 1)
        #expect(faults("door.pulse-s", "door.extended-s") == 0)
        #expect(faults("door.pulse-s", "blacklist") == 0)
        #expect(faults("door.pulse-s", "door.relock") == 1, "no such part")
    }
}
