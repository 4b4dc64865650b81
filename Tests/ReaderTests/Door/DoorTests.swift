// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

private struct Edge: Equatable {
    var at: Int64
    var level: Bool
}

private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

extension DoorRig {
    /// The edges of one output.
    fileprivate func edges(_ output: DoorOutput) -> [Edge] {
        lines.edges(of: output).map { Edge(at: ($0.instant - .origin).wholeMilliseconds, level: $0.level) }
    }
}

private func high(_ at: Int64) -> Edge { Edge(at: at, level: true) }
private func low(_ at: Int64) -> Edge { Edge(at: at, level: false) }

@Suite struct DoorTests {
    @Test func startDrivesEveryOutputLockFirst() {
        let secure = DoorRig(stopped: DoorConfiguration())
        #expect(
            secure.start() == [
                .setLock(energised: false), .setIndicator(.granted, on: false), .setIndicator(.denied, on: false),
                .setBuzzer(on: false),
            ])
        #expect(secure.nextDeadline == nil)

        let safe = DoorRig(stopped: DoorConfiguration(failMode: .safe))
        #expect(safe.start().first == .setLock(energised: true))
        // Starting again drives them again: the lines may have been lost in between.
        #expect(safe.start().count == 4)
    }

    @Test func aGrantIsOnePulseOfExactlyTheConfiguredLength() {
        let rig = DoorRig(stopped: DoorConfiguration(pulse: .seconds(5)))
        rig.start()
        rig.run(until: at(1000))
        #expect(
            rig.grant() == [.setLock(energised: true), .setIndicator(.granted, on: true), .setBuzzer(on: true)])
        #expect(rig.isUnlocked)
        rig.run(until: at(60_000))
        #expect(rig.edges(.lock) == [low(0), high(1000), low(6000)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(1000), low(6000)])
        #expect(rig.edges(.deniedIndicator) == [low(0)])
        #expect(rig.edges(.buzzer) == [low(0), high(1000), low(1100)])
        #expect(!rig.isUnlocked)
    }

    @Test func pulseEndsToTheNanosecond() {
        let rig = DoorRig(stopped: DoorConfiguration(pulse: .nanoseconds(1_234_567_891)))
        rig.start()
        rig.now = Instant(nanoseconds: 77)
        rig.grant()
        rig.now = Instant(nanoseconds: 77 + 1_234_567_890)
        rig.advance()
        #expect(rig.lines.level(of: .lock) == true)
        #expect(rig.nextDeadline == Instant(nanoseconds: 77 + 1_234_567_891))
        rig.now = Instant(nanoseconds: 77 + 1_234_567_891)
        #expect(
            rig.advance() == [
                .setLock(energised: false), .setIndicator(.granted, on: false),
            ])
    }

    @Test func aSecondGrantStartsThePulseAgain() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        rig.run(until: at(3000))
        // The lock is not named again, so it sees no edge.
        #expect(rig.grant() == [.setBuzzer(on: true)])
        rig.run(until: at(60_000))
        #expect(rig.edges(.lock) == [low(0), high(0), low(8000)])
        #expect(rig.edges(.buzzer) == [low(0), high(0), low(100), high(3000), low(3100)])
    }

    @Test func aGrantAfterALateShellDoesNotGlitchTheRelay() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        // The shell did not call at 5000.
        rig.now = at(5001)
        #expect(!rig.grant().contains { $0.output == .lock })
        rig.run(until: at(60_000))
        #expect(rig.edges(.lock) == [low(0), high(0), low(10_001)])
    }

    @Test func failSafeLockIsEnergisedWhileSecured() {
        let rig = DoorRig(stopped: DoorConfiguration(pulse: .seconds(2), failMode: .safe))
        rig.start()
        rig.run(until: at(500))
        rig.grant()
        rig.run(until: at(10_000))
        #expect(rig.edges(.lock) == [high(0), low(500), high(2500)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(500), low(2500)])
    }

    @Test func aDenialFlashesAndBeepsThreeTimesAndLeavesTheLock() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.run(until: at(1000))
        #expect(rig.deny() == [.setIndicator(.denied, on: true), .setBuzzer(on: true)])
        rig.run(until: at(60_000))
        #expect(rig.edges(.lock) == [low(0)])
        #expect(rig.edges(.grantedIndicator) == [low(0)])
        #expect(
            rig.edges(.deniedIndicator) == [
                low(0), high(1000), low(1200), high(1400), low(1600), high(1800), low(2000),
            ])
        #expect(
            rig.edges(.buzzer) == [low(0), high(1000), low(1100), high(1200), low(1300), high(1400), low(1500)])
        #expect(rig.nextDeadline == nil)
    }

    @Test func aGrantEndsTheSignalsOfADenial() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.deny()
        rig.run(until: at(50))
        // Its beep goes on as the grant's, 100 ms from now.
        #expect(
            rig.grant() == [
                .setLock(energised: true), .setIndicator(.granted, on: true), .setIndicator(.denied, on: false),
            ])
        rig.run(until: at(60_000))
        #expect(rig.edges(.deniedIndicator) == [low(0), high(0), low(50)])
        #expect(rig.edges(.buzzer) == [low(0), high(0), low(150)])
    }

    @Test func aDenialDoesNotShortenAPulse() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        rig.run(until: at(4000))
        rig.deny()
        rig.run(until: at(60_000))
        #expect(rig.edges(.lock) == [low(0), high(0), low(5000)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(0), low(5000)])
        #expect(rig.edges(.deniedIndicator).count == 7)
    }

    @Test func aDenialAfterThePulsesEndSecuresAtOnce() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        rig.now = at(5000)
        #expect(rig.deny().first == .setLock(energised: false))
    }

    @Test func aLateAdvanceGivesThePresentLevelsOnly() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.deny()
        rig.now = at(1250)
        // Three flashes and beeps were missed; nothing is made up for.
        #expect(
            rig.advance() == [.setIndicator(.denied, on: false), .setBuzzer(on: false)]
        )
        #expect(rig.nextDeadline == nil)
    }

    @Test func anEarlyAdvanceDoesNothing() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        rig.now = at(99)
        #expect(rig.advance() == [])
        #expect(rig.nextDeadline == at(100))
    }

    @Test(arguments: DoorConfiguration.FailMode.allCases)
    func shutdownTakesTheCurrentAway(failMode: DoorConfiguration.FailMode) {
        let rig = DoorRig(stopped: DoorConfiguration(failMode: failMode))
        rig.start()
        rig.grant()
        rig.run(until: at(50))
        rig.shutdown()
        for output in DoorOutput.allCases { #expect(rig.lines.level(of: output) == false) }
        #expect(rig.nextDeadline == nil)
        #expect(!rig.isUnlocked)
    }

    @Test func shutdownFreesASecuredFailSafeDoor() {
        let rig = DoorRig(stopped: DoorConfiguration(failMode: .safe))
        rig.start()
        #expect(rig.shutdown() == [.setLock(energised: false)])
    }

    @Test func nothingOpensADoorThatIsNotRunning() {
        let rig = DoorRig(stopped: DoorConfiguration())
        #expect(rig.grant() == [])
        #expect(rig.deny() == [])
        #expect(rig.shutdown() == [])
        rig.start()
        rig.shutdown()
        rig.now = at(10)
        #expect(rig.grant() == [])
        #expect(rig.advance() == [])
        #expect(rig.nextDeadline == nil)
    }

    @Test func theEndOfTimeIsNoOverflow() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.now = Instant(nanoseconds: .max - 10)
        rig.grant()
        #expect(rig.isUnlocked)
        rig.now = Instant(nanoseconds: .max)
        rig.advance()
        #expect(!rig.isUnlocked)
    }
}

@Suite struct SimulatedLinesTests {
    @Test func recordsChangesOnly() {
        var lines = SimulatedLines()
        #expect(lines.level(of: .lock) == nil)
        lines.apply(.setLock(energised: false), at: at(1))
        lines.apply(.setLock(energised: false), at: at(2))
        lines.apply(.setBuzzer(on: true), at: at(3))
        lines.apply(.setLock(energised: true), at: at(4))
        #expect(
            lines.edges == [
                SimulatedLines.Edge(at(1), .lock, false), SimulatedLines.Edge(at(3), .buzzer, true),
                SimulatedLines.Edge(at(4), .lock, true),
            ])
    }

    @Test func keepsTheNewestEdges() {
        var lines = SimulatedLines(capacity: 3)
        for number in 0..<10 { lines.apply(.setBuzzer(on: number.isMultiple(of: 2)), at: at(Int64(number))) }
        #expect(lines.edges.map(\.instant) == [at(7), at(8), at(9)])
        #expect(lines.level(of: .buzzer) == false)
    }

    /// A relay that keeps its current because one write failed would leave the door open until the next grant.
    @Test func anOutputThatFailedIsSetAgain() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.grant()
        rig.run(until: at(4999))
        rig.now = at(5000)
        #expect(rig.advance().first == .setLock(energised: false))
        rig.door.failed(.lock, at: at(5000))
        #expect(rig.nextDeadline == at(6000))
        rig.now = at(6000)
        #expect(rig.advance() == [.setLock(energised: false)])
        #expect(rig.nextDeadline == nil)
    }

    @Test(arguments: DoorOutput.allCases) func anyOutputThatFailedIsSetWithTheNextChange(_ output: DoorOutput) {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.start()
        rig.door.failed(output, at: at(0))
        rig.now = at(10)
        let actions = rig.deny()
        #expect(actions.contains { $0.output == output })
        rig.shutdown()
        rig.door.failed(output, at: at(20))
        #expect(rig.nextDeadline == nil)
    }
}
