// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// A door with simulated lines on a virtual clock.
private final class Rig {
    var door: Door
    var lines = SimulatedLines()
    var actions: [DoorAction] = []
    var now = Instant.origin

    var isUnlocked: Bool { door.isUnlocked }
    var nextDeadline: Instant? { door.nextDeadline }

    init(_ configuration: DoorConfiguration = DoorConfiguration()) {
        door = Door(configuration)
    }

    /// Hands the door's actions to the lines and returns them.
    @discardableResult func perform(
        _ input: (inout Door, Instant, inout [DoorAction]) -> Void
    ) -> [DoorAction] {
        actions.removeAll(keepingCapacity: true)
        input(&door, now, &actions)
        for action in actions { lines.apply(action, at: now) }
        return actions
    }

    @discardableResult func start() -> [DoorAction] { perform { $0.start(at: $1, into: &$2) } }
    @discardableResult func grant() -> [DoorAction] { perform { $0.grant(at: $1, into: &$2) } }
    @discardableResult func deny() -> [DoorAction] { perform { $0.deny(at: $1, into: &$2) } }
    @discardableResult func shutdown() -> [DoorAction] { perform { $0.shutdown(at: $1, into: &$2) } }

    /// Lets the clock run to `milliseconds`, calling the door when it asks to be.
    func run(to milliseconds: Int64) {
        let end = at(milliseconds)
        while let deadline = door.nextDeadline, deadline <= end {
            #expect(deadline > now)
            now = deadline
            perform { $0.advance(to: $1, into: &$2) }
        }
        now = end
    }

    /// The edges of one output as (milliseconds, level).
    func edges(_ output: DoorOutput) -> [Edge] {
        lines.edges(of: output).map { Edge(at: ($0.instant - .origin).wholeMilliseconds, level: $0.level) }
    }
}

private struct Edge: Equatable {
    var at: Int64
    var level: Bool
}

private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

private func high(_ at: Int64) -> Edge { Edge(at: at, level: true) }
private func low(_ at: Int64) -> Edge { Edge(at: at, level: false) }

@Suite struct DoorTests {
    @Test func startDrivesEveryOutputLockFirst() {
        let secure = Rig()
        #expect(
            secure.start() == [
                .setLock(energised: false), .setIndicator(.granted, on: false), .setIndicator(.denied, on: false),
                .setBuzzer(on: false),
            ])
        #expect(secure.nextDeadline == nil)

        let safe = Rig(DoorConfiguration(failMode: .safe))
        #expect(safe.start().first == .setLock(energised: true))
        // Starting again drives them again: the lines may have been lost in between.
        #expect(safe.start().count == 4)
    }

    @Test func aGrantIsOnePulseOfExactlyTheConfiguredLength() {
        let rig = Rig(DoorConfiguration(pulse: .seconds(5)))
        rig.start()
        rig.run(to: 1000)
        #expect(
            rig.grant() == [.setLock(energised: true), .setIndicator(.granted, on: true), .setBuzzer(on: true)])
        #expect(rig.isUnlocked)
        rig.run(to: 60_000)
        #expect(rig.edges(.lock) == [low(0), high(1000), low(6000)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(1000), low(6000)])
        #expect(rig.edges(.deniedIndicator) == [low(0)])
        #expect(rig.edges(.buzzer) == [low(0), high(1000), low(1100)])
        #expect(!rig.isUnlocked)
    }

    @Test func pulseEndsToTheNanosecond() {
        let rig = Rig(DoorConfiguration(pulse: .nanoseconds(1_234_567_891)))
        rig.start()
        rig.now = Instant(nanoseconds: 77)
        rig.grant()
        rig.now = Instant(nanoseconds: 77 + 1_234_567_890)
        rig.perform { $0.advance(to: $1, into: &$2) }
        #expect(rig.lines.level(of: .lock) == true)
        #expect(rig.nextDeadline == Instant(nanoseconds: 77 + 1_234_567_891))
        rig.now = Instant(nanoseconds: 77 + 1_234_567_891)
        #expect(
            rig.perform { $0.advance(to: $1, into: &$2) } == [
                .setLock(energised: false), .setIndicator(.granted, on: false),
            ])
    }

    @Test func aSecondGrantStartsThePulseAgain() {
        let rig = Rig()
        rig.start()
        rig.grant()
        rig.run(to: 3000)
        // The lock is not named again, so it sees no edge.
        #expect(rig.grant() == [.setBuzzer(on: true)])
        rig.run(to: 60_000)
        #expect(rig.edges(.lock) == [low(0), high(0), low(8000)])
        #expect(rig.edges(.buzzer) == [low(0), high(0), low(100), high(3000), low(3100)])
    }

    @Test func aGrantAfterALateShellDoesNotGlitchTheRelay() {
        let rig = Rig()
        rig.start()
        rig.grant()
        // The shell did not call at 5000.
        rig.now = at(5001)
        #expect(!rig.grant().contains { $0.output == .lock })
        rig.run(to: 60_000)
        #expect(rig.edges(.lock) == [low(0), high(0), low(10_001)])
    }

    @Test func failSafeLockIsEnergisedWhileSecured() {
        let rig = Rig(DoorConfiguration(pulse: .seconds(2), failMode: .safe))
        rig.start()
        rig.run(to: 500)
        rig.grant()
        rig.run(to: 10_000)
        #expect(rig.edges(.lock) == [high(0), low(500), high(2500)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(500), low(2500)])
    }

    @Test func aDenialFlashesAndBeepsThreeTimesAndLeavesTheLock() {
        let rig = Rig()
        rig.start()
        rig.run(to: 1000)
        #expect(rig.deny() == [.setIndicator(.denied, on: true), .setBuzzer(on: true)])
        rig.run(to: 60_000)
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
        let rig = Rig()
        rig.start()
        rig.deny()
        rig.run(to: 50)
        // Its beep goes on as the grant's, 100 ms from now.
        #expect(
            rig.grant() == [
                .setLock(energised: true), .setIndicator(.granted, on: true), .setIndicator(.denied, on: false),
            ])
        rig.run(to: 60_000)
        #expect(rig.edges(.deniedIndicator) == [low(0), high(0), low(50)])
        #expect(rig.edges(.buzzer) == [low(0), high(0), low(150)])
    }

    @Test func aDenialDoesNotShortenAPulse() {
        let rig = Rig()
        rig.start()
        rig.grant()
        rig.run(to: 4000)
        rig.deny()
        rig.run(to: 60_000)
        #expect(rig.edges(.lock) == [low(0), high(0), low(5000)])
        #expect(rig.edges(.grantedIndicator) == [low(0), high(0), low(5000)])
        #expect(rig.edges(.deniedIndicator).count == 7)
    }

    @Test func aDenialAfterThePulsesEndSecuresAtOnce() {
        let rig = Rig()
        rig.start()
        rig.grant()
        rig.now = at(5000)
        #expect(rig.deny().first == .setLock(energised: false))
    }

    @Test func aLateAdvanceGivesThePresentLevelsOnly() {
        let rig = Rig()
        rig.start()
        rig.deny()
        rig.now = at(1250)
        // Three flashes and beeps were missed; nothing is made up for.
        #expect(
            rig.perform { $0.advance(to: $1, into: &$2) } == [.setIndicator(.denied, on: false), .setBuzzer(on: false)]
        )
        #expect(rig.nextDeadline == nil)
    }

    @Test func anEarlyAdvanceDoesNothing() {
        let rig = Rig()
        rig.start()
        rig.grant()
        rig.now = at(99)
        #expect(rig.perform { $0.advance(to: $1, into: &$2) } == [])
        #expect(rig.nextDeadline == at(100))
    }

    @Test(arguments: DoorConfiguration.FailMode.allCases)
    func shutdownTakesTheCurrentAway(failMode: DoorConfiguration.FailMode) {
        let rig = Rig(DoorConfiguration(failMode: failMode))
        rig.start()
        rig.grant()
        rig.run(to: 50)
        rig.shutdown()
        for output in DoorOutput.allCases { #expect(rig.lines.level(of: output) == false) }
        #expect(rig.nextDeadline == nil)
        #expect(!rig.isUnlocked)
    }

    @Test func shutdownFreesASecuredFailSafeDoor() {
        let rig = Rig(DoorConfiguration(failMode: .safe))
        rig.start()
        #expect(rig.shutdown() == [.setLock(energised: false)])
    }

    @Test func nothingOpensADoorThatIsNotRunning() {
        let rig = Rig()
        #expect(rig.grant() == [])
        #expect(rig.deny() == [])
        #expect(rig.shutdown() == [])
        rig.start()
        rig.shutdown()
        rig.now = at(10)
        #expect(rig.grant() == [])
        #expect(rig.perform { $0.advance(to: $1, into: &$2) } == [])
        #expect(rig.nextDeadline == nil)
    }

    @Test func theEndOfTimeIsNoOverflow() {
        let rig = Rig()
        rig.start()
        rig.now = Instant(nanoseconds: .max - 10)
        rig.grant()
        #expect(rig.isUnlocked)
        rig.now = Instant(nanoseconds: .max)
        rig.perform { $0.advance(to: $1, into: &$2) }
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
        let rig = Rig()
        rig.start()
        rig.grant()
        rig.run(to: 4999)
        rig.now = at(5000)
        #expect(rig.perform { $0.advance(to: $1, into: &$2) }.first == .setLock(energised: false))
        rig.door.failed(.lock, at: at(5000))
        #expect(rig.nextDeadline == at(6000))
        rig.now = at(6000)
        #expect(rig.perform { $0.advance(to: $1, into: &$2) } == [.setLock(energised: false)])
        #expect(rig.nextDeadline == nil)
    }

    @Test(arguments: DoorOutput.allCases) func anyOutputThatFailedIsSetWithTheNextChange(_ output: DoorOutput) {
        let rig = Rig()
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
