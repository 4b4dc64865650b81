// SPDX-License-Identifier: Apache-2.0

import CLinux
import Synchronization

extension Reactor {
    /// Calls `action` on the loop, after earlier ones; callable from any thread. An action that is added by an action
    /// is called in a later turn.
    public func perform(_ action: @escaping @Sendable () -> Void) {
        let isFirst = inbox.withLock { inbox in
            inbox.append(action)
            return inbox.count == 1
        }
        // The loop empties the inbox after waking: if it was not empty, a wake-up is already pending.
        if isFirst { wake() }
    }

    /// The caller is on the thread that runs `run()`.
    var isOnLoop: Bool { owner.load(ordering: .acquiring) == readerd_thread() }

    /// Before `run()` there is no loop thread, and the thread that sets the reactor up has access.
    func preconditionOnLoop() {
        let thread = owner.load(ordering: .acquiring)
        precondition(thread == 0 || thread == readerd_thread(), "not on the reactor's thread")
    }

    func wake() {
        // Fails only with 2^64 - 2 pending wake-ups.
        _ = readerd_eventfd_signal(wakeDescriptor.raw)
    }

    func takeActions() { inbox.withLock { inbox in swap(&inbox, &actions) } }

    func runActions() {
        for action in actions { action() }
        actions.removeAll(keepingCapacity: true)
    }
}
