// SPDX-License-Identifier: Apache-2.0

import Testing
public import Timekeeping

/// Lets the time of a test elapse from `now` to `end`, with a stop at each deadline on the way, one at `end` included.
///
/// A deadline that is still due after its call is an issue, and ends the stops: a program's loop would spin.
///
/// - Parameters:
///   - deadline: the next time at which what is tested wants to be called.
///   - call: calls it at this time, which is never earlier than the one before.
/// - Returns: `end`, for the test's clock.
public func elapse<Failure: Error>(
    from now: Instant, to end: Instant, deadline: () -> Instant?, call: (Instant) throws(Failure) -> Void
) throws(Failure) -> Instant {
    var now = now
    while let due = deadline(), due <= end {
        now = max(now, due)
        try call(now)
        if let next = deadline(), next <= now {
            Issue.record("\(next) is still due after a call at \(now)")
            break
        }
    }
    return end
}
