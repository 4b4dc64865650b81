// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

@testable import Peripheral

@Suite struct SendQueueTests {
    private func next(_ queue: SendQueue) -> [UInt8] {
        var octets: [UInt8] = []
        _ = queue.withNext { span in
            octets.append(span)
            return Int64(span.count)
        }
        return octets
    }

    @Test func aStreamGivesAllThatWaits() {
        var queue = SendQueue(keepsPackets: false)
        #expect(queue.isEmpty && next(queue).isEmpty)
        queue.append([1, 2, 3].span)
        queue.append([4, 5].span)
        #expect(next(queue) == [1, 2, 3, 4, 5])
        queue.consume(2)
        #expect(next(queue) == [3, 4, 5] && queue.count == 3)
        queue.append([6].span)
        #expect(next(queue) == [3, 4, 5, 6])
        queue.consume(4)
        #expect(queue.isEmpty && queue.count == 0)
    }

    @Test func packetsComeOneByOne() {
        var queue = SendQueue(keepsPackets: true)
        queue.append([1, 2, 3].span)
        let nothing: [UInt8] = []
        queue.append(nothing.span)
        queue.append([4, 5].span)
        #expect(next(queue) == [1, 2, 3])
        queue.consume(3)
        #expect(next(queue) == [4, 5])
        queue.append([6].span)
        queue.consume(2)
        #expect(next(queue) == [6])
        queue.consume(1)
        #expect(queue.isEmpty)
    }

    /// A queue that never runs empty does not grow without end, and keeps its order.
    @Test(arguments: [true, false]) func orderIsKeptWhileItNeverRunsEmpty(keepsPackets: Bool) {
        var queue = SendQueue(keepsPackets: keepsPackets)
        var expected: UInt8 = 0
        for round in 0..<5000 {
            queue.append([UInt8(truncatingIfNeeded: 2 * round)].span)
            queue.append([UInt8(truncatingIfNeeded: 2 * round + 1)].span)
            guard next(queue).first == expected else {
                Issue.record("round \(round)")
                return
            }
            queue.consume(1)
            expected &+= 1
        }
        #expect(queue.count == 5000)
        var rest = 0
        while !queue.isEmpty {
            let count = next(queue).count
            queue.consume(count)
            rest += count
        }
        #expect(rest == 5000)
    }
}
