// SPDX-License-Identifier: Apache-2.0

import CLinux
import Synchronization
public import Timekeeping

/// An event loop on one thread that waits for descriptors, deadlines, signals and work, and calls their handlers.
///
/// The caller of `run()` provides the thread. Everything but `perform`, `stop` and `now` must be used on that thread,
/// or before `run()` on the thread that sets the loop up; a violation terminates the process. A turn calls handlers
/// first, then due timers, then actions. The number of calls of each kind is bounded, so that none can starve another.
public final class Reactor: @unchecked Sendable {
    /// The maximum number of descriptors served in a turn; others wait for the next.
    static let eventsPerTurn = 64

    private static let wakeToken = UInt64.max
    private static let timerToken = UInt64.max - 1

    private let epoll: Descriptor
    let wakeDescriptor: Descriptor
    let timerDescriptor: Descriptor
    private let events: UnsafeMutablePointer<readerd_event>

    // Shared with other threads.
    let owner = Atomic<UInt>(0)
    private let stopIsAsked = Atomic<Bool>(false)
    let inbox = Locked<[@Sendable () -> Void]>([])

    // Used on the loop's thread only.
    private var watches: [Watch?] = []
    private var freeSlots: [Int] = []
    private var nextGeneration: UInt32 = 0
    var deadlines = DeadlineHeap()
    var due: [Timer] = []
    /// The longest wait for input; a shorter one narrows `inputAge`. Nil waits without limit.
    public var longestWait: Duration?
    /// The number of turns, and the start of the last wait that reported all ready descriptors.
    private(set) var turns: UInt64 = 0
    private(set) var lastLook: Instant
    /// The earliest time at which the input of the present handler may have arrived.
    private(set) var inputSince: Instant
    /// The time of the timerfd, possibly earlier than needed, never later; nil if it must be set again.
    var armed: Instant? = Instant(nanoseconds: .max)
    var actions: [@Sendable () -> Void] = []

    /// A loop without anything to wait for.
    ///
    /// - Throws: `SystemError` if the process has no descriptors left.
    public init() throws(SystemError) {
        epoll = try Descriptor(readerd_epoll_create(), "epoll_create")
        wakeDescriptor = try Descriptor(readerd_eventfd_create(), "eventfd")
        timerDescriptor = try Descriptor(readerd_timerfd_create(), "timerfd_create")
        (lastLook, inputSince) = (MonotonicClock.now, MonotonicClock.now)
        due.reserveCapacity(Reactor.eventsPerTurn)
        events = .allocate(capacity: Reactor.eventsPerTurn)
        events.initialize(repeating: readerd_event(), count: Reactor.eventsPerTurn)
        // Edge-triggered: each write to the eventfd wakes the loop, and it need not be read.
        try control(wakeDescriptor.raw, readerd_event_in | readerd_event_edge, Reactor.wakeToken)
        try control(timerDescriptor.raw, readerd_event_in, Reactor.timerToken)
    }

    deinit {
        events.deinitialize(count: Reactor.eventsPerTurn)
        events.deallocate()
    }

    /// The time of CLOCK_MONOTONIC, with the clock's origin.
    public var now: Instant { MonotonicClock.now }

    /// The longest time that the input of the present handler can have waited: since the loop last found its
    /// descriptor without input. It covers the time in which the process was stopped, frozen, starved or in a handler,
    /// and a backlog that handlers leave unread. In an idle loop it is up to two waits (`longestWait`).
    public var inputAge: Duration { now - inputSince }

    // MARK: Running

    /// Runs the loop until `stop()`.
    ///
    /// - Throws: `SystemError` if epoll_wait(2) fails, which no input can cause.
    public func run() throws(SystemError) {
        let entered = owner.compareExchange(expected: 0, desired: readerd_thread(), ordering: .acquiringAndReleasing)
        precondition(entered.exchanged, "Reactor.run() is running already")
        defer { owner.store(0, ordering: .releasing) }
        while !stopIsAsked.exchange(false, ordering: .acquiringAndReleasing) { try turn() }
    }

    /// Makes `run()` return after the current turn; callable from any thread. If the loop is not running, the next
    /// `run()` returns immediately.
    public func stop() {
        stopIsAsked.store(true, ordering: .releasing)
        if !isOnLoop { wake() }
    }

    private func turn() throws(SystemError) {
        try arm()
        let began = now
        let limit = longestWait.map { CInt(clamping: max($0.wholeMilliseconds, 1)) } ?? -1
        let answer = readerd_epoll_wait(epoll.raw, events, CInt(Reactor.eventsPerTurn), limit)
        let count = try SystemError.check(answer, "epoll_wait")
        for index in 0..<Int(count) {
            dispatch(readerd_event_token(events + index), readerd_event_flags(events + index))
        }
        inputSince = lastLook
        runDueTimers()
        runActions()
        turns += 1
        // A full report may have left out ready descriptors.
        if count < Reactor.eventsPerTurn { lastLook = began }
    }

    private func dispatch(_ token: UInt64, _ flags: UInt32) {
        switch token {
        case Reactor.wakeToken:
            takeActions()
        case Reactor.timerToken:
            armed = nil
        default:
            // An earlier handler may have cancelled the watch, and its slot may have been reused.
            let slot = Int(token & 0xFFFF_FFFF)
            guard slot < watches.count, let watch = watches[slot], watch.token == token else { return }
            inputSince = watch.inputSince(turn: turns, lastLook: lastLook)
            watch.deliver(flags)
        }
    }

    // MARK: Descriptors

    /// Calls `handler` whenever the descriptor is ready. Level-triggered: unhandled readiness is reported again. A
    /// descriptor can have one watch (EEXIST), and must not be a regular file (EPERM).
    ///
    /// When a persistent hang-up or error was reported with nothing left to read, the watch ends, since such a
    /// descriptor is always ready. When only the peer's sending has ended, readability is not reported again.
    public func watch(
        _ descriptor: CInt, _ interest: Interest, handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        preconditionOnLoop()
        let slot = freeSlots.popLast() ?? watches.count
        let token = UInt64(nextGeneration) << 32 | UInt64(slot)
        // The two tokens of the loop itself have all upper bits set.
        nextGeneration = nextGeneration == UInt32.max - 1 ? 0 : nextGeneration + 1
        let watch = Watch(self, descriptor, interest, token: token, since: inputSince, handler: handler)
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

    /// Registers a watch's events with epoll.
    func register(_ watch: Watch, _ operation: CInt) throws(SystemError) {
        preconditionOnLoop()
        let answer = readerd_epoll_control(epoll.raw, operation, watch.descriptor, watch.flags, watch.token)
        _ = try SystemError.check(answer, "epoll_ctl")
    }

    /// Releases the watch's slot. The descriptor may have been closed before, which removed it from epoll.
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
