import CLinux
import Synchronization
public import Timekeeping

/// A loop on one thread that waits for descriptors, deadlines, signals and work, and calls who waits for them.
///
/// The thread is the one that calls `run()`. Everything but `perform`, `stop`, `now` and what Swift's concurrency
/// calls belongs to that thread, or before `run()` to the one that sets the loop up; a violation stops the process.
/// In a turn, handlers come first, then timers that are due, then jobs; each kind is bounded, so none can starve
/// another.
///
/// An actor whose `unownedExecutor` is the reactor runs on the loop. Start tasks with
/// `Task(executorPreference: reactor)`: continuations then come back to the loop without a detour through the global
/// pool. `Task.sleep` starts threads of its own; use `schedule`.
public final class Reactor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// How many descriptors one turn serves; more wait for the next.
    static let eventsPerTurn = 64
    /// How many jobs one turn runs before it looks at the descriptors again.
    static let workPerTurn = 256

    private static let wakeToken = UInt64.max
    private static let timerToken = UInt64.max - 1

    private let epoll: Descriptor
    let wakeDescriptor: Descriptor
    let timerDescriptor: Descriptor
    private let events: UnsafeMutablePointer<readerd_event>

    // Shared with other threads.
    let owner = Atomic<UInt>(0)
    private let stopIsAsked = Atomic<Bool>(false)
    let inbox = Locked<[Work]>([])

    // Of the loop's thread.
    private var watches: [Watch?] = []
    private var freeSlots: [Int] = []
    private var nextGeneration: UInt32 = 0
    var deadlines = DeadlineHeap()
    var due: [Timer] = []
    /// What the timerfd is set to; it may be earlier than needed, never later. Nil if it has to be set anew.
    var armed: Instant? = Instant(nanoseconds: .max)
    var work = WorkQueue()
    var received: [Work] = []

    /// A loop with nothing to wait for. Fails when the process has no descriptors left.
    public init() throws(SystemError) {
        epoll = try Descriptor(readerd_epoll_create(), "epoll_create")
        wakeDescriptor = try Descriptor(readerd_eventfd_create(), "eventfd")
        timerDescriptor = try Descriptor(readerd_timerfd_create(), "timerfd_create")
        events = .allocate(capacity: Reactor.eventsPerTurn)
        events.initialize(repeating: readerd_event(), count: Reactor.eventsPerTurn)
        // Edge-triggered: each write to the eventfd wakes the loop, and nobody has to read it.
        try control(wakeDescriptor.raw, readerd_event_in | readerd_event_edge, Reactor.wakeToken)
        try control(timerDescriptor.raw, readerd_event_in, Reactor.timerToken)
    }

    deinit {
        events.deinitialize(count: Reactor.eventsPerTurn)
        events.deallocate()
    }

    /// The time on CLOCK_MONOTONIC; its origin is the clock's.
    public var now: Instant { Instant(nanoseconds: readerd_monotonic_nanoseconds()) }

    // MARK: Running

    /// Runs the loop until `stop()`. Throws if the kernel refuses to wait, which no input can cause.
    public func run() throws(SystemError) {
        let entered = owner.compareExchange(expected: 0, desired: readerd_thread(), ordering: .acquiringAndReleasing)
        precondition(entered.exchanged, "Reactor.run() is running already")
        defer { owner.store(0, ordering: .releasing) }
        while !stopIsAsked.exchange(false, ordering: .acquiringAndReleasing) { try turn() }
    }

    /// Makes `run()` return after the turn that is under way; from any thread. If it does not run, the next one
    /// returns at once. Work that is queued stays queued.
    public func stop() {
        stopIsAsked.store(true, ordering: .releasing)
        if !isOnLoop { wake() }
    }

    private func turn() throws(SystemError) {
        try arm()
        let timeout: CInt = work.isEmpty ? -1 : 0
        let answer = readerd_epoll_wait(epoll.raw, events, CInt(Reactor.eventsPerTurn), timeout)
        let count = try SystemError.check(answer, "epoll_wait")
        for index in 0..<Int(count) {
            dispatch(readerd_event_token(events + index), readerd_event_flags(events + index))
        }
        runDueTimers()
        runWork()
    }

    private func dispatch(_ token: UInt64, _ flags: UInt32) {
        switch token {
        case Reactor.wakeToken:
            takeInbox()
        case Reactor.timerToken:
            armed = nil
        default:
            // A handler before this one may have cancelled the watch, and its slot may be another's by now.
            let slot = Int(token & 0xFFFF_FFFF)
            guard slot < watches.count, let watch = watches[slot], watch.token == token else { return }
            watch.deliver(flags)
        }
    }

    // MARK: Descriptors

    /// Calls `handler` whenever the descriptor is ready. Level-triggered: what is not taken is told again. One
    /// descriptor has one watch (EEXIST), and cannot be a regular file (EPERM).
    ///
    /// When a hang-up or error was told with nothing left to be read, and lasts, the watch ends by itself, since
    /// such a descriptor is ready for ever. When only the other end's sending has ended, reading is not told again.
    public func watch(
        _ descriptor: CInt, _ interest: Interest, handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        preconditionOnLoop()
        let slot = freeSlots.popLast() ?? watches.count
        let token = UInt64(nextGeneration) << 32 | UInt64(slot)
        // The two tokens of the loop itself have all upper bits set.
        nextGeneration = nextGeneration == UInt32.max - 1 ? 0 : nextGeneration + 1
        let watch = Watch(self, descriptor, interest, token: token, handler: handler)
        if slot == watches.count { watches.append(nil) }
        do {
            try control(descriptor, watch.flags, token)
        } catch {
            freeSlots.append(slot)
            throw error
        }
        watches[slot] = watch
        return watch
    }

    /// Tells epoll what a watch waits for.
    func register(_ watch: Watch, _ operation: CInt) throws(SystemError) {
        preconditionOnLoop()
        let answer = readerd_epoll_control(epoll.raw, operation, watch.descriptor, watch.flags, watch.token)
        _ = try SystemError.check(answer, "epoll_ctl")
    }

    /// Gives the watch's slot back. The descriptor may have been closed before, which took it from epoll.
    func forget(_ watch: Watch) {
        preconditionOnLoop()
        _ = readerd_epoll_control(epoll.raw, readerd_epoll_remove, watch.descriptor, 0, watch.token)
        let slot = Int(watch.token & 0xFFFF_FFFF)
        watches[slot] = nil
        freeSlots.append(slot)
    }

    private func control(_ descriptor: CInt, _ flags: UInt32, _ token: UInt64) throws(SystemError) {
        let answer = readerd_epoll_control(epoll.raw, readerd_epoll_add, descriptor, flags, token)
        _ = try SystemError.check(answer, "epoll_ctl")
    }
}
