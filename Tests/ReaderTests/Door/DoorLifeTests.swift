// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing
import Timekeeping

@testable import Reader

/// A day in the life of a door: thousands of entries, office hours over midnight and the change to summer time, power
/// cuts, clock steps, a full log, and a contact that is stuck.
@Suite struct DoorLifeTests {
    /// 2026-03-28 12:00:00 UTC; the clocks go forward in the night that follows, at 01:00 UTC.
    static let start: Int64 = 1_774_699_200
    static let people = 4000
    /// Somebody comes every 20 s: the day has 22 h and 13 min.
    static let pause = 20
    static let powerCuts: Set<Int> = [500, 1501, 2600, 3777]
    static let stuck = 1200..<1300

    private func life() throws -> DoorLife {
        let zone = try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        let night = try #require(OfficeHours.Span(from: 22 * 60, to: 4 * 60))
        return try DoorLife(
            epochAtOrigin: Self.start, capacity: LogCapacity(records: 5000, whenFull: .refuse),
            hours: OfficeHours(spans: [night]), zone: zone)
    }

    private func name(_ number: Int) -> String { "P\(number)" }

    /// One person: in by a phone, by one that is not good, or out by the button.
    private func visit(_ number: Int, _ life: DoorLife) throws {
        if number % 10 == 9 { return try life.showBad(name(number)) }
        if number % 50 == 7 {
            // The shortest period that must not be overlooked (IEC 60839-11-1).
            try life.move(.exit, true)
            try life.run(for: .milliseconds(401))
            let isFree = life.isFree
            #expect(isFree, "out at \(number)")
            try life.move(.exit, false)
        } else {
            try life.show(name(number))
            if number % 100 == 0 {
                try life.run(for: .milliseconds(300))
                try life.show(name(number))
            }
        }
        guard life.isFree else { return }
        try life.run(for: .seconds(1))
        if !Self.stuck.dropFirst().contains(number) { try life.move(.contact, true) }
        if Self.powerCuts.contains(number) { try life.cutPower() }
        try life.run(for: .seconds(3))
        if !Self.stuck.contains(number) { try life.move(.contact, false) }
    }

    @Test func aDayOfDoorLife() throws {
        let life = try life()
        try life.move(.contact, false)
        for number in 0..<Self.people {
            try life.run(to: .origin + .seconds(70 + number * Self.pause))
            switch number {
            case 1000: try life.stepClock(by: 3600)
            case 1100: try life.stepClock(by: -3600)
            case Self.stuck.upperBound: try life.move(.contact, false)
            case 1900, 3750: try life.clearLog()
            default: break
            }
            try visit(number, life)
        }
        try life.run(for: .seconds(60))
        let isFree = life.isFree
        #expect(!isFree && life.violations == [])
        try check(life)
    }

    private func check(_ life: DoorLife) throws {
        let report = try life.verify()
        #expect(report.isSound && report.findings == [], "\(report.findings.prefix(3))")
        #expect(report.count >= 5000)

        // Nobody was let in unrecorded, and the full log let nobody in.
        let visitors = (0..<Self.people).filter { $0 % 10 != 9 && $0 % 50 != 7 }.count
        let refused = life.refusals[.storageFull] ?? 0
        #expect(refused > 0 && life.refusals.count == 1)
        let repeated = (0..<Self.people).filter { $0 % 100 == 0 }.count
        // One that was refused may be tried at once, and is refused again: no repeat.
        #expect(life.repeats > 0 && life.repeats <= repeated)
        #expect(life.acknowledged.count + refused == visitors + repeated - life.repeats)
        // At least the last block of records is still there, all of them acknowledged.
        #expect(Set(life.logged(.granted).map(\.credential)).isSubset(of: life.acknowledged))
        #expect(life.written[.logCleared] == 2)

        hours(life)
        stuckContact(life)
        let exits = life.doorEvents.count { $0.event == .exitRequest(active: true) }
        #expect(exits == (0..<Self.people).filter { $0 % 50 == 7 }.count)
        // Twice for each release, and once more for each power cut within one: the relay drops by itself then.
        #expect(life.lockEdges > 4000)
    }

    /// 22:00 in winter time is 21:00 UTC; the end of 04:00 in summer time, an hour earlier by UTC than the night
    /// before, is 02:01.
    private func hours(_ life: DoorLife) {
        let held = life.doorEvents.filter { $0.event == .released(.schedule) }.map(\.epoch)
        let ended = life.doorEvents.filter { $0.event == .secured(after: .schedule) }.map(\.epoch)
        #expect(held == [Self.start + 9 * 3600])
        #expect(ended == [Self.start + 14 * 3600 + 60])
    }

    /// One warning, one alarm, told again every five minutes, and its end.
    private func stuckContact(_ life: DoorLife) {
        let alarms = life.doorEvents.map(\.event)
        #expect(alarms.count { $0 == .heldOpenTooLong } == 1 && alarms.count { $0 == .heldOpenWarning } == 1)
        #expect(alarms.count { $0 == .restored(.heldOpenTooLong) } == 1)
        #expect(alarms.count { $0 == .alarmLasts(.heldOpenTooLong) } >= 5)
        #expect(!alarms.contains(.forced))
    }
}
