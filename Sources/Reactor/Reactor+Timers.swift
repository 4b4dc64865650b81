import CLinux
public import Timekeeping

extension Reactor {
    /// Calls `action` once, at the deadline or as soon after it as the loop can; in the next turn if it has passed.
    /// Never in the call itself.
    @discardableResult
    public func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> Timer {
        let timer = Timer(self, deadline: deadline, action: action)
        insert(timer)
        return timer
    }

    func insert(_ timer: Timer) {
        preconditionOnLoop()
        deadlines.insert(timer)
    }

    func remove(_ timer: Timer) {
        preconditionOnLoop()
        deadlines.remove(timer)
    }

    /// Sets the timerfd if something is due before it expires. A deadline that moved away leaves it as it is: one
    /// waking too many costs less than a system call for each time-out that is pushed on.
    func arm() throws(SystemError) {
        let first = deadlines.first
        if let armed {
            guard let first, first < armed else { return }
        }
        // 0 disarms, so what is due since before the clock's origin is due at its first nanosecond.
        let setting = first.map { max($0.nanoseconds, 1) } ?? 0
        _ = try SystemError.check(readerd_timerfd_set(timerDescriptor.raw, setting), "timerfd_settime")
        armed = first ?? Instant(nanoseconds: .max)
    }

    /// Calls what is due now. What the actions schedule comes in the next turn at the earliest.
    func runDueTimers() {
        guard deadlines.first != nil else { return }
        let now = self.now
        while let timer = deadlines.popDue(at: now) {
            timer.isDue = true
            due.append(timer)
        }
        // Actions may schedule and cancel, and do not touch `due`.
        var index = 0
        while index < due.count {
            due[index].fire()
            index += 1
        }
        due.removeAll(keepingCapacity: true)
    }
}
