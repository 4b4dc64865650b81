// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Proximity
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Requests of an operator of the device itself.
@Suite struct AccessReaderOperatorTests {
    @Test func openingIsToldAndCounted() throws {
        var bench = try ReaderBench()
        _ = bench.takeNotices()
        let outcome1 = bench.reader.operate(.pulse, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(outcome1 == .done)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        let outcome2 = bench.reader.nextNotice()
        #expect(outcome2 == .door(.released(.pulse)))
        #expect(bench.reader.doorStatus.state == .unlocked && bench.reader.doorStatus.openings == 1)
        // What ends it is no opening.
        let outcome3 = bench.reader.operate(.officeOff, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(outcome3 == .done)
        let outcome4 = bench.reader.nextNotice()
        #expect(outcome4 == .door(.secured(after: .pulse)))
        #expect(bench.reader.doorStatus.openings == 1)
    }

    /// An operator's opening goes the way of a phone's: the record, the door, the answer, once each.
    @Test func anOpeningWaitsForItsRecord() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let moment = bench.moment
        let event = AuditEvent(
            .unlocked, at: AuditTime(moment, zone: .utc), channel: .control, command: "unlock", actor: "uid 0")
        bench.reader.effects = []
        bench.reader.open(.pulse, ticket: .control(7), event, at: bench.now)
        #expect(bench.reader.effects == [])
        #expect(bench.reader.openRequests == [OpenRequest(token: .operator(.control(7)), event: event)])
        bench.reader.effects = []
        bench.reader.decide(.operator(.control(7)), .ok, at: moment)
        #expect(bench.reader.effects.first == .door(.setLock(energised: true), since: nil))
        bench.reader.answerOpenings(port: &bench.port, at: moment)
        #expect(bench.reader.effects.contains(.operated(.control(7), .pulse, nil)))
        // Once is all.
        bench.reader.effects = []
        bench.decide(.operator(.control(7)), .ok)
        #expect(bench.reader.effects == [])
    }

    @Test(arguments: [(StatusCode.storageFull, DoorRefusal.logFull), (.unavailable, .notRecorded)])
    func anOpeningThatIsNotRecordedIsNone(status: StatusCode, answer: DoorRefusal) throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.open(.pulse, ticket: .control(1), AuditSample.event(), at: bench.now)
        bench.reader.effects = []
        bench.decide(.operator(.control(1)), status)
        #expect(bench.reader.effects == [.operated(.control(1), .pulse, answer)])
    }

    /// Recorded as opened, and the door had the last word.
    @Test func anOpeningThatTheDoorRefusesIsWithdrawn() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let moment = bench.moment
        bench.reader.lockdown(true, at: moment)
        let event = AuditEvent(
            .unlocked, at: AuditTime(moment, zone: .utc), channel: .control, command: "unlock", actor: "uid 0")
        bench.reader.open(.pulse, ticket: .control(1), event, at: bench.now)
        bench.reader.effects = []
        bench.decide(.operator(.control(1)), .ok)
        let withdrawn = AuditEvent(
            .withdrawn, at: event.time, channel: .control, command: "unlock", actor: "uid 0", detail: "lockdown")
        // The signs of a secured door: the red light of the lockdown goes off for a flash. Nothing of the lock.
        #expect(
            bench.reader.effects == [
                .door(.setIndicator(.denied, on: false), since: nil),
                .door(.setBuzzer(on: true), since: nil), .recorded(withdrawn),
                .operated(.control(1), .pulse, .lockdown),
            ])
    }

    @Test func aLockdownSecuresAndRefuses() throws {
        var bench = try ReaderBench()
        _ = bench.reader.operate(.officeOn, at: Moment(instant: bench.now, epochSeconds: nil))
        bench.reader.doorActions = []
        bench.reader.lockdown(true, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(bench.reader.doorActions.first == .setLock(energised: false))
        let outcome5 = bench.reader.operate(.pulse, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(outcome5 == .lockdown)
        #expect(bench.reader.doorStatus.state == .lockdown)
        bench.reader.lockdown(false, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(bench.reader.doorStatus.state == .secured)
        let isReset = bench.reader.resetTamper(at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(!isReset)
    }

    @Test func afterTheEndNothingOpens() throws {
        var bench = try ReaderBench()
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        bench.reader.doorActions = []
        let outcome6 = bench.reader.operate(.pulse, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(outcome6 == .inactive)
        #expect(bench.reader.doorActions == [])
    }

    /// Links to come have the new gate and time, the door's next pulse the new length; the fail mode stays.
    @Test func reconfiguringChangesWhatIsToCome() throws {
        var bench = try ReaderBench()
        var configuration = bench.reader.configuration
        var gate = ProximityGate.Configuration()
        gate.threshold = -30
        configuration.modes[1].gate = gate
        configuration.modes[1].address = .randomStatic(from: 99)
        configuration.maximumConnection = .milliseconds(700)
        configuration.maximumLinks = 1
        bench.reader.reconfigure(configuration, door: DoorConfiguration(pulse: .seconds(2), failMode: .safe))
        #expect(bench.reader.configuration.modes[1].gate == gate)
        #expect(bench.reader.configuration.modes[1].address == .randomStatic(from: 99))
        #expect(bench.reader.configuration.maximumConnection == .milliseconds(700))
        #expect(bench.reader.door.configuration.failMode == .secure)
        bench.reader.doorActions = []
        let outcome7 = bench.reader.operate(.pulse, at: Moment(instant: bench.now, epochSeconds: nil))
        #expect(outcome7 == .done)
        bench.pass(until: 1999)
        #expect(bench.reader.doorStatus.state == .unlocked)
        bench.pass(until: 2000)
        #expect(bench.reader.doorStatus.state == .secured)
        // −45 dBm was near before.
        let link = bench.connect(0, generation: 1, set: 1)
        bench.measure(link, -45)
        let notices = bench.takeNotices()
        #expect(!notices.contains(.near(link, median: -45)))
    }
}
