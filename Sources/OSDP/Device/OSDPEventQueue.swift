// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The reports of a device on polls: changed states, of which the last counts, and events in their order.
struct OSDPEventQueue: Sendable {
    /// The maximum of events. A further one takes the place of the oldest.
    static let limit = 16
    /// The time after which an event is not reported: a door that opens for a card of some time ago opens for somebody
    /// else.
    static let lifetime: Duration = .seconds(5)

    /// A status report.
    enum Status: CaseIterable {
        case local, inputs, outputs, reader
    }

    private struct Event {
        var reply: OSDPReply
        var time: Instant

        var end: Instant { time + OSDPEventQueue.lifetime }
    }

    private var changed: Set<Status> = []
    private var events: [Event] = []
    /// The last report, until the next command shows that the panel has it.
    private var sentStatus: Status?
    private var sentEvent: Event?
    /// Events dropped since the last look.
    private var dropped: [OSDPReply] = []

    /// The time at which the first event expires.
    var deadline: Instant? { events.lazy.map(\.end).min() }

    /// The time from which on the last report is not sent again; nil if it is no event.
    var sentEnd: Instant? { sentEvent?.end }

    mutating func change(_ status: Status) { changed.insert(status) }

    /// Adds an event of a time in the past. False if it has expired.
    mutating func add(_ reply: OSDPReply, of time: Instant, at now: Instant) -> Bool {
        let event = Event(reply: reply, time: time)
        guard event.end > now else { return false }
        events.append(event)
        dropSurplus()
        return true
    }

    /// Drops expired events.
    mutating func advance(to now: Instant) {
        guard let deadline, deadline <= now else { return }
        dropped += events.filter { $0.end <= now }.map(\.reply)
        events.removeAll { $0.end <= now }
    }

    /// Drops all events. Changed states are reported later.
    mutating func clear() {
        dropped += events.map(\.reply)
        events.removeAll()
    }

    /// The dropped events, once.
    mutating func takeDropped() -> [OSDPReply] {
        guard !dropped.isEmpty else { return [] }
        defer { dropped = [] }
        return dropped
    }

    /// Notes that the panel has the last report, and returns it if it is an event.
    @discardableResult mutating func confirm() -> OSDPReply? {
        defer { (sentStatus, sentEvent) = (nil, nil) }
        return sentEvent?.reply
    }

    /// Makes the last report again, since the panel may not have it. Expired ones are dropped.
    mutating func restore(at now: Instant) {
        if let status = sentStatus { changed.insert(status) }
        if let event = sentEvent {
            if event.end > now { events.insert(event, at: 0) } else { dropped.append(event.reply) }
        }
        confirm()
        dropSurplus()
    }

    private mutating func dropSurplus() {
        guard events.count > OSDPEventQueue.limit else { return }
        dropped.append(events.removeFirst().reply)
    }

    /// The next report: a status, whose reply `status` makes, or an event; nil if there is nothing.
    mutating func next(_ status: (Status) -> OSDPReply) -> OSDPReply? {
        if let next = Status.allCases.first(where: changed.contains) {
            changed.remove(next)
            sentStatus = next
            return status(next)
        }
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        sentEvent = event
        return event.reply
    }
}
