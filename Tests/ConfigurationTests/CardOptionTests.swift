// SPDX-License-Identifier: Apache-2.0

import Credentials
import Reader
import Testing

@testable import Configuration

/// Options of the kinds of card that are off by default: the mailbox of Aliro, and issuers of PKOC cards.
@Suite struct CardOptionTests {
    private static let point =
        "0452C6FF5B71DE65D83C75D393E249EC03894370515D0B229B1C6224681F2A5030"
        + "B6F323C20C20D021D611E087CF482F5297E6135CBEE6D3994832164E479E6E96"

    private func decoded(_ values: [(String, [SettingsEntry.Value])]) -> DecodedSettings {
        DecodedSettings(
            values.flatMap { path, values in
                values.count == 1
                    ? [SettingsEntry(path: path, value: values[0], line: 1, column: 1)]
                    : values.enumerated().map {
                        SettingsEntry(
                            path: path, index: $0.offset == 0 ? nil : $0.offset - 1, value: $0.element, line: 1,
                            column: 1)
                    }
            })
    }

    @Test("aliro.mailbox-read: an offset and a count, within the limits")
    func mailbox() {
        #expect(AliroSettings().mailbox == [])
        for (text, access) in [
            ("0/1", .read(offset: 0, count: 1)), ("4/64", .read(offset: 4, count: 64)),
            ("65471/64", .read(offset: 65_471, count: 64)),
        ] as [(String, AliroMailbox.Access)] {
            let settings = decoded([("aliro.mailbox-read", [.string(text)])]).settings
            #expect(settings.aliro.mailbox == [AliroMailbox([access])], "\(text)")
        }
        for text in ["", "4", "0/0", "0/65", "-1/4", "+1/4", "0/ 4", "65472/64", "65536/1", "0/4/4", "a/b"] {
            let diagnostics = decoded([("aliro.mailbox-read", [.string(text)])]).diagnostics
            #expect(diagnostics.contains { $0.severity == .fault && $0.key == "aliro.mailbox-read" }, "\(text)")
        }
    }

    @Test("credentials.pkoc-issuers: an identifier and a point; none by default")
    func issuers() throws {
        #expect(ReaderSettings().cardReading.pkocIssuers.isEmpty)
        let line = "0100000000000001 \(Self.point)"
        let settings = decoded([("credentials.pkoc-issuers", [.array, .string(line)])])
        #expect(settings.diagnostics.allSatisfy { $0.key != "credentials.pkoc-issuers" || $0.severity == .warning })
        let issuer = try #require(settings.settings.cardReading.pkocIssuers.first)
        #expect(issuer.identifier == Array("0100000000000001".utf8))
        for text in [
            "", Self.point, "0100000000000001", "010000000000000 \(Self.point)", "010000000000000a \(Self.point)",
            "0100000000000001  \(Self.point)", "0100000000000001 \(Self.point.dropLast(2))",
            "0100000000000001 \(Self.point.dropLast())7", "0100000000000001 \(Self.point) 1",
        ] {
            let diagnostics = decoded([("credentials.pkoc-issuers", [.array, .string(text)])]).diagnostics
            #expect(diagnostics.contains { $0.key.hasPrefix("credentials.pkoc-issuers") }, "\(text)")
        }
        // One more than fit, each once.
        let many = (10...26).map { SettingsEntry.Value.string("01000000000000\($0) \(Self.point)") }
        let diagnostics = decoded([("credentials.pkoc-issuers", [.array] + many)]).diagnostics
        #expect(diagnostics.contains { $0.key == "credentials.pkoc-issuers" && $0.text.contains("16 are the most") })
    }

    @Test("Numbers of four to seven octets need issuers", arguments: ["osdp", "wiegand"])
    func shortNumbers(_ panel: String) {
        let issuers = (
            "credentials.pkoc-issuers", [SettingsEntry.Value.array, .string("0100000000000001 \(Self.point)")]
        )
        for bits in [32, 40, 48, 56, 64, 75, 256] as [Int] {
            let number = ("\(panel).pkoc-bits", [SettingsEntry.Value.integer(Int64(bits))])
            let without = decoded([number]).diagnostics.filter { $0.severity == .fault && $0.key == number.0 }
            #expect(without.isEmpty == (bits >= 64), "\(bits)")
            let with = decoded([number, issuers]).diagnostics.filter { $0.severity == .fault && $0.key == number.0 }
            #expect(with.isEmpty, "\(bits)")
        }
    }
}
