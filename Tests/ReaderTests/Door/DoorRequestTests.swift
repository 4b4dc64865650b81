// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// Requests of entitled people to a door.
@Suite struct DoorRequestTests {
    @Test func extendedOpeningLastsItsTime() {
        let rig = DoorRig { $0.extended = .seconds(3600) }
        #expect(rig.ask(.extended) == .done)
        rig.run(to: 3599.9)
        #expect(rig.isFree)
        rig.run(to: 3600)
        #expect(!rig.isFree)
        #expect(
            rig.takeTimeline() == [
                "0.0 released(Reader.ReleaseCause.extended)", "3600.0 secured(after: Reader.ReleaseCause.extended)",
            ])
    }

    @Test func pulseNeverCutsAnExtendedOpeningShort() {
        let rig = DoorRig { $0.extended = .seconds(60) }
        rig.ask(.extended)
        rig.run(to: 10)
        rig.ask(.pulse)
        rig.run(to: 59.9)
        #expect(rig.isFree)
        rig.run(to: 61)
        #expect(!rig.isFree)
    }

    @Test func pulseAtTheEndOfAnExtendedOpeningLastsOn() {
        let rig = DoorRig { $0.extended = .seconds(60) }
        rig.ask(.extended)
        rig.run(to: 58)
        rig.ask(.pulse)
        rig.run(to: 62.9)
        #expect(rig.isFree)
        rig.run(to: 63)
        #expect(!rig.isFree)
        #expect(rig.lines.edges(of: .lock).count == 3, "no edge in between")
    }

    @Test func officeModeLastsUntilItIsSwitchedOff() {
        let rig = DoorRig()
        #expect(rig.ask(.officeOn) == .done)
        #expect(rig.state == .passage)
        rig.run(to: 86_400)
        #expect(rig.isFree && rig.isGreen)
        rig.ask(.officeOff)
        #expect(!rig.isFree && rig.state == .secured)
        #expect(rig.takeEvents() == [.released(.office), .secured(after: .office)])
    }

    @Test func toggleSwitchesOnAndOff() {
        let rig = DoorRig()
        rig.ask(.toggleOffice)
        #expect(rig.state == .passage)
        rig.ask(.toggleOffice)
        #expect(rig.state == .secured)
    }

    /// A pulse that is over and of which nobody has said so does not count as an open door.
    @Test func toggleAfterAnUnnoticedEndOfThePulseSwitchesOn() {
        let rig = DoorRig()
        rig.ask(.pulse)
        rig.now = rig.now + .seconds(6)
        rig.ask(.toggleOffice)
        #expect(rig.state == .passage)
    }

    @Test func scheduleOpensAndSecures() {
        let rig = DoorRig()
        rig.schedule(open: true)
        #expect(rig.state == .passage)
        rig.schedule(open: false)
        #expect(rig.state == .secured)
        #expect(rig.takeEvents() == [.released(.schedule), .secured(after: .schedule)])
    }

    @Test func endOfTheScheduleEndsOfficeModeToo() {
        let rig = DoorRig()
        rig.schedule(open: true)
        rig.ask(.officeOn)
        rig.schedule(open: false)
        #expect(!rig.isFree)
    }

    /// LockConfig, `openScheduleByUser`: nobody is in, so the door stays shut until the first one comes.
    @Test func scheduleThatWaitsForAUser() {
        let rig = DoorRig { $0.scheduleWaitsForUser = true }
        rig.schedule(open: true)
        #expect(!rig.isFree)
        rig.ask(.pulse)
        #expect(rig.state == .passage)
        rig.run(to: 100)
        #expect(rig.isFree)
        rig.schedule(open: false)
        rig.schedule(open: true)
        #expect(!rig.isFree, "each time anew")
    }

    /// Office mode switched off while the schedule holds the door open secures the door.
    @Test func officeOffInTheScheduleSecuresUntilSomebodyIsLetIn() {
        let rig = DoorRig()
        rig.schedule(open: true)
        rig.ask(.officeOff)
        #expect(!rig.isFree)
        rig.ask(.pulse)
        #expect(rig.state == .passage)
    }

    @Test func lockdownShutsEverybodyOut() {
        let rig = DoorRig()
        rig.schedule(open: true)
        rig.ask(.officeOn)
        rig.lockdown(true)
        #expect(rig.state == .lockdown && !rig.isFree && rig.isRed)
        for request in [DoorRequest.pulse, .extended, .officeOn, .toggleOffice, .pulseOf(.seconds(1))] {
            #expect(rig.ask(request) == .lockdown)
        }
        rig.run(to: 1000)
        #expect(!rig.isFree && rig.isRed)
        rig.lockdown(false)
        #expect(rig.state == .passage, "the schedule goes on")
        rig.schedule(open: false)
        #expect(!rig.isFree, "office mode by command has ended with the lockdown")
    }

    @Test func lockdownCanBeSaidTwice() {
        let rig = DoorRig()
        rig.lockdown(true)
        rig.lockdown(true)
        #expect(rig.takeEvents() == [.lockdown(active: true)])
    }

    /// The comparison is 2N's: five refused attempts, then 30 s for nobody.
    @Test func attemptLockoutAndItsBackOff() {
        let rig = DoorRig {
            $0.lockout.attempts = 5
            $0.lockout.longestPause = .seconds(100)
        }
        for pause in [30.0, 60, 100, 100] {
            let start = Double((rig.now - .origin).wholeMilliseconds) / 1000
            for _ in 0..<5 { rig.deny() }
            #expect(rig.ask(.pulse) == .lockedOut)
            rig.run(to: start + pause - 0.1)
            #expect(rig.ask(.pulse) == .lockedOut)
            rig.run(to: start + pause)
        }
        #expect(rig.ask(.pulse) == .done)
        for _ in 0..<4 { rig.deny() }
        #expect(rig.ask(.officeOff) == .done)
        rig.deny()
        #expect(rig.ask(.pulse) == .lockedOut, "securing the door ends no run")
        rig.run(to: Double((rig.now - .origin).wholeMilliseconds) / 1000 + 30)
        #expect(rig.ask(.pulse) == .done)
        for _ in 0..<4 { rig.deny() }
        #expect(rig.ask(.pulse) == .done, "a grant ends the run")
        #expect(rig.takeEvents().filter { $0 == .lockout(active: true) }.count == 5)
    }

    /// `door.longest-lockout-s` equal to `door.lockout-s`: no person in range shuts others out for longer than once.
    @Test func lockoutsOfTheSameDuration() {
        let rig = DoorRig {
            $0.lockout.attempts = 1
            $0.lockout.firstPause = .seconds(30)
            $0.lockout.longestPause = .seconds(30)
        }
        for start in stride(from: 0.0, to: 120, by: 30) {
            rig.deny()
            rig.run(to: start + 29.9)
            #expect(rig.ask(.pulse) == .lockedOut)
            rig.run(to: start + 30)
        }
        #expect(rig.ask(.pulse) == .done)
    }

    /// A reload shortens the next lockout, not the present one.
    @Test func aShorterLongestLockoutHoldsForTheNext() {
        var rule = LockoutRule()
        rule.attempts = 1
        var lockout = AttemptLockout(rule)
        _ = lockout.attemptRefused(at: .origin)
        #expect(lockout.until == .origin + .seconds(30))
        _ = lockout.expire(at: .origin + .seconds(30))
        rule.longestPause = .seconds(40)
        lockout.rule = rule
        _ = lockout.attemptRefused(at: .origin + .seconds(30))
        #expect(lockout.until == .origin + .seconds(70))
    }

    @Test func noLockoutUnlessConfigured() {
        let rig = DoorRig()
        for _ in 0..<1000 { rig.deny() }
        #expect(rig.ask(.pulse) == .done)
    }

    @Test func requestsOfADoorThatIsNotInUse() {
        let rig = DoorRig()
        rig.shutdown()
        #expect(rig.ask(.pulse) == .inactive)
        rig.exit(true)
        rig.fire(true)
        rig.contact(open: true)
        #expect(rig.takeEvents() == [] && !rig.isFree)
    }
}
