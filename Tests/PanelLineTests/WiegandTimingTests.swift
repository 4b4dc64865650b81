// SPDX-License-Identifier: Apache-2.0

import GPIO
import Testing
import Timekeeping

@testable import PanelLine

/// Pulses on virtual lines, in virtual time (SIA AC-01-1996.10).
@Suite struct WiegandTimingTests {
    /// Lines that note what they are set to, and a clock that goes on by waiting, and by a delay at chosen waits.
    private struct Wire: WiegandWire {
        final class Clock {
            var now = Instant(nanoseconds: 0)
            var waits = 0
            var delays: [Int: Duration] = [:]
            /// The time that a call takes before it sets the line.
            var call = Duration.zero
        }

        struct Edge: Equatable {
            var microseconds: Int64
            var isOne: Bool
            var isDown: Bool
        }

        let clock = Clock()
        let line: LineReference
        var edges: [Edge] = []
        /// The number of edges after which the chip is gone.
        var limit = Int.max

        init() throws { line = try LineReference("gpiochip0:1") }

        var now: Instant { clock.now }

        mutating func pull(_ isOne: Bool, _ isDown: Bool) throws(GPIOError) {
            guard edges.count < limit else { throw .noSuchChip(line) }
            clock.now = clock.now + clock.call
            clock.call = .zero
            let since = clock.now - Instant(nanoseconds: 0)
            edges.append(Edge(microseconds: since.wholeNanoseconds / 1000, isOne: isOne, isDown: isDown))
        }

        func wait(until time: Instant) {
            clock.now = max(clock.now, time) + (clock.delays[clock.waits] ?? .zero)
            clock.waits += 1
        }

    }

    private let timing = WiegandTiming(pulse: .microseconds(50), interval: .microseconds(2000))

    @Test func aZeroIsDataZeroAndAOneIsDataOne() throws {
        var wire = try Wire()
        let delays = try #require(try timing.send([false, true, true], on: &wire))
        #expect(
            wire.edges == [
                .init(microseconds: 0, isOne: false, isDown: true),
                .init(microseconds: 50, isOne: false, isDown: false),
                .init(microseconds: 2000, isOne: true, isDown: true),
                .init(microseconds: 2050, isOne: true, isDown: false),
                .init(microseconds: 4000, isOne: true, isDown: true),
                .init(microseconds: 4050, isOne: true, isDown: false),
            ])
        #expect(wire.now == Instant(nanoseconds: 4_050_000) + WiegandTiming.pause)
        #expect(delays == .init(pulse: .microseconds(50), interval: .microseconds(2000)) && !delays.exceedStandard)
    }

    /// 26 bits of facility 17 and number 4711, as an independent reading of the edges has them.
    @Test func aCardOf26Bits() throws {
        var wire = try Wire()
        let bits = "10001000100010010011001110".map { $0 == "1" }
        _ = try timing.send(bits, on: &wire)
        #expect(wire.edges.filter(\.isDown).map(\.isOne) == bits && wire.edges.count == 52)
    }

    /// Waits: the pulse of bit 0, the pause to bit 1, the pulse of bit 1, …
    @Test func aPulseThatIsTooLongIsTold() throws {
        var wire = try Wire()
        wire.clock.delays = [2: .microseconds(51)]
        let delays = try #require(try timing.send([true, true, false], on: &wire))
        #expect(delays.pulse == .microseconds(101) && delays.exceedStandard)
        // The next pulse keeps its distance.
        #expect(wire.edges.map(\.microseconds) == [0, 50, 2000, 2101, 4000, 4050])
    }

    @Test func aPauseThatIsTooLongShiftsWhatFollows() throws {
        var wire = try Wire()
        wire.clock.delays = [1: .milliseconds(19)]
        let delays = try #require(try timing.send([true, true, false], on: &wire))
        #expect(delays.interval == .milliseconds(21) && delays.exceedStandard)
        #expect(wire.edges.map(\.microseconds) == [0, 50, 21_000, 21_050, 23_000, 23_050])
    }

    /// A pulse counts from when the line was surely set.
    @Test func aSlowCallShortensNoPulse() throws {
        var wire = try Wire()
        wire.clock.call = .microseconds(7)
        let delays = try #require(try timing.send([true, true], on: &wire))
        #expect(wire.edges.map(\.microseconds) == [7, 57, 2007, 2057] && delays.pulse == .microseconds(57))
    }

    /// A card is not begun after its time.
    @Test func aCardThatIsLateIsNotSent() throws {
        var wire = try Wire()
        wire.clock.now = wire.now + .seconds(5)
        #expect(try timing.send([true, true], before: wire.now, on: &wire) == nil)
        #expect(wire.edges.isEmpty)
        #expect(try timing.send([true], before: wire.now + .nanoseconds(1), on: &wire) != nil)
        #expect(wire.edges.count == 2)
    }

    /// A process that is stopped within a card does not send its rest as another one.
    @Test(arguments: [0, 1]) func aDelayThatEndsTheCardCutsIt(wait: Int) throws {
        var wire = try Wire()
        wire.clock.delays = [wait: .milliseconds(250)]
        let delays = try #require(try timing.send([true, true, false], on: &wire))
        #expect(delays.isCut && delays.exceedStandard)
        // No line stays pulled down.
        #expect(wire.edges.map(\.isDown) == [true, false])
        wire = try Wire()
        wire.clock.delays = [wait: .milliseconds(240)]
        #expect(try timing.send([true, true, false], on: &wire)?.isCut == false && wire.edges.count == 6)
    }

    @Test func theLimitsOfTheStandardAreKept() {
        #expect(!WiegandTiming.Delays(pulse: .microseconds(100), interval: .milliseconds(20)).exceedStandard)
    }

    @Test func aChipThatIsGoneEndsTheCard() throws {
        var wire = try Wire()
        wire.limit = 3
        #expect(throws: GPIOError.noSuchChip(wire.line)) { _ = try timing.send([true, true], on: &wire) }
    }
}
