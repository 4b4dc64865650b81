// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct UpdaterSettingsTests {
    private func decoded(_ texts: [SettingsEntry.Value]) -> DecodedSettings {
        let elements = texts.enumerated().map { number, value in
            SettingsEntry(path: "updater.command", index: number, value: value, line: 2 + number, column: 1)
        }
        return DecodedSettings([SettingsEntry(path: "updater.command", value: .array, line: 1, column: 1)] + elements)
    }

    @Test func aProgramAndItsArguments() {
        let command = ["/usr/lib/readerd/update", "--channel", "--channel", ""]
        let decoded = decoded(command.map { .string($0) })
        #expect(decoded.diagnostics.isEmpty && decoded.settings.updater.command == command)
    }

    @Test func whatIsNoCommandIsAFault() {
        let long = String(repeating: "x", count: 1025)
        let rows: [([SettingsEntry.Value], String, Int)] = [
            ([], "is empty: remove the key if there is no updater", 1),
            (
                [.string("update")],
                "\"update\" is not an absolute path of a program", 2
            ),
            (
                [.string("/usr/lib/")],
                "\"/usr/lib/\" is not an absolute path of a program", 2
            ),
            (
                [.string("")], "\"\" is not an absolute path of a program",
                2
            ),
            ([.string("/a"), .integer(1)], "needs text, not a whole number", 3),
            ([.string("/a"), .string("b\0c")], "has a zero octet", 3),
            ([.string("/a"), .string(long)], "is too long: needs 1024 octets at most", 3),
            ([SettingsEntry.Value](repeating: .string("/a"), count: 17), "has 17 texts: needs 16 at most", 1),
        ]
        for (texts, fault, line) in rows {
            let decoded = decoded(texts)
            #expect(decoded.diagnostics.map(\.text) == [fault])
            #expect(decoded.diagnostics.map(\.line) == [line])
            #expect(decoded.settings.updater.command.isEmpty)
        }
        let one = DecodedSettings([SettingsEntry(path: "updater.command", value: .string("/a"), line: 1, column: 1)])
        #expect(
            one.diagnostics.map(\.text) == [
                "needs one or more texts in a list: the program's absolute path, then its arguments, not text"
            ]
        )
    }
}
