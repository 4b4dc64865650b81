// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing
import Timekeeping

@testable import Configuration

/// The keys of the door and its lines.
@Suite struct DoorSettingsTests {
    private func entries(_ values: [(String, SettingsEntry.Value)]) -> [SettingsEntry] {
        values.enumerated().map { SettingsEntry(path: $1.0, value: $1.1, line: $0 + 1, column: 1) }
    }

    private func list(_ path: String, _ values: [String], line: Int) -> [SettingsEntry] {
        [SettingsEntry(path: path, value: .array, line: line, column: 1)]
            + values.enumerated().map {
                SettingsEntry(path: path, index: $0, value: .string($1), line: line + $0, column: 2)
            }
    }

    @Test func theDefaultsAreTheDoors() {
        #expect(ReaderSettings().door.configuration == DoorConfiguration())
        #expect(ReaderSettings().door.officeHours == OfficeHours())
        #expect(DoorInput.allCases.allSatisfy { ReaderSettings().gpio.debounceMilliseconds(of: $0) == 20 })
        #expect(InputDebouncer.defaultTime == .milliseconds(20))
    }

    @Test func everyKeyReachesTheDoor() throws {
        let decoded = DecodedSettings(
            entries([
                ("door.extended-s", .integer(60)), ("door.relock", .string("on-close")),
                ("door.exit-request", .string("mask")), ("door.fire-releases", .boolean(false)),
                ("door.tamper", .string("block")), ("door.open-time-s", .integer(90)),
                ("door.open-warning-s", .integer(15)), ("door.alarm-repeat-s", .integer(600)),
                ("door.shunt-ms", .integer(500)), ("door.lockout-attempts", .integer(5)),
                ("door.lockout-s", .integer(45)), ("door.longest-lockout-s", .integer(90)),
                ("door.re-arm-ms", .integer(1500)), ("door.schedule-waits-for-user", .boolean(true)),
                ("gpio.contact", .string("DOOR")),
                ("gpio.rex", .string("REX")), ("gpio.fire", .string("FIRE")), ("gpio.tamper", .string("TAMPER")),
                ("gpio.debounce-ms", .integer(10)), ("gpio.fire-debounce-ms", .integer(50)),
            ]) + list("door.schedules", ["mon-fri 08:00-18:00", "sat 22:00-02:00 300-60"], line: 20)
                + list("door.closed-days", ["12-25", "2026-12-24"], line: 22)
                + list("gpio.active-low", ["lock", "rex"], line: 24) + list("gpio.pull-up", ["rex"], line: 26)
                + list("gpio.pull-down", ["fire"], line: 27))
        #expect(decoded.diagnostics == [])
        let settings = decoded.settings
        var door = DoorConfiguration()
        door.extended = .seconds(60)
        door.relock = .onClose
        door.exitRequest = .mask
        door.fireReleases = false
        door.tamper = .block
        door.scheduleWaitsForUser = true
        door.contact.permittedOpen = .seconds(90)
        door.contact.warning = .seconds(15)
        door.contact.alarmRepeat = .seconds(600)
        door.contact.shunt = .milliseconds(500)
        door.lockout.attempts = 5
        door.lockout.firstPause = .seconds(45)
        door.lockout.longestPause = .seconds(90)
        #expect(settings.door.configuration == door)
        #expect(settings.door.reArmMilliseconds == 1500)
        #expect(
            settings.door.officeHours.spans == [
                try #require(OfficeHours.Span(from: 480, to: 1080, weekdays: 0b0001_1111)),
                try #require(
                    OfficeHours.Span(from: 1320, to: 120, weekdays: 0b0010_0000, firstDay: 300, lastDay: 60)),
            ])
        #expect(settings.door.officeHours.closedDays.list.map(\.name) == ["12-25", "2026-12-24"])
        #expect(DoorInput.allCases.map { settings.gpio.text(of: $0) } == ["DOOR", "REX", "FIRE", "TAMPER"])
        #expect(DoorInput.allCases.map { settings.gpio.debounceMilliseconds(of: $0) } == [10, 10, 50, 10])
        #expect(DoorInput.allCases.map { settings.gpio.isActiveLow($0) } == [false, true, false, false])
        #expect(settings.gpio.pulledUp == [.exit] && settings.gpio.pulledDown == [.fire])
    }

    /// Without the key, the longest lockout is derived from the first.
    @Test(arguments: [(1, 300), (30, 300), (31, 310), (3600, 36_000)])
    func theLongestLockoutOfAFileWithoutIt(first: Int, longest: Int) {
        let decoded = DecodedSettings(entries([("door.lockout-s", .integer(Int64(first)))]))
        #expect(decoded.settings.door.configuration.lockout.longestPause == .seconds(longest))
    }

    @Test func aLongestLockoutBelowTheFirstIsAFault() {
        func told(_ longest: Int64) -> [String] {
            DecodedSettings(entries([("door.longest-lockout-s", .integer(longest))])).diagnostics.map(\.description)
        }
        #expect(told(30) == [])
        #expect(
            told(29) == [
                "1: door.longest-lockout-s: 29 s is below the duration of the first lockout, 30 s: needs lockout-s or "
                    + "more"
            ])
    }

    @Test func faultsHaveTheirLines() {
        let told = DecodedSettings(
            entries([
                ("door.relock", .string("sometimes")), ("door.shunt-ms", .integer(-1)),
                ("door.open-time-s", .integer(10)), ("gpio.debounce-ms", .integer(400)),
                ("gpio.rex-debounce-ms", .integer(201)),
            ]) + list("door.schedules", ["mon-fri 08:00-18:00", "monday"], line: 10)
                + list("door.closed-days", ["02-30"], line: 20) + list("gpio.pull-up", ["lock"], line: 30)
        ).diagnostics.map(\.description)
        #expect(
            told == [
                "1: door.relock: \"sometimes\" is unknown: needs \"never\", \"on-open\" or \"on-close\"",
                "2: door.shunt-ms: -1 is out of range: needs a whole number from 0 to 60000",
                "3: door.open-time-s: the warning, 10 s before the alarm, would begin at the opening: needs "
                    + "open-warning-s below open-time-s",
                "4: gpio.debounce-ms: 400 is out of range: needs a whole number from 0 to 200",
                "5: gpio.rex-debounce-ms: 201 is out of range: needs a whole number from 0 to 200",
                "11: door.schedules: \"monday\" is not a time period: needs weekdays and times as in "
                    + "\"mon-fri 08:00-18:00\", up to 24:00, and days of the year from 1 to 366",
                "20: door.closed-days: \"02-30\" \(HolidayLine.problem)",
                "30: gpio.pull-up: \"lock\" is unknown: needs \"contact\", \"rex\", \"fire\" or \"tamper\"",
            ])
    }

    @Test func keysThatDoNotGoTogether() {
        #expect(
            DecodedSettings(entries([("door.relock", .string("on-open"))])).diagnostics.map(\.description) == [
                "1: warning: door.relock: has no effect without gpio.contact"
            ])
        let pulled = DecodedSettings(list("gpio.pull-up", ["rex"], line: 1) + list("gpio.pull-down", ["rex"], line: 2))
        #expect(
            pulled.diagnostics.map(\.description) == ["2: gpio.pull-down: \"rex\" is also in pull-up: remove one"]
        )
        let many = DecodedSettings(
            list(
                "door.closed-days", (1...367).map { "\(2000 + $0)-12-24" }, line: 1))
        #expect(
            many.diagnostics.map(\.description) == ["1: door.closed-days: has 367 lines: at most 366 are possible"])
    }
}
