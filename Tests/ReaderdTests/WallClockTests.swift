// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// The reader's clock on a system's that the test moves.
@Suite struct WallClockTests {
    private final class Machine {
        var now = Instant.origin
        var system = WallClock.SystemTime(seconds: 1_795_262_400, isSynchronised: false)

        func pass(_ seconds: Int64) {
            now = now + .seconds(seconds)
            system.seconds += seconds
        }
    }

    private let machine: Machine
    private let clock: WallClock

    init() {
        let machine = Machine()
        self.machine = machine
        clock = WallClock(
            zone: TimeZoneRule(utcOffsetMinutes: 60), buildTime: 1_795_219_200, monotonic: { machine.now },
            system: { machine.system })
    }

    @Test func beforeItBeginsItShowsTheSystems() {
        #expect(clock.epochSeconds == 1_795_262_400 && clock.quality == .system && clock.nextDeadline == nil)
        machine.system.seconds = 0
        #expect(clock.epochSeconds == nil)
        #expect(clock.observe() == [])
    }

    /// A document that is valid from this second was refused up to a second long.
    @Test func secondsBeginWithThoseOfTheSystem() {
        machine.system.nanoseconds = 750_000_000
        #expect(clock.begin(marks: nil, lastEvent: nil) != [])
        machine.now = machine.now + .milliseconds(249)
        #expect(clock.epochSeconds == 1_795_262_400)
        machine.now = machine.now + .milliseconds(1)
        #expect(clock.epochSeconds == 1_795_262_401)
        // 100 minutes and their tenths later.
        for minute in 1...100 {
            machine.now = .origin + .milliseconds(60_100 * minute)
            let (seconds, milliseconds) = (750 + 60_100 * minute).quotientAndRemainder(dividingBy: 1000)
            machine.system.seconds = 1_795_262_400 + Int64(seconds)
            machine.system.nanoseconds = Int64(milliseconds) * 1_000_000
            #expect(clock.observe() == [])
            #expect(clock.epochSeconds == machine.system.seconds)
        }
    }

    @Test func whatAPhoneHasSetOutlastsARestart() throws {
        machine.system.seconds = 0
        #expect(clock.begin(marks: nil, lastEvent: nil) == [])
        #expect(clock.epochSeconds == nil && clock.quality == .unset)
        #expect(clock.nextDeadline == machine.now + .seconds(5))
        var events: [ReaderClock.Event] = []
        let outcome = clock.set(to: 1_795_262_400, by: .phone, into: &events)
        #expect(outcome == .done)
        #expect(events == [.wasSet(epochSeconds: 1_795_262_400), .quality(.set)])
        let marks = try #require(clock.marks)
        #expect(clock.quality == .phone && marks == ClockMarks(offset: 1_795_262_400, latest: 1_795_262_400))
        let kept = StoredContents(settings: [ClockMarks.setting: marks.octets])
        #expect(kept.clockMarks == marks)
        machine.pass(60)
        _ = clock.begin(marks: kept.clockMarks, lastEvent: nil)
        #expect(clock.epochSeconds == 1_795_262_460)
    }

    /// Octets that are no marks are those of a clock that no phone may move: what was used up is not known.
    @Test func marksThatAreNoneLetNoPhoneMoveTheClock() {
        let damaged = StoredContents(settings: [ClockMarks.setting: [1]])
        #expect(damaged.clockMarks == .exhausted(latest: 0))
        #expect(StoredContents(settings: [:]).clockMarks == nil)
        _ = clock.begin(marks: damaged.clockMarks, lastEvent: nil)
        var events: [ReaderClock.Event] = []
        for step in [-1, 1] as [Int64] {
            let outcome = clock.set(to: 1_795_262_400 + step, by: .phone, into: &events)
            #expect(outcome == (step < 0 ? .tooFarBack : .tooFarAhead))
        }
    }

    @Test func theSystemsClockIsLookedAtEachMinute() {
        _ = clock.begin(marks: nil, lastEvent: nil)
        machine.pass(59)
        machine.system.seconds += 10
        #expect(clock.observe() == [])
        machine.pass(1)
        #expect(clock.observe() == [.stepped(by: 10)])
        #expect(clock.auditTime.utcOffsetMinutes == 60 && clock.auditTime.epochSeconds == 1_795_262_470)
        machine.pass(60)
        machine.system.isSynchronised = true
        #expect(clock.observe() == [.quality(.synchronised)])
        var events: [ReaderClock.Event] = []
        let outcome = clock.set(to: 1_795_262_400, by: .phone, into: &events)
        #expect(outcome == .synchronised && events == [])
        #expect(clock.quality == .synchronised)
    }

    @Test func zonesComeFromTheConfiguration() throws {
        var settings = ReaderSettings()
        settings.reader.utcOffsetMinutes = -90
        #expect(try LocalZone.load(settings) == TimeZoneRule(utcOffsetMinutes: -90))
        settings.reader.timeZone = "Nowhere/At_All"
        #expect(throws: ReaderdError.self) { try LocalZone.load(settings) }
    }

    /// Zones of files: one with all it needs, one that is damaged, and one whose local times end before this build.
    @Test func zonesOfFiles() throws {
        let directory = try TemporaryDirectory()
        var settings = ReaderSettings()
        settings.reader.timeZone = "Zone"
        func load(_ octets: [UInt8]) throws -> TimeZoneRule {
            try directory.write("Zone", octets)
            return try LocalZone.load(settings, from: directory.path)
        }
        func block(_ changes: [UInt8]) -> [UInt8] {
            let header: [UInt8] = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 27)
            let counts: [UInt8] = [0, 0, 0, changes.isEmpty ? 0 : 1, 0, 0, 0, 1, 0, 0, 0, 4]
            let types: [UInt8] = (changes.isEmpty ? [] : [0]) + [0, 0, 0x0E, 0x10, 0, 0]
            return header + counts + changes + types + Array("CET\0".utf8)
        }
        let whole = block([]) + block([]) + Array("\nCET-1\n".utf8)
        #expect(try load(whole).offsetSeconds(at: 0) == 3600)
        let ended = block([]) + block([0, 0, 0, 0, 0x6A, 0x40, 0x64, 0x1B]) + Array("\n\n".utf8)
        for (file, expected) in [
            (Array(whole.dropLast()), "it is not a compiled time zone file"),
            (Array(whole.dropLast(2)) + [0x0A], "its rule is invalid at octet 4"),
            (ended, "has no rule for times after 2026-06-28"),
        ] {
            do {
                _ = try load(file)
                Issue.record("\(expected): it was taken")
            } catch {
                let text = "\(error)"
                #expect(text.hasPrefix("reader.time-zone: \(directory.path)/Zone") && text.contains(expected))
            }
        }
    }
}
