// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import EventStore

/// The queue between the reactor's and the disk's thread, with both ends on the thread of the test.
@Suite struct StoreQueueTests {
    private func submit(_ queue: StoreQueue, _ numbers: Range<UInt64>) -> Bool {
        numbers.allSatisfy { queue.submit(.order($0), .slice(from: $0, limit: 1)) }
    }

    /// The numbers of the requests that the disk's thread takes.
    private func taken(_ queue: StoreQueue) -> [UInt64] {
        (queue.next() ?? []).compactMap { if case .slice(let first, _) = $0 { first } else { nil } }
    }

    @Test func anAnswerHasTheTokenOfItsRequest() throws {
        let queue = try StoreQueue()
        #expect(submit(queue, 0..<3) && taken(queue) == [0, 1, 2])
        #expect(submit(queue, 3..<4) && queue.results().isEmpty)
        queue.post([.done])
        queue.post([.refused, .failed(.full)])
        #expect(
            queue.results() == [
                StoreResult(token: .order(0), answer: .done), StoreResult(token: .order(1), answer: .refused),
                StoreResult(token: .order(2), answer: .failed(.full)),
            ])
        #expect(queue.results().isEmpty && taken(queue) == [3])
        queue.post([.done])
        #expect(queue.results() == [StoreResult(token: .order(3), answer: .done)])
    }

    @Test func aDiskThatStallsGetsNoMoreThanTheLimit() throws {
        let queue = try StoreQueue()
        let limit = UInt64(StoreQueue.limit)
        #expect(submit(queue, 0..<limit) && !submit(queue, limit..<limit + 1))
        // Requests that the disk's thread has taken do not count.
        #expect(taken(queue).count == StoreQueue.batch && submit(queue, limit..<limit + UInt64(StoreQueue.batch)))
        #expect(!submit(queue, 0..<1))
    }

    /// The queue is never empty, so that the places of answers move while requests are with the disk's thread.
    @Test func answersKeepTheirTokensWhileTheQueueMoves() throws {
        let queue = try StoreQueue()
        var (submitted, answered): (UInt64, UInt64) = (0, 0)
        while answered < 3 * UInt64(StoreQueue.limit) {
            #expect(submit(queue, submitted..<submitted + 2))
            submitted += 2
            guard submitted > 100 else { continue }
            let batch = taken(queue)
            // Answers of two transactions, with a request and a reading between them.
            queue.post(batch.prefix(1).map { _ in .done })
            #expect(submit(queue, submitted..<submitted + 1))
            submitted += 1
            for result in queue.results() {
                #expect(result == StoreResult(token: .order(answered), answer: .done))
                answered += 1
            }
            queue.post(batch.dropFirst().map { _ in .done })
        }
    }
}
