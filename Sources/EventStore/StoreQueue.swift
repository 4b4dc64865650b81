// SPDX-License-Identifier: Apache-2.0

import System
import Reader

/// The queue between the reactor's thread and the disk's thread. A request and its answer have the same place in it,
/// from the submission until the reactor has read the answer.
final class StoreQueue: @unchecked Sendable {
    private struct Exchange {
        enum State {
            case requested(StoreRequest)
            /// The disk's thread has the request.
            case taken
            case answered(StoreAnswer)
        }

        var token: StoreToken
        var state: State
    }

    /// The maximum number of pending requests. The trail keeps 1024 events; the rest is for queries.
    static let limit = 1280
    /// The maximum number of requests taken at once, and so of writes in one transaction.
    static let batch = 64

    private let mailbox: Mailbox
    /// In this order: those that are answered, taken, and requested.
    private var exchanges: [Exchange] = []
    /// The first exchange that is not answered.
    private var firstTaken = 0
    /// The first exchange that the disk's thread has not taken.
    private var firstRequested = 0
    /// The empty list of the next results: an opening allocates none. Only for the reactor's thread.
    private var spare: [StoreResult] = []
    private var isClosing = false
    private var hasEnded = false

    init() throws(DiskFault) {
        guard let mailbox = Mailbox() else { throw .other }
        self.mailbox = mailbox
        // Reserved at once, so that no allocation happens under the lock; untouched pages use no memory.
        exchanges.reserveCapacity(2 * StoreQueue.limit)
    }

    /// Readable while there are results.
    var descriptor: Int32 { mailbox.descriptor }

    // MARK: The reactor's side

    /// Appends a request; false if the queue is full or closing.
    func submit(_ token: StoreToken, _ request: StoreRequest) -> Bool {
        mailbox.locked {
            guard !isClosing, exchanges.count - firstRequested < StoreQueue.limit else { return false }
            exchanges.append(Exchange(token: token, state: .requested(request)))
            mailbox.signalChange()
            return true
        }
    }

    /// Removes the results, and calls `body` with each, oldest first. Later ones make `descriptor` readable again.
    func forEachResult(_ body: (StoreResult) -> Void) {
        mailbox.hasWoken()
        var results: [StoreResult] = []
        swap(&results, &spare)
        mailbox.locked {
            for exchange in exchanges[..<firstTaken] {
                guard case .answered(let answer) = exchange.state else { continue }
                results.append(StoreResult(token: exchange.token, answer: answer))
            }
            exchanges.removeFirst(firstTaken)
            firstRequested -= firstTaken
            firstTaken = 0
        }
        for result in results { body(result) }
        results.removeAll(keepingCapacity: results.count <= StoreQueue.batch)
        swap(&results, &spare)
    }

    /// Removes and returns the results, oldest first.
    func results() -> [StoreResult] {
        var results: [StoreResult] = []
        forEachResult { results.append($0) }
        return results
    }

    /// Ends the disk's thread after the pending requests, and waits for it; false after `seconds`.
    func close(within seconds: Int) -> Bool {
        mailbox.locked {
            isClosing = true
            mailbox.signalChange()
            return mailbox.wait(.seconds(seconds)) { hasEnded }
        }
    }

    // MARK: The disk thread's side

    /// Waits for requests, and takes up to `batch` of them; nil at the end.
    func next() -> [StoreRequest]? {
        mailbox.locked {
            mailbox.wait { firstRequested < exchanges.count || isClosing }
            guard firstRequested < exchanges.count else { return nil }
            var taken: [StoreRequest] = []
            while taken.count < StoreQueue.batch, firstRequested < exchanges.count,
                case .requested(let request) = exchanges[firstRequested].state
            {
                taken.append(request)
                exchanges[firstRequested].state = .taken
                firstRequested += 1
            }
            return taken
        }
    }

    /// Answers the oldest requests that were taken, in their order, and wakes the reactor.
    func post(_ answers: [StoreAnswer]) {
        mailbox.locked {
            for answer in answers {
                exchanges[firstTaken].state = .answered(answer)
                firstTaken += 1
            }
        }
        mailbox.wakeReactor()
    }

    /// Signals that the disk's thread has closed the files.
    func end() {
        mailbox.locked {
            hasEnded = true
            mailbox.signalChange()
        }
    }
}
