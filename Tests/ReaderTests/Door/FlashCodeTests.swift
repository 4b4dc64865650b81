// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// The part that the board lacks, on its red light.
@Suite struct FlashCodeTests {
    /// The edges up to `end`, as its own deadlines lead through them, in milliseconds; a light that is on first.
    private func edges(_ count: Int, to end: Int64) -> [Int64] {
        let code = FlashCode(count: count, since: .origin)
        var edges: [Int64] = [0]
        var (now, level) = (Instant.origin, true)
        #expect(code.level(at: now))
        while true {
            let next = code.nextChange(after: now)
            #expect(next > now)
            guard (next - .origin).wholeMilliseconds <= end else { return edges }
            #expect(code.level(at: next + .nanoseconds(-1)) == level)
            now = next
            level.toggle()
            #expect(code.level(at: now) == level)
            edges.append((now - .origin).wholeMilliseconds)
        }
    }

    @Test func aPersonCountsThem() {
        #expect(edges(1, to: 3000) == [0, 200, 2500, 2700])
        #expect(edges(3, to: 4000) == [0, 200, 500, 700, 1000, 1200, 3500, 3700, 4000])
    }

    @Test func aDoorAtRestShowsThemUntilNothingIsMissing() {
        let rig = DoorRig()
        rig.lacks(2)
        #expect(rig.isRed && !rig.isGreen && !rig.isFree)
        rig.run(to: 0.3)
        #expect(!rig.isRed)
        rig.run(to: 0.6)
        #expect(rig.isRed)
        rig.run(to: 1)
        #expect(!rig.isRed)
        rig.run(to: 3.1)
        #expect(rig.isRed, "again after the pause")
        rig.lacks(0)
        #expect(!rig.isRed)
        #expect(rig.nextDeadline == nil)
    }

    /// The same number again does not begin anew, so that people can count.
    @Test func theSameAgainChangesNothing() {
        let rig = DoorRig()
        rig.lacks(1)
        rig.run(to: 0.3)
        rig.lacks(1)
        #expect(!rig.isRed)
    }

    @Test func allOtherSignsComeFirst() {
        let rig = DoorRig()
        rig.lacks(4)
        rig.ask(.pulse)
        #expect(!rig.isRed && rig.isGreen, "people may pass")
        rig.run(to: 6.1)
        rig.deny()
        #expect(rig.isRed)
        rig.run(to: 6.4)
        #expect(!rig.isRed, "the flashes of the refusal")
        rig.lockdown(true)
        rig.run(to: 9)
        for tenth in 0...30 {
            rig.run(to: 9 + Double(tenth) / 10)
            #expect(rig.isRed, "a lockdown is lasting")
        }
        rig.lockdown(false)
        rig.show(PanelSigns(light: PanelSigns.Light(granted: true, denied: false, .last)))
        for tenth in 0...30 {
            rig.run(to: 13 + Double(tenth) / 10)
            #expect(!rig.isRed, "the light is the panel's")
        }
    }

    @Test func aDoorThatIsNotStartedShowsNothing() {
        let rig = DoorRig(stopped: DoorConfiguration())
        rig.lacks(1)
        #expect(!rig.isRed)
        #expect(rig.nextDeadline == nil)
    }
}
