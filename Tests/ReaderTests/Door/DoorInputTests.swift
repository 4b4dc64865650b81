// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Reader

/// Contact, exits, fire and tamper. The numbers are the defaults; IEC 60839-11-1 wants the permitted open time to be 10
/// s or more, and configurable.
@Suite struct DoorInputTests {
    // MARK: - Contact

    @Test func doorThatIsLetOpenAndCloses() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.ask(.pulse)
        rig.run(to: 1)
        rig.contact(open: true)
        rig.run(to: 3)
        rig.contact(open: false)
        rig.run(to: 10)
        #expect(
            rig.takeTimeline() == [
                "0.0 released(Reader.ReleaseCause.pulse)", "1.0 opened", "3.0 closed",
                "5.0 secured(after: Reader.ReleaseCause.pulse)",
            ])
    }

    @Test func doorThatStandsOpen() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.ask(.pulse)
        rig.run(to: 1)
        rig.contact(open: true)
        rig.run(to: 700)
        rig.contact(open: false)
        #expect(
            rig.takeTimeline() == [
                "0.0 released(Reader.ReleaseCause.pulse)", "1.0 opened",
                "5.0 secured(after: Reader.ReleaseCause.pulse)",
                "21.0 heldOpenWarning", "31.0 heldOpenTooLong", "331.0 alarmLasts(Reader.ContactAlarm.heldOpenTooLong)",
                "631.0 alarmLasts(Reader.ContactAlarm.heldOpenTooLong)", "700.0 closed",
                "700.0 restored(Reader.ContactAlarm.heldOpenTooLong)",
            ])
        #expect(!rig.isSounding && !rig.isRed)
    }

    @Test func warningAndAlarmSound() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.ask(.pulse)
        rig.contact(open: true)
        rig.run(to: 19.9)
        #expect(!rig.isSounding)
        rig.run(to: 20.05)
        #expect(rig.isSounding)
        rig.run(to: 20.15)
        #expect(!rig.isSounding)
        rig.run(to: 30.1)
        #expect(rig.isSounding && rig.isRed)
        rig.run(to: 30.4)
        #expect(rig.isSounding && !rig.isRed)
        rig.run(to: 30.6)
        #expect(!rig.isSounding && rig.isRed)
    }

    /// The beep of a grant is heard through the alarm, which goes on after it.
    @Test func grantIsHeardThroughTheAlarm() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.contact(open: true)
        rig.run(to: 0.6)
        #expect(!rig.isSounding)
        rig.ask(.pulse)
        #expect(rig.isSounding)
        rig.run(to: 0.75)
        #expect(!rig.isSounding)
        rig.run(to: 1.1)
        #expect(rig.isSounding)
    }

    @Test func forcedDoor() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.run(to: 10)
        rig.contact(open: true)
        rig.run(to: 400)
        rig.contact(open: false)
        #expect(
            rig.takeTimeline() == [
                "10.0 forced", "310.0 alarmLasts(Reader.ContactAlarm.forced)", "400.0 closed",
                "400.0 restored(Reader.ContactAlarm.forced)",
            ])
    }

    /// A door that opens just after the lock has fallen in is not forced.
    @Test(arguments: [(6.9, DoorEvent.opened), (7.0, .forced)])
    func shuntAfterThePulse(second: Double, event: DoorEvent) {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.ask(.pulse)
        rig.run(to: second)
        _ = rig.takeEvents()
        rig.contact(open: true)
        #expect(rig.takeEvents() == [event])
    }

    /// A door that was open before the reader started is not known to have been forced, and may not stay open.
    @Test func doorThatIsOpenAtTheStart() {
        let rig = DoorRig()
        rig.contact(open: true)
        rig.run(to: 40)
        #expect(rig.takeTimeline() == ["0.0 opened", "20.0 heldOpenWarning", "30.0 heldOpenTooLong"])
    }

    @Test func sameLevelTwiceIsNoEvent() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.contact(open: false)
        #expect(rig.takeEvents() == [])
    }

    /// A door held open by a request may stand open; the time runs from the end of the request.
    @Test(arguments: [DoorRequest.officeOn, .extended])
    func noAlarmWhileTheDoorMayStandOpen(request: DoorRequest) {
        let rig = DoorRig { $0.extended = .seconds(1000) }
        rig.contact(open: false)
        rig.ask(request)
        rig.contact(open: true)
        rig.run(to: 1000)
        #expect(rig.door.alarm == nil)
        rig.ask(.officeOff)
        _ = rig.takeEvents()
        rig.run(to: 1031)
        #expect(rig.takeTimeline() == ["1020.0 heldOpenWarning", "1030.0 heldOpenTooLong"])
    }

    @Test func alarmEndsWhenTheDoorMayStandOpen() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.contact(open: true)
        #expect(rig.door.alarm == .forced)
        rig.ask(.officeOn)
        #expect(rig.door.alarm == nil)
        #expect(rig.takeEvents() == [.forced, .released(.office), .restored(.forced)])
    }

    @Test(arguments: [(DoorConfiguration.Relock.never, 5.0), (.onOpen, 1.0), (.onClose, 2.0)])
    func relock(rule: DoorConfiguration.Relock, second: Double) {
        let rig = DoorRig { $0.relock = rule }
        rig.contact(open: false)
        rig.ask(.pulse)
        rig.run(to: 1)
        rig.contact(open: true)
        rig.run(to: 2)
        rig.contact(open: false)
        rig.run(to: 10)
        #expect(
            rig.takeTimeline().filter { $0.contains("secured") } == [
                "\(second) secured(after: Reader.ReleaseCause.pulse)"
            ])
    }

    @Test func relockLeavesAnExtendedOpeningAlone() {
        let rig = DoorRig { $0.relock = .onOpen }
        rig.contact(open: false)
        rig.ask(.extended)
        rig.contact(open: true)
        #expect(rig.isFree)
    }

    // MARK: - Exits

    @Test func exitUnlocksAtOnceAndForAPulseAfter() {
        let rig = DoorRig()
        rig.contact(open: false)
        rig.run(to: 1)
        rig.exit(true)
        #expect(rig.isFree)
        rig.run(to: 100)
        #expect(rig.isFree, "as long as the sensor sees somebody")
        rig.exit(false)
        rig.contact(open: true)
        rig.contact(open: false)
        rig.run(to: 200)
        #expect(
            rig.takeTimeline() == [
                "1.0 exitRequest(active: true)", "1.0 released(Reader.ReleaseCause.exit)",
                "100.0 exitRequest(active: false)", "100.0 opened", "100.0 closed",
                "105.0 secured(after: Reader.ReleaseCause.exit)",
            ])
    }

    /// Nobody is locked in: not by a lockdown, a tamper that blocks, or a lock-out.
    @Test func exitIsFreeWhateverKeepsPeopleOut() {
        let rig = DoorRig {
            $0.tamper = .block
            $0.lockout.attempts = 1
        }
        rig.deny()
        rig.tamper(true)
        rig.lockdown(true)
        #expect(rig.ask(.pulse) == .lockdown)
        rig.exit(true)
        #expect(rig.isFree)
        rig.exit(false)
        rig.run(to: 5)
        #expect(!rig.isFree)
    }

    @Test func exitThatOnlyMasksTheAlarm() {
        let rig = DoorRig { $0.exitRequest = .mask }
        rig.contact(open: false)
        rig.exit(true)
        #expect(!rig.isFree)
        rig.contact(open: true)
        rig.contact(open: false)
        rig.exit(false)
        rig.run(to: 1.9)
        rig.contact(open: true)
        rig.contact(open: false)
        rig.run(to: 2)
        rig.contact(open: true)
        #expect(
            rig.takeEvents() == [
                .exitRequest(active: true), .opened, .closed, .exitRequest(active: false), .opened, .closed, .forced,
            ])
    }

    // MARK: - Fire

    /// Fire releases over lockdown and tamper, cannot be masked, and its end opens nothing.
    @Test func fireReleasesOverEverything() {
        let rig = DoorRig { $0.tamper = .block }
        rig.contact(open: false)
        rig.lockdown(true)
        rig.tamper(true)
        rig.fire(true)
        #expect(rig.isFree && rig.state == .passage)
        rig.lockdown(false)
        rig.lockdown(true)
        #expect(rig.isFree)
        rig.contact(open: true)
        rig.run(to: 10_000)
        #expect(rig.isFree && rig.door.alarm == nil)
        rig.fire(false)
        #expect(!rig.isFree && rig.state == .lockdown)
    }

    @Test func fireThatOnlyIsPutOnRecord() {
        let rig = DoorRig { $0.fireReleases = false }
        rig.fire(true)
        #expect(!rig.isFree)
        #expect(rig.takeEvents() == [.fire(active: true)])
    }

    // MARK: - Tamper

    @Test(arguments: [
        (DoorConfiguration.TamperPolicy.record, false, DoorVerdict.done), (.alarm, true, .done),
        (.block, true, .tampered),
    ])
    func tamperPolicies(policy: DoorConfiguration.TamperPolicy, alarms: Bool, verdict: DoorVerdict) {
        let rig = DoorRig { $0.tamper = policy }
        rig.tamper(true)
        #expect(rig.isSounding == alarms)
        #expect(rig.ask(.pulse) == verdict)
        rig.run(to: 10)
        rig.tamper(false)
        #expect(!rig.isSounding)
        #expect(rig.ask(.pulse) == verdict, "what blocks stays until an operator resets it")
    }

    @Test func tamperIsResetOnlyWhenTheHousingIsClosed() {
        let rig = DoorRig { $0.tamper = .block }
        rig.tamper(true)
        #expect(rig.resetTamper() == false)
        rig.tamper(false)
        #expect(rig.resetTamper() == true)
        #expect(rig.resetTamper() == false)
        #expect(rig.ask(.pulse) == .done)
        #expect(
            rig.takeEvents() == [
                .tamper(active: true), .tamper(active: false), .tamperReset, .released(.pulse),
            ])
    }

    // MARK: - All together

    /// Whatever comes in whatever order: the lock is free only for a cause, and in a lockdown only for exits and fire.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func lockFollowsItsCauses(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rig = DoorRig {
            $0.tamper = .block
            $0.lockout.attempts = 3
            $0.relock = .onClose
            $0.scheduleWaitsForUser = seed % 2 == 0
        }
        let requests: [DoorRequest] = [.pulse, .extended, .officeOn, .officeOff, .toggleOffice]
        for _ in 0..<20_000 {
            let flag = random.next() % 2 == 0
            switch random.next() % 11 {
            case 0, 1: rig.ask(requests[Int(random.next() % 5)])
            case 2: rig.deny()
            case 3: rig.contact(open: flag)
            case 4: rig.exit(flag)
            case 5: rig.fire(flag && random.next() % 4 == 0)
            case 6: rig.tamper(flag)
            case 7: _ = rig.resetTamper()
            case 8: rig.lockdown(flag)
            case 9: rig.schedule(open: flag)
            default:
                let seconds = Double((rig.now - .origin).wholeMilliseconds) / 1000 + Double(random.next() % 20)
                rig.run(to: seconds)
            }
            guard rig.isFree == (rig.door.release.cause != nil), rig.isGreen == rig.isFree else {
                Issue.record("lock \(rig.isFree), cause \(String(describing: rig.door.release.cause))")
                return
            }
            if rig.door.release.isLockdown, rig.isFree {
                guard rig.door.release.cause == .exit || rig.door.release.cause == .fire else {
                    Issue.record("free in a lockdown for \(String(describing: rig.door.release.cause))")
                    return
                }
            }
        }
        rig.shutdown()
        #expect(!rig.isFree && !rig.isGreen && !rig.isRed && !rig.isSounding)
        #expect(rig.door.nextDeadline == nil)
    }
}
