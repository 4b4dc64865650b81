// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import OSDP

/// OSDP 2.2, 6.11 and 6.12: states, times and cadence of light and buzzer.
@Suite struct OSDPSignalTests {
    private typealias Blinking = OSDPLightOrder.Blinking

    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    /// The times and values of a signal from its start, as its own changes give them.
    private func course<Value: Equatable>(
        from start: Int = 0, to end: Int = 3000, _ value: (Instant) -> Value, _ next: (Instant) -> Instant?
    ) -> [String] {
        var (now, seen) = (at(start), ["\(start) \(value(at(start)))"])
        while let change = next(now), change <= at(end) {
            #expect(change > now)
            #expect(value(change + .nanoseconds(-1)) == value(now), "a change before its time")
            now = change
            seen.append("\((now - .origin).wholeMilliseconds) \(value(now))")
            if seen.count > 100 { break }
        }
        return seen
    }

    private func course(_ light: OSDPLight, to end: Int = 3000) -> [String] {
        course(to: end) {
            light.color(at: $0).map { "\($0)" } ?? "-"
        } _: {
            light.nextChange(after: $0)
        }
    }

    private func course(_ buzzer: OSDPBuzzer, to end: Int = 3000) -> [String] {
        course(to: end) {
            buzzer.isSounding(at: $0)
        } _: {
            buzzer.nextChange(after: $0)
        }
    }

    private func permanent(_ blinking: Blinking) -> OSDPLightOrder {
        OSDPLightOrder(setsPermanent: true, permanentBlinking: blinking)
    }

    private func temporary(_ blinking: Blinking, tenths: UInt16) -> OSDPLightOrder {
        OSDPLightOrder(temporary: .start, temporaryBlinking: blinking, temporaryTenths: tenths)
    }

    @Test func aLightWithoutOrders() {
        #expect(course(OSDPLight()) == ["0 -"])
        #expect(!OSDPLight().isTimed(at: .origin))
    }

    @Test func aPermanentStateBlinksForGood() {
        var light = OSDPLight()
        light.execute(permanent(Blinking(onTenths: 5, offTenths: 10, onColor: .green, offColor: .red)), at: at(0))
        #expect(course(light) == ["0 green", "500 red", "1500 green", "2000 red", "3000 green"])
        #expect(light.color(at: at(86_400_000 * 365)) != nil)
    }

    /// One colour, and none of the times that would change it.
    @Test(arguments: [
        (1, 0, OSDPLightOrder.Color.red, OSDPLightOrder.Color.off, "red"), (0, 1, .red, .off, "off"),
        (0, 0, .red, .green, "red"), (5, 5, .amber, .amber, "amber"),
    ])
    func steadyStates(
        _ on: UInt8, _ off: UInt8, _ first: OSDPLightOrder.Color, _ second: OSDPLightOrder.Color, _ shown: String
    ) {
        var light = OSDPLight()
        let blinking = Blinking(onTenths: on, offTenths: off, onColor: first, offColor: second)
        light.execute(permanent(blinking), at: at(0))
        #expect(course(light) == ["0 \(shown)"])
    }

    @Test func aTemporaryStateIsBeforeThePermanentOneForItsTime() {
        var light = OSDPLight()
        light.execute(permanent(Blinking(onColor: .red)), at: at(0))
        light.execute(temporary(Blinking(onTenths: 4, offTenths: 2, onColor: .green), tenths: 10), at: at(0))
        #expect(course(light) == ["0 green", "400 off", "600 green", "1000 red"])
        #expect(light.isTimed(at: at(999)) && !light.isTimed(at: at(1000)))
        // A permanent state in the meantime is for later.
        light.execute(permanent(Blinking(onColor: .blue)), at: at(100))
        #expect(light.color(at: at(100)) == .green && light.color(at: at(1000)) == .blue)
    }

    @Test func bothStatesInOneOrder() {
        var light = OSDPLight()
        var order = temporary(Blinking(onColor: .amber), tenths: 5)
        (order.setsPermanent, order.permanentBlinking) = (true, Blinking(onColor: .red))
        light.execute(order, at: at(0))
        #expect(course(light) == ["0 amber", "500 red"])
    }

    @Test func aTemporaryStateIsCancelledOrWithoutEnd() {
        var light = OSDPLight()
        light.execute(permanent(Blinking(onColor: .red)), at: at(0))
        light.execute(temporary(Blinking(onColor: .green), tenths: 0), at: at(0))
        #expect(light.color(at: at(3_600_000)) == .green && !light.isTimed(at: at(1)))
        light.execute(OSDPLightOrder(temporary: .unchanged), at: at(10))
        #expect(light.color(at: at(10)) == .green)
        light.execute(OSDPLightOrder(temporary: .cancel), at: at(20))
        #expect(course(light) == ["0 red"])
    }

    @Test func coloursAreMadeOfRedAndGreen() {
        let colors = OSDPLightOrder.Color.allCases
        #expect(colors.filter(\.hasRed) == [.red, .amber, .magenta, .white])
        #expect(colors.filter(\.hasGreen) == [.green, .amber, .cyan, .white])
    }

    private func buzzer(on: UInt8, off: UInt8, count: UInt8, tone: OSDPBuzzerOrder.Tone = .usual) -> OSDPBuzzer {
        var buzzer = OSDPBuzzer()
        buzzer.execute(OSDPBuzzerOrder(tone: tone, onTenths: on, offTenths: off, count: count), at: at(0))
        return buzzer
    }

    @Test func tonesOfACount() {
        let three = buzzer(on: 2, off: 3, count: 3)
        #expect(course(three) == ["0 true", "200 false", "500 true", "700 false", "1000 true", "1200 false"])
        #expect(three.isPlaying(at: at(1199)) && !three.isPlaying(at: at(1200)) && !three.isEndless)
        #expect(course(buzzer(on: 2, off: 0, count: 3)) == ["0 true", "600 false"])
        #expect(course(buzzer(on: 255, off: 255, count: 255), to: 60_000).last == "51000 true")
    }

    @Test func tonesWithoutEnd() {
        let endless = buzzer(on: 10, off: 10, count: 0)
        #expect(course(endless) == ["0 true", "1000 false", "2000 true", "3000 false"])
        #expect(endless.isEndless && endless.isPlaying(at: at(3_600_000)))
        #expect(course(buzzer(on: 1, off: 0, count: 0)) == ["0 true"])
    }

    @Test(arguments: [(0, 5, 5, OSDPBuzzerOrder.Tone.usual), (5, 5, 5, .off), (5, 5, 5, .none)])
    func noTone(_ on: UInt8, _ off: UInt8, _ count: UInt8, _ tone: OSDPBuzzerOrder.Tone) {
        var buzzer = buzzer(on: 5, off: 5, count: 0)
        buzzer.execute(OSDPBuzzerOrder(tone: tone, onTenths: on, offTenths: off, count: count), at: at(100))
        #expect(course(buzzer) == ["0 false"])
        #expect(!buzzer.isPlaying(at: at(100)) && !buzzer.isEndless)
        #expect(buzzer == OSDPBuzzer())
    }
}
