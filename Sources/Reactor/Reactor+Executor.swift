import CLinux
import Synchronization

extension Reactor {
    /// Enqueues a job for the loop. On the loop's own thread this makes no system call.
    public func enqueue(_ job: consuming ExecutorJob) {
        hand(over: .job(UnownedJob(job)))
    }

    /// Calls `action` on the loop, after earlier work; callable from any thread.
    public func perform(_ action: @escaping @Sendable () -> Void) {
        hand(over: .action(action))
    }

    /// Terminates the process unless called on the loop's thread.
    public func checkIsolated() {
        precondition(isOnLoop, "not on the reactor's thread")
    }

    /// Whether the caller is on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    /// Whether the caller is on the thread that runs `run()`.
    public var isOnLoop: Bool { owner.load(ordering: .acquiring) == readerd_thread() }

    /// Before `run()` there is no loop thread, and the thread that sets the reactor up has access.
    func preconditionOnLoop() {
        let thread = owner.load(ordering: .acquiring)
        precondition(thread == 0 || thread == readerd_thread(), "not on the reactor's thread")
    }

    private func hand(over item: Work) {
        if isOnLoop {
            work.append(item)
            return
        }
        let isFirst = inbox.withLock { inbox in
            inbox.append(item)
            return inbox.count == 1
        }
        // The loop empties the inbox after waking: if it was not empty, a wake-up is already pending.
        if isFirst { wake() }
    }

    func wake() {
        // Fails only with 2^64 - 2 pending wake-ups.
        _ = readerd_eventfd_signal(wakeDescriptor.raw)
    }

    func takeInbox() {
        inbox.withLock { inbox in swap(&inbox, &received) }
        for item in received { work.append(item) }
        received.removeAll(keepingCapacity: true)
    }

    func runWork() {
        var count = 0
        while count < Reactor.workPerTurn, let item = work.popFirst() {
            count += 1
            switch item {
            case .job(let job):
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            case .action(let action):
                action()
            }
        }
    }
}
