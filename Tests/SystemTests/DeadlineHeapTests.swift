// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import System

@Suite struct DeadlineHeapTests {
    private func timer(_ nanoseconds: Int64) -> Timer {
        Timer(nil, deadline: Instant(nanoseconds: nanoseconds)) {}
    }

    /// A fixed sequence without pattern, so that a failure can be repeated.
    private func sequence(_ count: Int) -> [Int64] {
        var random = SplitMix64(seed: 1)
        return (0..<count).map { _ in Int64(random.next() >> 40) }
    }

    private func drain(_ heap: inout DeadlineHeap) -> [Timer] {
        all { heap.popDue(at: Instant(nanoseconds: .max)) }
    }

    @Test func popsInOrder() {
        var heap = DeadlineHeap()
        let deadlines = sequence(500)
        let timers = deadlines.map(timer)
        for timer in timers { heap.insert(timer) }
        #expect(drain(&heap).map(\.deadline.nanoseconds) == deadlines.sorted())
        #expect(heap.count == 0 && heap.first == nil)
        #expect(timers.allSatisfy { $0.position == nil })
    }

    @Test func equalDeadlinesKeepTheirOrder() {
        var heap = DeadlineHeap()
        let timers = (0..<50).map { timer(Int64($0 % 3)) }
        for timer in timers { heap.insert(timer) }
        let expected = (0..<3).flatMap { rest in timers.enumerated().filter { $0.offset % 3 == rest }.map(\.element) }
        let isInOrder = drain(&heap).elementsEqual(expected) { $0 === $1 }
        #expect(isInOrder)
    }

    @Test func removesFromAnyPlace() {
        for victim in 0..<40 {
            var heap = DeadlineHeap()
            let deadlines = sequence(40)
            let timers = deadlines.map(timer)
            for timer in timers { heap.insert(timer) }
            heap.remove(timers[victim])
            heap.remove(timers[victim])
            #expect(timers[victim].position == nil)
            var expected = deadlines
            expected.remove(at: victim)
            #expect(drain(&heap).map(\.deadline.nanoseconds) == expected.sorted())
        }
    }

    @Test func popsOnlyWhatIsDue() {
        var heap = DeadlineHeap()
        for nanoseconds: Int64 in [30, 10, 20] { heap.insert(timer(nanoseconds)) }
        #expect(heap.popDue(at: Instant(nanoseconds: 9)) == nil)
        #expect(heap.popDue(at: Instant(nanoseconds: 10))?.deadline.nanoseconds == 10)
        #expect(heap.popDue(at: Instant(nanoseconds: 10)) == nil)
        #expect(heap.first == Instant(nanoseconds: 20))
    }

    @Test func insertsATimerOnce() {
        var heap = DeadlineHeap()
        let timer = timer(5)
        heap.insert(timer)
        heap.insert(timer)
        #expect(heap.count == 1)
    }
}
