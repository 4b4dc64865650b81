// SPDX-License-Identifier: Apache-2.0

import CBOR
import Configuration
import Reader
import Testing
import Timekeeping

@testable import Remote

/// The settings of a desired state: the file's types and ranges, and only what a back end may set.
@Suite struct DesiredSettingsTests {
    private static let all: [String: CBORValue] = [
        "reader.utc-offset-minutes": .integer(-60), "advertising.interval-ms": .integer(200),
        "links.max-connection-ms": .integer(4000),
        "credentials.groups": .array([.text("7 mon-fri 08:00-18:00"), .text("9")]),
        "credentials.carried-blacklist": .boolean(false), "door.pulse-s": .integer(7),
        "door.extended-s": .integer(40), "door.closed-days": .array([.text("12-24")]),
        "reader.holidays": .array([.text("Good Friday: easter-2"), .text("12-25..12-26")]),
    ]

    @Test func eachSettingTakesTheFilesPlace() throws {
        #expect(Set(Self.all.keys) == Set(PushedSetting.allCases.map(\.rawValue)))
        let desired = try #require(DesiredSettings(Self.all))
        var file = ReaderSettings()
        file.reader.timeZone = "Europe/Berlin"
        let result = desired.applied(to: file, permitted: OwnedPart.allCases)
        #expect(result.reader.utcOffsetMinutes == -60 && result.reader.timeZone == nil)
        #expect(result.advertising.intervalMilliseconds == 200)
        #expect(result.links.maximumConnectionMilliseconds == 4000)
        #expect(result.credentialPolicy.groups.map(\.id) == [7, 9])
        #expect(!result.credentialPolicy.takesCarriedBlacklist)
        #expect(result.door.officeHours.closedDays.list.map(\.name) == ["12-24"])
        #expect(result.credentialPolicy.holidays.list.map(\.name) == ["Good Friday", "12-25..12-26"])
        #expect(result.door.configuration.pulse == .seconds(7) && result.door.configuration.extended == .seconds(40))
        let one = desired.applied(to: file, permitted: [.blacklist, .setting(.pulse)])
        file.door = result.door
        file.door.extendedSeconds = ReaderSettings().door.extendedSeconds
        file.door.closedDays = []
        #expect(one == file, "what is not permitted stays the file's")
    }

    @Test(
        arguments: [
            ("door.pulse-s", .integer(0)), ("door.pulse-s", .integer(301)), ("door.pulse-s", .text("5")),
            ("door.pulse-s", .array([.integer(5)])), ("door.pulse-s", .null), ("door.pulse-s", .octets([5])),
            ("door.fail-mode", .text("secure")), ("link.may", .array([.text("pulse")])), ("blacklist", .array([])),
            ("credentials.groups", .array([.text("7 never")])), ("credentials.groups", .array([.array([])])),
            ("reader.holidays", .array([.text("easter"), .text("easters")])), ("reader.holidays", .text("12-25")),
            ("credentials.groups", .text("7")), ("credentials.groups", .array([.text("7"), .text("7")])),
            ("credentials.groups", .array([.text("7"), .text("7 mon-fri 08:00-18:00")])),
        ] as [(String, CBORValue)]) func refused(key: String, value: CBORValue)
    {
        #expect(DesiredSettings([key: value]) == nil)
    }

    /// For `check-config --print`.
    @Test func whatIsKeptIsRead() throws {
        let desired = try #require(DesiredSettings(Self.all))
        let record = DesiredRecord(version: 7, digest: [UInt8](repeating: 1, count: 32), settings: desired)
        let kept = try #require(DesiredState.kept(record.octets))
        #expect(kept.version == 7 && kept.settings == desired)
        #expect(DesiredState.kept(Array(record.octets.dropLast())) == nil && DesiredState.kept([]) == nil)
        let permitted: [OwnedPart] = [.blacklist, .setting(.pulse), .setting(.holidays)]
        #expect(desired.keys(permitted) == ["door.pulse-s", "reader.holidays"])
    }

    @Test func noneIsNone() {
        #expect(DesiredSettings([:]) == DesiredSettings())
        #expect(DesiredSettings().applied(to: ReaderSettings(), permitted: OwnedPart.allCases) == ReaderSettings())
    }
}
