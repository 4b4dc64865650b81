import System
import Reader

/// What the reactor's thread and the disk's thread share: requests one way, results the other.
final class StoreQueue: @unchecked Sendable {
    /// A request with its token.
    struct Item {
        var token: StoreToken
        var request: StoreRequest
    }

    /// How many requests wait at most. The trail keeps 1024 events; the rest is room for questions.
    static let limit = 1280
    /// How many requests the disk's thread takes at once, and so at most writes in one transaction.
    static let batch = 64

    private let mailbox: Mailbox
    private var requests: [Item] = []
    private var results: [StoreResult] = []
    private var isClosing = false
    private var hasEnded = false

    init() throws(DiskFault) {
        guard let mailbox = Mailbox() else { throw .other }
        self.mailbox = mailbox
        // All at once: what nobody touches takes no memory, and nobody waits for more while the lock is held.
        requests.reserveCapacity(StoreQueue.limit)
        results.reserveCapacity(StoreQueue.limit)
    }

    /// Readable while there are results.
    var descriptor: Int32 { mailbox.descriptor }

    // MARK: The reactor's side

    /// Appends a request; false if there is no room, or the end has begun.
    func submit(_ item: Item) -> Bool {
        mailbox.locked {
            guard !isClosing, requests.count < StoreQueue.limit else { return false }
            requests.append(item)
            mailbox.signalChange()
            return true
        }
    }

    /// Moves the results so far behind those in `taken`.
    func takeResults(into taken: inout [StoreResult]) {
        mailbox.hasWoken()
        mailbox.locked {
            taken += results
            results.removeAll(keepingCapacity: true)
        }
    }

    /// Asks the disk's thread to end when nothing is left to do, and waits for that; false if it takes too long.
    func close(within seconds: Int) -> Bool {
        mailbox.locked {
            isClosing = true
            mailbox.signalChange()
            return mailbox.wait(.seconds(seconds)) { hasEnded }
        }
    }

    // MARK: The disk's side

    /// Waits for requests; nil when there will be none any more.
    func next() -> [Item]? {
        mailbox.locked {
            mailbox.wait { !requests.isEmpty || isClosing }
            guard !requests.isEmpty else { return nil }
            let taken = Array(requests.prefix(StoreQueue.batch))
            requests.removeFirst(taken.count)
            return taken
        }
    }

    /// Hands results over and wakes the reactor.
    func post(_ new: [StoreResult]) {
        mailbox.locked { results += new }
        mailbox.wakeReactor()
    }

    /// Tells that the disk's thread touches nothing any more.
    func end() {
        mailbox.locked {
            hasEnded = true
            mailbox.signalChange()
        }
    }
}
