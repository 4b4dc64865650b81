// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping
import VirtualTime

@testable import Reader

/// Reports of faults, on a virtual clock.
@Suite struct FaultRegistryTests {
    private struct Bench {
        var board = FaultRegistry()
        var now = Instant.origin
        var moment: Moment {
            Moment(instant: now, epochSeconds: 1_795_262_400 + (now - .origin).wholeMilliseconds / 1000)
        }

        mutating func raise(_ code: FaultCode, _ text: String = "text") { board.raise(code, text, at: moment) }
        mutating func clear(_ code: FaultCode) { board.clear(code, at: moment) }

        /// Lets time pass as the shell does, and tells what was told meanwhile.
        mutating func pass(_ seconds: Double) -> [String] {
            let end = now + .milliseconds(Int(seconds * 1000))
            var told = drain()
            now = elapse(from: now, to: end, deadline: { board.nextDeadline }) {
                board.advance(to: $0)
                let more = drain()
                #expect(!more.isEmpty, "called for nothing")
                told += more
            }
            return told
        }

        mutating func drain() -> [String] {
            all { board.nextNotice() }.map { notice in
                switch notice {
                case .raised(let fault): "\(fault.code.rawValue): \(fault.text)"
                case .ended(let code, let duration): "\(code.rawValue) over after \(duration)"
                }
            }
        }
    }

    @Test func aFaultIsToldOnceAndItsEndOnce() {
        var bench = Bench()
        for _ in 0..<100 {
            bench.raise(.diskFull)
            #expect(bench.board.has(.diskFull) && !bench.board.has(.diskFailing))
        }
        #expect(bench.pass(5) == ["disk-full: text"])
        for _ in 0..<100 { bench.raise(.diskFull, "other text") }
        #expect(bench.pass(5) == [])
        #expect(
            bench.board.faults == [
                Fault(code: .diskFull, text: "other text", since: .origin, epochSeconds: 1_795_262_400, times: 1)
            ])
        for _ in 0..<100 { bench.clear(.diskFull) }
        #expect(bench.pass(5) == ["disk-full over after 10.0 seconds"])
        #expect(bench.board.faults == [] && bench.board.nextDeadline == nil)
    }

    @Test func retriesOfADayAreNotToldAgain() {
        var bench = Bench()
        var told: [String] = []
        for _ in 0..<17_280 {
            bench.raise(.controllerAbsent, "hci-socket:0: there is no such adapter")
            told += bench.pass(5)
        }
        #expect(told == ["controller-absent: hci-socket:0: there is no such adapter"])
    }

    /// A controller that comes and goes each second for an hour: its first loss, its first return, and no more.
    @Test func aFaultThatFlapsIsToldOnce() {
        var bench = Bench()
        var told: [String] = []
        for _ in 0..<1800 {
            bench.raise(.controllerLost)
            told += bench.pass(1)
            bench.clear(.controllerLost)
            told += bench.pass(1)
        }
        #expect(told == ["controller-lost: text", "controller-lost over after 1.0 seconds"])
        bench.raise(.controllerLost)
        #expect(bench.board.faults.first?.times == 1801)
        // Then it stays away: that is told, a minute later, and so is its end.
        #expect(bench.pass(59.9) == [])
        #expect(bench.pass(0.2) == ["controller-lost: text"])
        #expect(bench.pass(1000) == [])
        bench.clear(.controllerLost)
        #expect(bench.drain().count == 1)
    }

    @Test func aFaultThatReturnsAfterItsRestIsToldAtOnce() {
        var bench = Bench()
        bench.raise(.clockUnset)
        bench.clear(.clockUnset)
        #expect(bench.pass(60).count == 2)
        bench.raise(.clockUnset)
        #expect(bench.drain() == ["clock-unset: text"])
    }

    @Test func ofAFamilyThereIsOne() {
        var bench = Bench()
        bench.board.raise(.controllerLost, of: FaultCode.unreachable, "lost", at: bench.moment)
        bench.board.raise(.controllerAbsent, of: FaultCode.unreachable, "absent", at: bench.moment)
        #expect(bench.board.faults.map(\.code) == [.controllerAbsent])
        #expect(bench.drain() == ["controller-lost: lost", "controller-absent: absent"])
        bench.board.clear(FaultCode.unreachable, at: bench.moment)
        #expect(bench.drain() == ["controller-absent over after 0.0 seconds"])
    }

    @Test func whatIsSetMakesItsTextOnlyWhenItIsNew() {
        var bench = Bench()
        var made = 0
        func text() -> String {
            made += 1
            return "text"
        }
        for _ in 0..<10 { bench.board.set(.clockStale, true, at: bench.moment, text()) }
        for _ in 0..<10 { bench.board.set(.clockStale, false, at: bench.moment, text()) }
        #expect(made == 1 && bench.drain().count == 2)
    }

    @Test func everyCauseHasACodeOfItsOwn() {
        let codes =
            DiskFault.allCases.map { FaultCode($0) } + DoorOutput.allCases.map { FaultCode($0) }
            + DoorInput.allCases.map { FaultCode($0) }
        #expect(Set(codes).count == codes.count)
        #expect(Set(FaultCode.allCases.map(\.place)) == Set(0..<FaultCode.allCases.count))
        for code in FaultCode.allCases {
            #expect(code.rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }, "\(code)")
        }
    }
}
