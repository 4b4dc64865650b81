// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// `matter.aliro`: one owner of the reader's Aliro (docs/operate/matter-lock.md).
@Suite struct MatterAliroSettingsTests {
    private static let polling = [
        entry("nfc.connection", .string("pn532_uart:/dev/ttyS1")), entry("nfc.role", .string("poll")),
        entry("credentials.card-kinds", .array), entry("credentials.card-kinds", .string("aliro"), index: 0),
        entry("matter.aliro", .boolean(true)),
    ]
    private static let socket = entry("matter.socket", .string("/run/readerd-matter/reader.sock"))
    private static let group = "00112233445566778899aabbccddeeff"

    private static func entry(
        _ path: String, _ value: SettingsEntry.Value, index: Int? = nil
    ) -> SettingsEntry {
        SettingsEntry(path: path, index: index, value: value, line: 1, column: 1)
    }

    private func faults(_ entries: [SettingsEntry]) -> [String] {
        DecodedSettings(entries).diagnostics.filter { $0.severity == .fault }.map(\.key)
    }

    @Test func matterNeedsNothingOfTheTable() {
        let decoded = DecodedSettings(Self.polling + [Self.socket, Self.entry("aliro.fast", .boolean(false))])
        #expect(decoded.diagnostics.filter { $0.severity == .fault }.isEmpty)
        #expect(decoded.settings.matter.hasAliro && !decoded.settings.aliro.isFast)
        #expect(!DecodedSettings([]).settings.matter.hasAliro)
    }

    @Test(arguments: [
        ("aliro.group", SettingsEntry.Value.string(group)), ("aliro.door", .string(group)),
        ("aliro.certificate", .string("/etc/readerd/aliro.crt")),
        ("aliro.certificate-issuer", .string(AliroPointText.example)), ("aliro.element", .string("floor1")),
    ])
    func anotherOwnerIsAFault(key: String, value: SettingsEntry.Value) {
        #expect(faults(Self.polling + [Self.socket, Self.entry(key, value)]) == [key])
    }

    @Test(arguments: ["aliro.issuers", "aliro.issuer-authorities"])
    func otherIssuersAreAFault(key: String) {
        let list = [Self.entry(key, .array), Self.entry(key, .string(AliroPointText.example), index: 0)]
        #expect(faults(Self.polling + [Self.socket] + list) == [key])
    }

    @Test func itNeedsALockAndAReader() {
        #expect(faults(Self.polling) == ["matter.aliro"])
        #expect(faults([Self.socket, Self.entry("matter.aliro", .boolean(true))]) == ["matter.aliro"])
    }
}
