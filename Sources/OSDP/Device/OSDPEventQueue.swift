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
    }

    private var changed: Set<Status> = []
    private var events: [Event] = []
    /// The last report, until the next command shows that the panel has it.
    private var sentStatus: Status?
    private var sentEvent: Event?
    /// Events dropped since the last look.
    private(set) var dropped = 0

    /// The time at which the oldest event becomes too old.
    var deadline: Instant? { events.first.map { $0.time + OSDPEventQueue.lifetime } }

    mutating func change(_ status: Status) { changed.insert(status) }

    mutating func add(_ reply: OSDPReply, at now: Instant) {
        if events.count == OSDPEventQueue.limit {
            events.removeFirst()
            dropped += 1
        }
        events.append(Event(reply: reply, time: now))
    }

    /// Drops what is too old.
    mutating func advance(to now: Instant) {
        while let deadline, deadline <= now {
            events.removeFirst()
            dropped += 1
        }
    }

    /// Drops all events. Changed states are reported later.
    mutating func clear() {
        dropped += events.count
        events.removeAll()
        sentEvent = nil
    }

    /// The number of dropped events, once.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    /// The panel has the last report.
    mutating func confirm() { (sentStatus, sentEvent) = (nil, nil) }

    /// The panel may not have the last report: it is made again.
    mutating func restore() {
        if let status = sentStatus { changed.insert(status) }
        if let event = sentEvent { events.insert(event, at: 0) }
        confirm()
        while events.count > OSDPEventQueue.limit {
            events.removeFirst()
            dropped += 1
        }
    }

    /// The next report: a status, whose reply `status` makes, or an event; nil if there is nothing.
    mutating func next(_ status: (Status) -> OSDPReply) -> OSDPReply? {
        confirm()
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
