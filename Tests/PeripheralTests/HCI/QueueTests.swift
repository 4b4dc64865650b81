// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct QueueTests {
    @Test func packetsInOrder() {
        var queue = PacketQueue()
        var popped = pop(&queue)
        #expect(queue.isEmpty && popped == nil)
        queue.append { $0 += [1, 2, 3] }
        queue.append { $0 += Array(repeating: 7, count: 300) }
        popped = pop(&queue)
        #expect(popped == [1, 2, 3])
        queue.append { $0 += [4] }
        popped = pop(&queue)
        #expect(popped == Array(repeating: 7, count: 300))
        popped = pop(&queue)
        #expect(popped == [4])
        #expect(queue.isEmpty)
    }

    @Test func allPacketsAreSentInOrder() {
        var queue = PacketQueue()
        for packet in [[1, 2, 3], Array(repeating: 7, count: 300), [4]] as [[UInt8]] { queue.append { $0 += packet } }
        #expect(pop(&queue) == [1, 2, 3])
        var sent: [[UInt8]] = []
        queue.sendAll { packet in sent.append(packet.indices.map { packet[$0] }) }
        #expect(sent == [Array(repeating: 7, count: 300), [4]] && queue.isEmpty)
        queue.sendAll { _ in Issue.record("sent twice") }
        queue.append { $0 += [5] }
        #expect(pop(&queue) == [5])
    }

    /// A queue that never runs empty does not grow.
    @Test func packetQueueIsCompacted() {
        var queue = PacketQueue()
        queue.append { $0 += [0] }
        for round in 1...20_000 {
            queue.append { $0 += [UInt8(truncatingIfNeeded: round), 1, 2, 3] }
            let packet = pop(&queue)
            #expect(packet?.first == UInt8(truncatingIfNeeded: round - 1))
        }
        #expect(queue.waitingOctets == 6)
    }

    @Test func framesInFragments() {
        var frames = OutboundFrames()
        #expect(frames.next(limit: 27) == nil)
        frames.append([1, 2, 3, 4, 5, 6, 7, 8], channel: .attribute, isResponse: true)
        frames.append([9], channel: .signalling, isResponse: false)
        var sent: [(String, Bool)] = []
        while let fragment = frames.next(limit: 5), sent.count < 10 {
            sent.append((hex(Array(frames.octets[fragment.range])), fragment.isStart))
            #expect(frames.responses == (sent.count <= 3 ? 1 : 0))
            frames.drop(fragment)
        }
        #expect(sent.map(\.0) == ["0800040001", "0203040506", "0708", "0100050009"])
        #expect(sent.map(\.1) == [true, false, false, true])
        #expect(frames.isEmpty && frames.responses == 0 && frames.waitingOctets == 0)
    }

    /// Core 5.4, Vol 4, Part E, 4.1.1, and what is left for the others.
    @Test func flowControl() {
        var flow = ACLFlowControl()
        var shares = [ACLFlowControl.Share](repeating: ACLFlowControl.Share(), count: 3)
        #expect(!flow.maySend(shares[0]))
        flow.reset(packets: 4)
        #expect(!flow.maySend(shares[0]), "the link is not there")
        flow.open(&shares[0])
        flow.open(&shares[1])
        // The first: 4 free, one idle. Then 3 > 1 + 1. Then 2 is what the other and a newcomer need.
        for expected in [true, true, false] {
            #expect(flow.maySend(shares[0]) == expected)
            if expected { flow.reserve(&shares[0]) }
        }
        #expect(flow.maySend(shares[1]))
        flow.reserve(&shares[1])
        #expect(flow.free == 1 && !flow.maySend(shares[1]))
        flow.open(&shares[2])
        #expect(flow.maySend(shares[2]))
        flow.reserve(&shares[2])
        #expect(flow.free == 0 && !flow.maySend(shares[0]))
        flow.complete(&shares[0], 9)
        #expect(flow.free == 2)
        flow.close(&shares[1])
        flow.close(&shares[1])
        flow.complete(&shares[1], 1)
        #expect(flow.free == 3)
        for index in shares.indices { flow.close(&shares[index]) }
        #expect(flow.free == 4)
        flow.reset(packets: 2)
        #expect(flow.free == 2 && !flow.maySend(shares[2]))
    }

    @Test func heldFragments() {
        var held = EarlyACLData()
        let early = Instant.origin
        let late = Instant.origin + .milliseconds(5)
        let kept1 = append([1, 2], handle: 1, isStart: true, at: early, to: &held)
        #expect(kept1)
        let kept2 = append([3], handle: 2, isStart: true, at: early, to: &held)
        #expect(kept2)
        let kept3 = append([4, 5, 6], handle: 1, isStart: false, at: late, to: &held)
        #expect(kept3)
        var mine = EarlyACLData()
        mine.move(handle: 1, from: &held)
        #expect(mine.entries.map(\.isStart) == [true, false] && mine.octets == [1, 2, 4, 5, 6])
        #expect(held.entries.map(\.handle) == [2] && held.octets == [3])
        mine.remove(before: late)
        #expect(mine.octets == [4, 5, 6] && mine.entries.map(\.range) == [0..<3])
        let big = [UInt8](repeating: 0, count: EarlyACLData.maximumOctets - 3)
        let kept4 = append((big + [0]), handle: 1, isStart: false, at: late, to: &mine)
        #expect(!kept4)
        let kept5 = append(big, handle: 1, isStart: false, at: late, to: &mine)
        #expect(kept5)
    }
}

private func pop(_ queue: inout PacketQueue) -> [UInt8]? {
    var packet: [UInt8] = [9]
    guard queue.popFirst(into: &packet) else {
        #expect(packet == [])
        return nil
    }
    return packet
}

private func append(
    _ fragment: [UInt8], handle: UInt16, isStart: Bool, at now: Instant, to held: inout EarlyACLData
) -> Bool {
    held.append(fragment.span, handle: handle, isStart: isStart, at: now)
}
