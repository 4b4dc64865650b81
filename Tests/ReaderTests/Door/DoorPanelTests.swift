// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// An access panel that holds the door unlocked.
@Suite struct DoorPanelTests {
    @Test func theDoorIsUnlockedWhileThePanelHoldsIt() {
        let rig = DoorRig()
        rig.panel(true)
        #expect(rig.isFree && rig.isGreen && rig.state == .unlocked)
        rig.contact(open: true)
        rig.run(to: 3600)
        #expect(rig.isFree)
        rig.panel(false)
        #expect(!rig.isFree)
        #expect(rig.takeEvents() == [.released(.panel), .opened, .secured(after: .panel)])
    }

    @Test func aGrantOutlastsThePanelAndThePanelAGrant() {
        let rig = DoorRig()
        rig.panel(true)
        rig.ask(.pulse)
        rig.run(to: 1)
        rig.panel(false)
        #expect(rig.isFree)
        rig.panel(true)
        rig.run(to: 6)
        #expect(rig.isFree)
        rig.panel(false)
        #expect(!rig.isFree)
    }

    @Test func aLockdownEndsAndRefusesIt() {
        let rig = DoorRig()
        rig.panel(true)
        rig.lockdown(true)
        #expect(!rig.isFree)
        rig.panel(true)
        #expect(!rig.isFree && rig.isSounding)
        rig.lockdown(false)
        #expect(!rig.isFree, "a former order unlocks nothing")
    }

    @Test func aTamperBlockRefusesIt() {
        let rig = DoorRig { $0.tamper = .block }
        rig.tamper(true)
        rig.panel(true)
        #expect(!rig.isFree)
        rig.tamper(false)
        rig.panel(true)
        #expect(!rig.isFree)
        #expect(rig.resetTamper())
        rig.panel(true)
        #expect(rig.isFree)
    }

    @Test func fireAndExitsHavePrecedence() {
        let rig = DoorRig()
        rig.fire(true)
        rig.panel(true)
        rig.panel(false)
        #expect(rig.isFree)
        rig.fire(false)
        rig.exit(true)
        #expect(rig.isFree)
    }

    @Test func nothingBeforeTheStartAndAfterTheEnd() {
        let rig = DoorRig()
        rig.panel(true)
        rig.shutdown()
        #expect(!rig.isFree)
        rig.panel(true)
        #expect(!rig.isFree)
    }
}
