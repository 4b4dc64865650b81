// SPDX-License-Identifier: Apache-2.0

import Fleet
import Remote
import Timekeeping

/// The pace at which parts of a desired state are asked for: each time the broker sends all that it retains.
struct DesiredPacing {
    /// The time for chunks to come before they are asked for again. It doubles up to `longest`.
    static let pause = Duration.seconds(5)
    /// The longest time before a part is asked for again, and the time before a refusal that passes is reconsidered.
    static let longest = Duration.seconds(60)

    private var part: DesiredPart?
    /// The version that is followed; nil for none.
    private var version: UInt64?
    private var askedAt = Instant.origin
    private var pause = DesiredPacing.pause
    /// The time of the next question; nil for none.
    private(set) var deadline: Instant?

    /// Follows the state, after an order or a chunk. Returns the part to ask for now; nil for none.
    mutating func follow(_ state: DesiredState, afterOrder: Bool, at now: Instant) -> DesiredPart? {
        switch state.need {
        case nil: (part, version, deadline) = (nil, nil, nil)
        case .manifest:
            version = nil
            // A running deadline remains.
            if part != .manifest { (part, deadline) = (.manifest, now + DesiredPacing.longest) }
        case .chunks:
            let isNew = version != state.report.pending?.version || part != .chunks
            // An order that comes again may come by another connection, which gives no chunks without a request.
            guard isNew || afterOrder && now - askedAt >= DesiredPacing.pause else { return nil }
            (part, version, pause) = (.chunks, state.report.pending?.version, DesiredPacing.pause)
            (askedAt, deadline) = (now, now + pause)
            return .chunks
        }
        return nil
    }

    /// Returns the part to ask for again now, and schedules the next question; nil if no question is due.
    mutating func next(at now: Instant) -> DesiredPart? {
        guard let part, let deadline, deadline <= now else { return nil }
        askedAt = now
        pause = min(pause * 2, DesiredPacing.longest)
        self.deadline = now + (part == .manifest ? DesiredPacing.longest : pause)
        return part
    }
}
