// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing

@testable import BackEnd

/// The marks that wait for the broker.
@Suite struct MarkQueueTests {
    private static func mark(_ upTo: UInt64) throws -> DeliveryMark {
        DeliveryMark(log: try #require(LogID([UInt8](repeating: 7, count: 16))), upTo: upTo)
    }

    @Test func onlyTheLatestOfAReaderIsPublished() throws {
        var queue = MarkQueue()
        for upTo in UInt64(1)...100 { queue.put(try MarkQueueTests.mark(upTo), of: "a") }
        queue.put(try MarkQueueTests.mark(7), of: "b")
        queue.put(try MarkQueueTests.mark(101), of: "a")
        #expect(queue.next() == MarkQueue.Entry(device: "a", mark: try MarkQueueTests.mark(101)))
        #expect(queue.next() == MarkQueue.Entry(device: "b", mark: try MarkQueueTests.mark(7)))
        #expect(queue.next() == nil)
    }

    @Test func fewAreInFlight() throws {
        var queue = MarkQueue()
        for reader in 0..<1000 { queue.put(try MarkQueueTests.mark(1), of: "\(reader)") }
        var published = 0
        while queue.next() != nil { published += 1 }
        #expect(published == MarkQueue.inFlight)
        queue.acknowledge()
        #expect(queue.next()?.device == "\(MarkQueue.inFlight)")
        #expect(queue.next() == nil)
        // Another connection owes nothing.
        queue.disconnect()
        #expect(queue.next() != nil)
    }
}
