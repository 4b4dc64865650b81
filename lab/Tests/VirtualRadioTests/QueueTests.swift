// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Testing
import Timekeeping

@testable import VirtualRadio

/// The two queues that all packets pass through.
@Suite struct QueueTests {
    @Test func theScheduleIsInOrder() {
        var generator = SeededGenerator(seed: 1)
        var schedule = Schedule<Occurrence>()
        var expected: [(time: Int64, number: UInt64)] = []
        for number in 0..<2000 as Range<UInt64> {
            let time = Int64(generator.below(300))
            expected.append((time, number))
            schedule.add(.link(number), at: Instant(nanoseconds: time))
        }
        expected.sort { ($0.time, $0.number) < ($1.time, $1.number) }
        for entry in expected {
            #expect(schedule.first?.time.nanoseconds == entry.time && schedule.first?.occurrence == .link(entry.number))
            schedule.removeFirst()
        }
        #expect(schedule.first == nil)
        schedule.removeFirst()
    }

    /// A queue that never runs empty, and is compacted on the way.
    @Test func packetsStayInOrder() {
        var queue = PacketQueue()
        var packet: [UInt8] = [9]
        let empty = !queue.pop(into: &packet)
        #expect(empty && packet == [9])
        var put = 0
        var taken = 0
        for round in 0..<5000 {
            for _ in 0..<(round < 3000 ? 2 : 1) {
                queue.append([UInt8](repeating: UInt8(truncatingIfNeeded: put), count: put % 5))
                put += 1
            }
            let popped = queue.pop(into: &packet)
            #expect(popped && packet == [UInt8](repeating: UInt8(truncatingIfNeeded: taken), count: taken % 5))
            taken += 1
            #expect(queue.count == put - taken && queue.taken == taken && queue.queued == put)
        }
    }
}
