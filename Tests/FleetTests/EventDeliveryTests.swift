// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing
import Timekeeping

/// The delivery of a log by the back end's mark.
@Suite struct EventDeliveryTests {
    /// A delivery whose orders stand in expectations.
    private final class Bench {
        var delivery = EventDelivery()

        func read(at now: Instant = .origin) -> UInt64? { delivery.takeRead(at: now) }
        func receive(batch: ClosedRange<UInt64>, at now: Instant) -> Bool { delivery.receive(batch: batch, at: now) }
        func receive(_ mark: DeliveryMark, at now: Instant) -> Bool { delivery.receive(mark, at: now) }
        func advance(to now: Instant) { delivery.advance(to: now) }
        var nextDeadline: Instant? { delivery.nextDeadline }
    }

    private static func time(_ seconds: Double) -> Instant { .origin + .milliseconds(Int64(seconds * 1000)) }

    private static func delivery(newest: UInt64 = 1000, mark: UInt64? = 0) throws -> Bench {
        let bench = Bench()
        let log = try #require(LogID([UInt8](repeating: 7, count: 16)))
        bench.delivery.begin(log, newest: newest)
        bench.delivery.connect(at: time(0))
        if let mark { _ = bench.receive(DeliveryMark(log: log, upTo: mark), at: time(0)) }
        return bench
    }

    private static func mark(_ upTo: UInt64, log: UInt8 = 7) throws -> DeliveryMark {
        DeliveryMark(log: try #require(LogID([UInt8](repeating: log, count: 16))), upTo: upTo)
    }

    @Test func nothingIsReadBeforeTheMarkOrItsWait() throws {
        let bench = try EventDeliveryTests.delivery(mark: nil)
        #expect(bench.read() == nil)
        #expect(bench.nextDeadline == EventDeliveryTests.time(2))
        bench.advance(to: EventDeliveryTests.time(1.9))
        #expect(bench.read() == nil)
        bench.advance(to: EventDeliveryTests.time(2))
        #expect(bench.read() == 1)
    }

    @Test func readingBeginsAfterTheMark() throws {
        let bench = try EventDeliveryTests.delivery(mark: 120)
        #expect(bench.read() == 121)
        // One read at a time.
        #expect(bench.read() == nil)
    }

    @Test func noMoreThanFourBatchesAreAheadOfTheMark() throws {
        let bench = try EventDeliveryTests.delivery()
        for first in stride(from: UInt64(1), to: 200, by: 50) {
            #expect(bench.read() == first)
            #expect(bench.receive(batch: first...first + 49, at: EventDeliveryTests.time(0.1)))
        }
        #expect(bench.read() == nil)
        #expect(bench.receive(try EventDeliveryTests.mark(50), at: EventDeliveryTests.time(0.2)))
        #expect(bench.delivery.ahead == [51...100, 101...150, 151...200])
        #expect(bench.read() == 201)
    }

    @Test func withoutProgressAllIsSentAgainFromTheMark() throws {
        let bench = try EventDeliveryTests.delivery(mark: 10)
        #expect(bench.read() == 11)
        #expect(bench.receive(batch: 11...60, at: EventDeliveryTests.time(1)))
        #expect(bench.read() == 61)
        #expect(bench.receive(batch: 61...90, at: EventDeliveryTests.time(1)))
        #expect(bench.nextDeadline == EventDeliveryTests.time(3))
        bench.advance(to: EventDeliveryTests.time(3))
        #expect(bench.read() == 11)
        // The pauses double, up to 30 s.
        var pauses: [Int64] = []
        var now = EventDeliveryTests.time(3)
        for _ in 0..<5 {
            #expect(bench.receive(batch: 11...60, at: now))
            let due = try #require(bench.nextDeadline)
            pauses.append((due - now).wholeMilliseconds / 1000)
            now = due
            bench.advance(to: now)
            _ = bench.read()
        }
        #expect(pauses == [4, 8, 16, 30, 30])
        #expect(!bench.delivery.isOverdue(at: EventDeliveryTests.time(60)))
        #expect(bench.delivery.isOverdue(at: EventDeliveryTests.time(61)))
    }

    @Test func aMarkThatGoesBackIsObeyed() throws {
        let bench = try EventDeliveryTests.delivery(mark: 500)
        #expect(bench.read() == 501)
        #expect(!bench.receive(try EventDeliveryTests.mark(400), at: EventDeliveryTests.time(1)))
        // The answer to the former read is not sent.
        #expect(!bench.receive(batch: 501...550, at: EventDeliveryTests.time(1)))
        #expect(bench.read() == 401)
    }

    @Test func marksOfAnotherLogOrBeyondTheLogAreIgnored() throws {
        let bench = try EventDeliveryTests.delivery(mark: 5)
        #expect(!bench.receive(try EventDeliveryTests.mark(900, log: 8), at: EventDeliveryTests.time(1)))
        #expect(!bench.receive(try EventDeliveryTests.mark(1001), at: EventDeliveryTests.time(1)))
        #expect(bench.delivery.mark == 5)
        #expect(bench.read() == 6)
    }

    @Test func aNewConnectionBeginsAfterTheMark() throws {
        let bench = try EventDeliveryTests.delivery(mark: 5)
        #expect(bench.read() == 6)
        #expect(bench.receive(batch: 6...55, at: EventDeliveryTests.time(1)))
        bench.delivery.disconnect()
        #expect(bench.read() == nil)
        bench.delivery.connect(at: EventDeliveryTests.time(10))
        bench.advance(to: EventDeliveryTests.time(12))
        #expect(bench.read() == 6)
    }

    @Test func anotherLogBeginsAnew() throws {
        let bench = try EventDeliveryTests.delivery(mark: 800)
        bench.delivery.begin(try #require(LogID([UInt8](repeating: 9, count: 16))), newest: 3)
        #expect(bench.delivery.mark == nil)
        #expect(bench.read() == 1)
    }

    @Test func nothingIsReadBeyondTheLog() throws {
        let bench = try EventDeliveryTests.delivery(newest: 20, mark: 20)
        #expect(bench.read() == nil)
        bench.delivery.grow(to: 21)
        #expect(bench.read() == 21)
    }
}
