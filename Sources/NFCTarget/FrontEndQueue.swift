import CLinux
import Glibc

/// What the reactor's thread and the front end's thread share: events one way, responses the other.
final class FrontEndQueue: @unchecked Sendable {
    /// Readable while there are events.
    let descriptor: Int32
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var events: [FrontEndEvent] = []
    private var response: [UInt8]?
    /// The command that is waited for; 0 for none.
    private var awaited: UInt64 = 0
    private var number: UInt64 = 0
    private var ending = false
    private var hasEnded = false

    init() throws(FrontEndError) {
        descriptor = readerd_eventfd_create()
        guard descriptor >= 0 else { throw .noDescriptor }
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        // The wall clock may be set at any time.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        readerd_close(descriptor)
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits until `condition` holds, at most so long; whether it does. The lock is held.
    private func wait(_ duration: Duration, until condition: () -> Bool) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = duration.components
        end.tv_sec += Int(seconds)
        end.tv_nsec += Int(attoseconds / 1_000_000_000)
        if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
        while !condition() {
            guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return condition() }
        }
        return true
    }

    // MARK: The reactor's side

    /// Moves the events so far behind those in `taken`.
    func takeEvents(into taken: inout [FrontEndEvent]) {
        var count: UInt64 = 0
        _ = readerd_read(descriptor, &count, MemoryLayout<UInt64>.size)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        taken += events
        events.removeAll(keepingCapacity: true)
    }

    /// Answers the command with this number; one that nobody waits for any more is dropped.
    func respond(_ octets: [UInt8], to number: UInt64) {
        locked {
            guard awaited == number, response == nil else { return }
            response = octets
            pthread_cond_broadcast(changed)
        }
    }

    /// Asks the front end's thread to end.
    func end() {
        locked {
            ending = true
            pthread_cond_broadcast(changed)
        }
    }

    /// Waits for that; whether it has.
    func waitForEnd(_ duration: Duration) -> Bool { locked { wait(duration) { hasEnded } } }

    // MARK: The front end's side

    /// Whether the thread is asked to end.
    var isEnding: Bool { locked { ending } }

    /// Tells an event. Of what nobody has taken yet, that of phones before goes with a new activation, and a former state of
    /// the chip with a new one: a reactor that is held up finds a few events and not all of them.
    func post(_ event: FrontEndEvent) {
        locked {
            switch event {
            case .opened, .failed: events.removeAll { $0.isState }
            case .activated: events.removeAll { !$0.isState }
            case .command, .released: break
            }
            events.append(event)
        }
        _ = readerd_eventfd_signal(descriptor)
    }

    /// Hands a command over, and waits for the response; nil if it takes longer, or the end has begun.
    func exchange(_ command: [UInt8], within duration: Duration) -> [UInt8]? {
        let mine = locked {
            number &+= 1
            (awaited, response) = (number, nil)
            return number
        }
        post(.command(command, number: mine))
        return locked {
            _ = wait(duration) { response != nil || ending }
            awaited = 0
            defer { response = nil }
            return ending ? nil : response
        }
    }

    /// Does nothing for so long, or until the end has begun.
    func pause(_ duration: Duration) { locked { _ = wait(duration) { ending } } }

    /// Tells that the front end's thread touches nothing any more.
    func hasFinished() {
        locked {
            hasEnded = true
            pthread_cond_broadcast(changed)
        }
    }
}

extension FrontEndEvent {
    /// Whether it tells of the chip, and not of a phone.
    fileprivate var isState: Bool {
        switch self {
        case .opened, .failed: true
        case .activated, .command, .released: false
        }
    }
}
