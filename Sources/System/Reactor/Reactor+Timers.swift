// SPDX-License-Identifier: Apache-2.0

import CLinux
public import Timekeeping

extension Reactor {
    /// Calls `action` once, at the deadline or as soon after it as the loop can; in the next turn if it has passed.
    /// Never within this call.
    @discardableResult
    public func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> Timer {
        let timer = Timer(self, deadline: deadline, action: action)
        insert(timer)
        return timer
    }

    /// Makes a timer without a deadline, for `Timer.set`.
    public func timer(_ action: @escaping () -> Void) -> Timer { Timer(self, deadline: .origin, action: action) }

    func insert(_ timer: Timer) {
        preconditionOnLoop()
        deadlines.insert(timer)
    }

    func remove(_ timer: Timer) {
        preconditionOnLoop()
        deadlines.remove(timer)
    }

    /// Arms the timerfd if a deadline precedes its expiry. A later deadline leaves it unchanged: a superfluous
    /// wake-up costs less than a system call for every postponed time-out.
    func arm() throws(SystemError) {
        let first = deadlines.first
        if let armed {
            guard let first, first < armed else { return }
        }
        // 0 disarms, so deadlines before the clock's origin are set to its first nanosecond.
        let setting = first.map { max($0.nanoseconds, 1) } ?? 0
        _ = try SystemError.check(readerd_timerfd_set(timerDescriptor.raw, setting), "timerfd_settime")
        armed = first ?? Instant(nanoseconds: .max)
    }

    /// Calls the actions due now. Timers scheduled by the actions follow in the next turn at the earliest.
    func runDueTimers() {
        guard deadlines.first != nil else { return }
        let now = self.now
        while let timer = deadlines.popDue(at: now) {
            timer.isDue = true
            due.append(timer)
        }
        // Actions may schedule and cancel, which does not affect `due`.
        var index = 0
        while index < due.count {
            due[index].fire()
            index += 1
        }
        due.removeAll(keepingCapacity: true)
    }
}
