// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// The place of a panel's signs among those of the reader.
@Suite struct PanelSignsTests {
    private func amber(_ rank: PanelSigns.Rank, isSounding: Bool = false) -> PanelSigns {
        PanelSigns(
            light: PanelSigns.Light(granted: true, denied: true, rank),
            sound: PanelSigns.Sound(isOn: isSounding, rank))
    }

    private func lights(_ rig: DoorRig) -> [Bool] { [rig.isGreen, rig.isRed, rig.isSounding] }

    @Test(arguments: [PanelSigns.Rank.last, .middle, .first])
    func aDoorAtRestShowsThem(_ rank: PanelSigns.Rank) {
        let rig = DoorRig()
        rig.show(amber(rank, isSounding: true))
        #expect(lights(rig) == [true, true, true])
        rig.show(PanelSigns(light: PanelSigns.Light(granted: false, denied: true, rank)))
        #expect(lights(rig) == [false, true, false])
        rig.show(PanelSigns())
        #expect(lights(rig) == [false, false, false])
        #expect(!rig.isFree, "signs move no lock")
    }

    /// The last rank is behind the indicator of a released lock, and behind the beep of the grant.
    @Test func aGrant() {
        for (rank, seen) in [
            (PanelSigns.Rank.last, [true, false, true]), (.middle, [true, true, true]), (.first, [true, true, false]),
        ] {
            let rig = DoorRig()
            rig.show(amber(rank))
            rig.ask(.pulse)
            #expect(lights(rig) == seen, "\(rank)")
            rig.run(to: 0.1)
            #expect(!rig.isSounding)
            rig.run(to: 5)
            #expect(lights(rig) == [true, true, false], "\(rank): after the pulse")
        }
    }

    @Test func aRefusal() {
        for (rank, isOwn) in [(PanelSigns.Rank.last, true), (.middle, true), (.first, false)] {
            let rig = DoorRig()
            rig.show(amber(rank))
            rig.deny()
            #expect(lights(rig) == (isOwn ? [false, true, true] : [true, true, false]), "\(rank)")
            // Three flashes of 0.2 s with 0.2 s between them.
            rig.run(to: 0.3)
            #expect(rig.isGreen != isOwn && rig.isRed != isOwn, "\(rank)")
            rig.run(to: 1)
            #expect(lights(rig) == [true, true, false], "\(rank): after the flashes")
        }
    }

    /// An alarm, its warning, a lockdown and a tamper block are seen and heard whatever a panel shows.
    @Test(arguments: [PanelSigns.Rank.last, .middle, .first])
    func noneHidesALastingSign(_ rank: PanelSigns.Rank) {
        let signs: (DoorRig) -> Void = { $0.show(amber(rank)) }
        let forced = DoorRig()
        signs(forced)
        forced.contact(open: false)
        forced.run(to: 10)
        forced.contact(open: true)
        #expect(lights(forced) == [false, true, true])
        forced.run(to: 10.3)
        #expect(lights(forced) == [false, false, true])
        signs(forced)
        #expect(lights(forced) == [false, false, true])
        forced.contact(open: false)
        #expect(lights(forced) == [true, true, false])

        let warned = DoorRig()
        signs(warned)
        warned.ask(.pulse)
        warned.contact(open: true)
        warned.run(to: 20)
        #expect(warned.isSounding)
        #expect(warned.isGreen, "the light is the panel's until the alarm")

        let shut = DoorRig()
        signs(shut)
        shut.lockdown(true)
        #expect(!shut.isGreen && shut.isRed)
        shut.lockdown(false)
        #expect(shut.isGreen)

        let tampered = DoorRig { $0.tamper = .block }
        signs(tampered)
        tampered.tamper(true)
        tampered.tamper(false)
        #expect(!tampered.isGreen && tampered.isRed)
    }

    /// The light that a panel shows ends with the process, as everything does.
    @Test func theEnd() {
        let rig = DoorRig()
        rig.show(amber(.first, isSounding: true))
        rig.shutdown()
        #expect(lights(rig) == [false, false, false])
        rig.show(amber(.first, isSounding: true))
        #expect(lights(rig) == [false, false, false])
    }
}
