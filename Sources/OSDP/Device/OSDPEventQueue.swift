// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The reports of a device on polls: changed states, each with its latest value, and events in order.
struct OSDPEventQueue: Sendable {
    /// The maximum number of events. A further event replaces the oldest.
    static let limit = 16
    /// The time after which an event expires: a door that opens late for a card may open for another person.
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
    /// The last report, until the next command proves that the panel received it.
    private var sentStatus: Status?
    private var sentEvent: Event?
    /// Events dropped since the last call of `takeDropped`.
    private var dropped: [OSDPReply] = []

    /// The time at which the first event expires.
    var deadline: Instant? { events.lazy.map(\.end).min() }

    /// The time at which the last report expires and is not sent again; nil if it is not an event.
    var sentEnd: Instant? { sentEvent?.end }

    mutating func change(_ status: Status) { changed.insert(status) }

    /// Adds an event that occurred at `time`. False if it has expired.
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

    /// Removes and returns the dropped events.
    mutating func takeDropped() -> [OSDPReply] {
        guard !dropped.isEmpty else { return [] }
        defer { dropped = [] }
        return dropped
    }

    /// Records that the panel received the last report, and returns it if it is an event.
    @discardableResult mutating func confirm() -> OSDPReply? {
        defer { (sentStatus, sentEvent) = (nil, nil) }
        return sentEvent?.reply
    }

    /// Queues the last report again, since the panel may not have received it. Drops an expired event.
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

    /// Removes and returns the next report: a status, whose reply `status` composes, or an event; nil if the queue is
    /// empty.
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
