import CLinux
import Glibc
import Reader

/// What the reactor's thread and the disk's thread share: requests one way, results the other.
final class StoreQueue: @unchecked Sendable {
    /// A request with its number.
    struct Item {
        var id: UInt64
        var request: StoreRequest
    }

    /// How many requests wait at most. The trail keeps 1024 events; the rest is room for questions.
    static let limit = 1280
    /// How many requests the disk's thread takes at once, and so at most writes in one transaction.
    static let batch = 64

    /// Readable while there are results.
    let descriptor: Int32
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var requests: [Item] = []
    private var results: [StoreResult] = []
    private var isClosing = false
    private var hasEnded = false

    init() throws(DiskFault) {
        descriptor = readerd_eventfd_create()
        guard descriptor >= 0 else { throw .other }
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        pthread_cond_init(changed, nil)
    }

    deinit {
        readerd_close(descriptor)
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // MARK: The reactor's side

    /// Appends a request; false if there is no room, or the end has begun.
    func submit(_ item: Item) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosing, requests.count < StoreQueue.limit else { return false }
        requests.append(item)
        pthread_cond_broadcast(changed)
        return true
    }

    /// Moves the results so far behind those in `taken`.
    func takeResults(into taken: inout [StoreResult]) {
        var count: UInt64 = 0
        _ = readerd_read(descriptor, &count, MemoryLayout<UInt64>.size)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        taken += results
        results.removeAll(keepingCapacity: true)
    }

    /// Asks the disk's thread to end when nothing is left to do, and waits for that; false if it takes too long.
    func close(within seconds: Int) -> Bool {
        var until = timespec()
        clock_gettime(CLOCK_REALTIME, &until)
        until.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosing = true
        pthread_cond_broadcast(changed)
        while !hasEnded {
            guard pthread_cond_timedwait(changed, mutex, &until) == 0 else { return hasEnded }
        }
        return true
    }

    // MARK: The disk's side

    /// Waits for requests; nil when there will be none any more.
    func next() -> [Item]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while requests.isEmpty {
            if isClosing { return nil }
            pthread_cond_wait(changed, mutex)
        }
        let taken = Array(requests.prefix(StoreQueue.batch))
        requests.removeFirst(taken.count)
        return taken
    }

    /// Hands results over and wakes the reactor.
    func post(_ new: [StoreResult]) {
        pthread_mutex_lock(mutex)
        results += new
        pthread_mutex_unlock(mutex)
        _ = readerd_eventfd_signal(descriptor)
    }

    /// Tells that the disk's thread touches nothing any more.
    func end() {
        pthread_mutex_lock(mutex)
        hasEnded = true
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }
}
