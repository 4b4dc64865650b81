// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension Air {
    /// Lets time pass on the air and its hosts until `end`, from one deadline to the next.
    ///
    /// - Parameters:
    ///   - deadline: the hosts' next deadline.
    ///   - step: performs the hosts' due actions at `now` and exchanges their packets; true ends the run.
    /// - Returns: true if a step has ended the run; the air's time is then that step's, and `end` otherwise.
    @discardableResult
    public func run(until end: Instant, deadline: () -> Instant?, step: () -> Bool) -> Bool {
        if step() { return true }
        while let next = Instant.earlier(nextDeadline, deadline()), next <= end {
            advance(to: max(next, now))
            if step() { return true }
        }
        advance(to: end)
        return step()
    }
}
