// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Testing

@testable import Configuration

@Suite struct CredentialSettingsTests {
    private func list(_ key: String, _ texts: [String]) -> [SettingsEntry] {
        [SettingsEntry(path: "credentials.\(key)", value: .array, line: 1, column: 1)]
            + texts.enumerated().map {
                SettingsEntry(path: "credentials.\(key)", index: $0, value: .string($1), line: $0 + 2, column: 3)
            }
    }

    @Test func defaultsTakeCredentialsAndListNobody() {
        #expect(DecodedSettings().settings.credentialPolicy == CredentialPolicy(siteID: 1, doorID: 1))
        #expect(DecodedSettings().settings.credentials.blacklistCapacity == 1600)
        #expect(!DecodedSettings().settings.credentialPolicy.takesInterventionMedia)
        #expect(DecodedSettings().settings.credentialPolicy.takesMasterGroup)
    }

    @Test func everythingIsTakenOver() throws {
        let entries =
            [
                SettingsEntry(path: "reader.site-id", value: .integer(7), line: 1, column: 1),
                SettingsEntry(path: "reader.door-id", value: .integer(65_535), line: 2, column: 1),
                SettingsEntry(path: "credentials.oss-so", value: .boolean(false), line: 3, column: 1),
                SettingsEntry(path: "credentials.carried-blacklist", value: .boolean(false), line: 4, column: 1),
                SettingsEntry(path: "credentials.master-group", value: .boolean(false), line: 5, column: 1),
                SettingsEntry(path: "credentials.intervention-media", value: .boolean(true), line: 6, column: 1),
            ] + list("groups", ["7", "12 mon-fri 08:00-18:00", "12 sat,sun 10:00-24:00 300-60"])
            + list("sid-allow", ["CRED000001", "X"])
        let decoded = DecodedSettings(entries)
        #expect(decoded.diagnostics == [])
        let first = DoorGroup.Schedule(
            weekdays: 0x1F, period: try OSSTimePeriod(fromHour: 8, fromMinute: 0, toHour: 18, toMinute: 0))
        let second = DoorGroup.Schedule(
            firstDay: 300, lastDay: 60, weekdays: 0x60,
            period: try OSSTimePeriod(fromHour: 10, fromMinute: 0, toHour: 24, toMinute: 0))
        #expect(
            decoded.settings.credentialPolicy
                == CredentialPolicy(
                    siteID: 7, doorID: 65_535,
                    groups: [DoorGroup(id: 7), DoorGroup(id: 12, schedules: [first, second])],
                    takesStandardOffline: false, takesMasterGroup: false, takesInterventionMedia: true,
                    takesCarriedBlacklist: false,
                    secureIdentifiers: [
                        try #require(OSSCredentialID("CRED000001")), try #require(OSSCredentialID("X")),
                    ]))
    }

    @Test func groupLines() {
        let good: [(String, UInt8?)] = [
            ("1", nil), ("65535", nil), (" 7 ", nil), ("7 mon 08:00-18:00", 0x01), ("7 fri-mon 00:00-24:00", 0x71),
            ("7 mon,wed,fri-sun 08:00-18:58", 0x75), ("7 mon-sun 08:00-18:00 1-366", 0x7F),
        ]
        for (text, weekdays) in good {
            let line = GroupLine(text)
            #expect(line != nil && line?.schedule?.weekdays == weekdays, "\(text)")
        }
        let bad = [
            "", "0", "65536", "-7", "+7", "7 mon", "7 mon 08:00", "7 day 08:00-18:00", "7 mon 8:00-18:00",
            "7 mon 08:00-18:59", "7 mon 18:00-08:00", "7 mon 08:00-24:01", "7 mon 08:00-18:00 0-10",
            "7 mon 08:00-18:00 1-367", "7 mon 08:00-18:00 1-", "7 mon 08:00-18:00 1-2 3", "7 mon- 08:00-18:00",
            "7 , 08:00-18:00", "7 mon 08-00:18-00", "seven",
        ]
        for text in bad { #expect(GroupLine(text) == nil, "\(text)") }
        // The master group is a credential's, and never a door's.
        #expect(GroupLine("0", takesMasterGroup: true)?.id == 0)
        #expect(GroupLine("-0", takesMasterGroup: true) == nil && GroupLine("65536", takesMasterGroup: true) == nil)
    }

    @Test func faultsNameTheirLine() {
        func diagnostics(_ entries: [SettingsEntry]) -> [String] {
            DecodedSettings(entries).diagnostics.map(\.description)
        }
        #expect(diagnostics(list("sid-allow", ["A", "A"])) == ["3: credentials.sid-allow: \"A\" is listed twice"])
        #expect(
            diagnostics(list("sid-allow", ["12345678901"])) == [
                "2: credentials.sid-allow: \"12345678901\" is not a credential identifier: needs 1 to 10 ASCII "
                    + "characters"
            ])
        #expect(
            diagnostics(list("groups", ["7 noon"])).first?.hasPrefix("2: credentials.groups: \"7 noon\" is not a group")
                == true)
        #expect(
            diagnostics(list("groups", ["7", "7 mon 08:00-18:00"])) == [
                "1: credentials.groups: group 7 is listed with and without a schedule, or repeatedly without: keep "
                    + "one kind"
            ])
        let five = (1...5).map { "7 mon 0\($0):00-18:00" }
        #expect(
            diagnostics(list("groups", five)) == [
                "1: credentials.groups: group 7 has 5 schedules: at most 4 are possible"
            ])
    }
}
