// SPDX-License-Identifier: Apache-2.0

import System
import Reader

/// The queues between the reactor's thread and the disk's thread: requests one way, results the other.
final class StoreQueue: @unchecked Sendable {
    /// A request with its token.
    struct Item {
        var token: StoreToken
        var request: StoreRequest
    }

    /// The maximum number of pending requests. The trail keeps 1024 events; the rest is for queries.
    static let limit = 1280
    /// The maximum number of requests taken at once, and so of writes in one transaction.
    static let batch = 64

    private let mailbox: Mailbox
    private var requests: [Item] = []
    private var results: [StoreResult] = []
    private var isClosing = false
    private var hasEnded = false

    init() throws(DiskFault) {
        guard let mailbox = Mailbox() else { throw .other }
        self.mailbox = mailbox
        // Reserved at once, so that no allocation happens under the lock; untouched pages use no memory.
        requests.reserveCapacity(StoreQueue.limit)
        results.reserveCapacity(StoreQueue.limit)
    }

    /// Readable while there are results.
    var descriptor: Int32 { mailbox.descriptor }

    // MARK: The reactor's side

    /// Appends a request; false if the queue is full or closing.
    func submit(_ item: Item) -> Bool {
        mailbox.locked {
            guard !isClosing, requests.count < StoreQueue.limit else { return false }
            requests.append(item)
            mailbox.signalChange()
            return true
        }
    }

    /// Appends the available results to `taken`.
    func takeResults(into taken: inout [StoreResult]) {
        mailbox.hasWoken()
        mailbox.locked {
            taken += results
            results.removeAll(keepingCapacity: true)
        }
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
    func next() -> [Item]? {
        mailbox.locked {
            mailbox.wait { !requests.isEmpty || isClosing }
            guard !requests.isEmpty else { return nil }
            let taken = Array(requests.prefix(StoreQueue.batch))
            requests.removeFirst(taken.count)
            return taken
        }
    }

    /// Appends results and wakes the reactor.
    func post(_ new: [StoreResult]) {
        mailbox.locked { results += new }
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
