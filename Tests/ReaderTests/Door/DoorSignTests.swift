// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// The standing signs of a door, and the signals shown over them (docs/operate/door.md).
@Suite struct DoorSignTests {
    private func rig(_ change: (inout DoorConfiguration) -> Void = { _ in }) -> DoorRig {
        DoorRig {
            $0.signals.signs = DoorSignals.signs(\.standingLight)
            change(&$0)
        }
    }

    private func light(_ rig: DoorRig) -> String {
        switch (rig.isGreen, rig.isRed) {
        case (false, false): "off"
        case (true, false): "green"
        case (false, true): "red"
        case (true, true): "amber"
        }
    }

    /// The light at each tenth of a second of these, run-length encoded.
    private func lights(_ rig: DoorRig, from: Double, to end: Double) -> [String] {
        var runs: [(light: String, count: Int)] = []
        for tenth in Int((from * 10).rounded())...Int((end * 10).rounded()) {
            rig.run(to: Double(tenth) / 10)
            if runs.last?.light == light(rig) { runs[runs.count - 1].count += 1 } else { runs.append((light(rig), 1)) }
        }
        return runs.map { "\($0.light) \($0.count)" }
    }

    @Test func aLockedDoorIsRedAndAnOpenOneGreen() {
        let rig = rig()
        #expect(rig.door.sign == .locked && light(rig) == "red" && rig.nextDeadline == nil)
        rig.ask(.pulse)
        #expect(rig.door.sign == .open && light(rig) == "green")
        rig.run(to: 5)
        #expect(rig.door.sign == .locked && light(rig) == "red")
        rig.exit(true)
        #expect(rig.door.sign == .open && light(rig) == "green")
        rig.shutdown()
        #expect(rig.door.sign == nil && light(rig) == "off" && rig.nextDeadline == nil)
    }

    /// The green light blinks while the end of the opening is another's.
    @Test(arguments: 0..<5)
    func aDoorThatIsHeldOpenBlinks(_ way: Int) {
        let rig = rig()
        switch way {
        case 0: rig.ask(.officeOn)
        case 1: rig.ask(.extended)
        case 2: rig.schedule(open: true)
        case 3: rig.panel(true)
        default: rig.fire(true)
        }
        #expect(rig.door.sign == .heldOpen)
        #expect(lights(rig, from: 0, to: 3.9) == ["green 10", "off 10", "green 10", "off 10"])
    }

    @Test func anExtendedOpeningAfterAPulseKeepsThePhase() {
        let rig = rig()
        rig.ask(.extended)
        rig.run(to: 0.5)
        rig.ask(.officeOn)
        rig.run(to: 0.9)
        #expect(light(rig) == "green")
        rig.run(to: 1)
        #expect(light(rig) == "off")
    }

    @Test func aLockdownBlinksRed() {
        let rig = rig()
        rig.lockdown(true)
        #expect(rig.door.sign == .lockdown)
        #expect(lights(rig, from: 0, to: 1.9) == ["red 10", "off 10"])
        // People leave: the lock is free, as the light says.
        rig.exit(true)
        #expect(rig.door.sign == .open && light(rig) == "green")
        rig.exit(false)
        rig.run(to: 7)
        #expect(rig.door.sign == .lockdown && light(rig) == "red")
    }

    @Test func aTamperBlockIsALockdown() {
        let rig = rig { $0.tamper = .block }
        rig.tamper(true)
        rig.tamper(false)
        #expect(rig.door.sign == .lockdown)
        #expect(rig.resetTamper() && rig.door.sign == .locked)
    }

    @Test func aFaultIsAmberWhileTheDoorIsLocked() {
        let rig = rig()
        rig.show(.reader)
        #expect(rig.door.sign == .fault && light(rig) == "amber")
        rig.ask(.pulse)
        #expect(rig.door.sign == .open && light(rig) == "green", "people may pass")
        rig.run(to: 5)
        #expect(light(rig) == "amber")
        rig.lockdown(true)
        #expect(rig.door.sign == .lockdown)
        rig.lockdown(false)
        rig.show(nil)
        #expect(rig.door.sign == .locked && light(rig) == "red")
    }

    /// The state of the lock is not known: neither sign would be true.
    @Test func aLockThatCannotBeSetIsAFaultInEachState() {
        let rig = rig()
        rig.ask(.pulse)
        rig.show(.lock)
        #expect(rig.door.sign == .fault && light(rig) == "amber")
        rig.run(to: 5)
        #expect(rig.door.sign == .fault)
    }

    @Test func aFaultFromBeforeTheStartIsShown() {
        let rig = DoorRig(stopped: DoorConfiguration(signals: DoorSignals(signs: DoorSignals.signs(\.standingLight))))
        rig.show(.reader)
        #expect(light(rig) == "off")
        rig.start()
        #expect(rig.door.sign == .fault && light(rig) == "amber")
    }

    /// A red light goes off three times for a refusal, and stands again.
    @Test func aRefusalAtALockedDoor() {
        let rig = rig()
        rig.deny()
        #expect(lights(rig, from: 0, to: 1.4) == ["off 2", "red 2", "off 2", "red 2", "off 2", "red 5"])
    }

    @Test func aRefusalAtAnOpenDoorAndAtAFault() {
        let open = rig()
        open.ask(.pulse)
        open.deny()
        #expect(lights(open, from: 0, to: 1.1) == ["amber 2", "green 2", "amber 2", "green 2", "amber 2", "green 2"])
        let failing = rig()
        failing.show(.reader)
        failing.deny()
        #expect(lights(failing, from: 0, to: 1.1) == ["red 2", "off 2", "red 2", "off 2", "red 2", "amber 2"])
    }

    @Test func anAlarmFlashesAndReturnsToTheSign() {
        let rig = rig()
        rig.contact(open: false)
        rig.run(to: 10)
        rig.contact(open: true)
        #expect(light(rig) == "red")
        rig.run(to: 10.3)
        #expect(light(rig) == "off")
        rig.contact(open: false)
        #expect(light(rig) == "red")
        rig.run(to: 12)
        #expect(light(rig) == "red")
    }

    /// The flashes that a person counts are not hidden by a red light between them.
    @Test func aMissingPartReplacesTheSignOfALockedDoor() {
        let rig = rig()
        rig.lacks(2)
        #expect(lights(rig, from: 0, to: 2.9) == ["red 2", "off 3", "red 2", "off 23"])
        rig.ask(.pulse)
        #expect(light(rig) == "green")
        rig.lacks(0)
        rig.run(to: 10)
        #expect(light(rig) == "red")
        rig.lacks(1)
        rig.shutdown()
        #expect(light(rig) == "off" && rig.nextDeadline == nil)
    }

    /// A lasting order precedes the sign of a locked door; with the last rank it follows that of an open one.
    @Test func aPanelsOrdersComeFirst() {
        let rig = rig()
        rig.show(PanelSigns(light: PanelSigns.Light(granted: true, denied: false, .last)))
        #expect(light(rig) == "green")
        rig.show(PanelSigns(light: PanelSigns.Light(granted: false, denied: false, .last)))
        #expect(light(rig) == "off", "the panel has ordered no light")
        rig.ask(.pulse)
        #expect(light(rig) == "green", "the reader's")
        rig.show(PanelSigns(light: PanelSigns.Light(granted: false, denied: true, .middle)))
        #expect(light(rig) == "red", "the panel's")
        rig.show(PanelSigns())
        rig.run(to: 5)
        #expect(light(rig) == "red", "the reader's")
    }

    @Test func eachSignIsConfigurable() {
        for (sign, enter) in [
            (DoorSign.locked, { _ in }), (.open, { $0.ask(.pulse) }), (.heldOpen, { $0.ask(.officeOn) }),
            (.lockdown, { $0.lockdown(true) }), (.fault, { $0.show(.reader) }),
        ] as [(DoorSign, (DoorRig) -> Void)] {
            for (chosen, seen) in zip(
                SignLight.allCases, ["off", "red", "green", "amber", "red", "green", "amber"])
            {
                let rig = rig { $0.signals.signs = [sign: chosen] }
                enter(rig)
                #expect(light(rig) == seen, "\(sign) \(chosen)")
                rig.run(to: 1.5)
                #expect(light(rig) == (chosen.rawValue.hasSuffix("blinking") ? "off" : seen), "\(sign) \(chosen)")
            }
        }
    }

    /// Other signs hold from the next look at the door on.
    @Test func aReconfiguredDoorShowsTheOtherLight() {
        let rig = rig()
        var configuration = DoorConfiguration()
        configuration.signals.signs = [.locked: .green]
        rig.door.reconfigure(configuration)
        rig.advance()
        #expect(light(rig) == "green")
    }
}
