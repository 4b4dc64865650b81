public import Timekeeping

/// Time (Core 5.4, Vol 3, Part F, 3.3.3).
extension GATTServer {
    /// When `advance` is next to be called; nil if nothing is waited for.
    public var nextDeadline: Instant? {
        guard mayHaveDeadline else { return nil }
        var next: Instant?
        for slot in links.indices where links[slot].isOpen {
            if let deadline = preparedDeadline(slot) { next = min(next ?? deadline, deadline) }
            for place in place(slot, 0)...place(slot, links[slot].enhancedBearers > 0 ? limits.enhancedBearers : 0) {
                if let deadline = bearers[place].indication?.deadline { next = min(next ?? deadline, deadline) }
                if case .asking(_, _, let deadline) = bearers[place].transaction.phase {
                    next = min(next ?? deadline, deadline)
                }
            }
        }
        return next
    }

    /// Drops prepared writes whose lifetime is over, lets requests fail that the device has not answered in time (take
    /// the errors with `nextOutput`), and appends to `timedOut` the slots in which an indication was not confirmed in
    /// time: no more PDUs may be exchanged there, so their links are to be disconnected.
    public mutating func advance(to now: Instant, timedOut: inout [Int]) {
        guard mayHaveDeadline else { return }
        for slot in links.indices where links[slot].isOpen {
            if let deadline = preparedDeadline(slot), deadline <= now { dropPrepared(slot) }
            var isTimedOut = false
            for place in place(slot, 0)...place(slot, limits.enhancedBearers) {
                if let indication = bearers[place].indication, indication.deadline <= now {
                    bearers[place].indication = nil
                    isTimedOut = true
                }
                if case .asking(_, _, let deadline) = bearers[place].transaction.phase, deadline <= now {
                    bearers[place].transaction.fail(.unlikelyError)
                    mayHaveOutput = true
                }
            }
            if isTimedOut { timedOut.append(slot) }
        }
        mayHaveDeadline = nextDeadline != nil
    }

    /// Not while the queue is being executed: then the request has a deadline.
    private func preparedDeadline(_ slot: Int) -> Instant? {
        links[slot].prepared.isEmpty || links[slot].executing != nil ? nil : links[slot].prepared.deadline
    }
}
