// SPDX-License-Identifier: Apache-2.0

/// The latest events of a program, for pages that are opened or reconnect.
struct WebBacklog {
    /// An event as transmitted.
    struct Event: Equatable {
        /// The number, counted from 1; 0 for an event of which only the latest counts.
        var number: Int
        /// The type for which the page listens.
        var name: String
        /// The data, one line of JSON.
        var data: String

        /// The event's text (HTML, 9.2.6, "Interpreting an event stream").
        var text: String { (number > 0 ? "id: \(number)\n" : "") + "event: \(name)\ndata: \(data)\n\n" }
    }

    /// The maximum number of events kept: some hours of an emulation, minutes of a camera under load.
    static let maximumEvents = 5000
    /// The maximum number of octets kept, for long lines.
    static let maximumOctets = 4 << 20

    private(set) var events: [Event] = []
    /// The latest event of each subject, such as a reader, kept even after newer events have displaced it.
    private var rows: [String: Event] = [:]
    /// The present event of each name that has no number.
    private var present: [String: Event] = [:]
    private var octets = 0
    private var last = 0

    /// Adds an event, and drops the oldest beyond the limits.
    ///
    /// - Parameter row: the subject whose state the event is.
    mutating func add(_ name: String, _ data: String, row: String? = nil) -> Event {
        last += 1
        let event = Event(number: last, name: name, data: data)
        if let row { rows[row] = event }
        events.append(event)
        octets += data.utf8.count
        var excess = max(0, events.count - WebBacklog.maximumEvents)
        for event in events[..<excess] { octets -= event.data.utf8.count }
        while octets > WebBacklog.maximumOctets, excess < events.count - 1 {
            octets -= events[excess].data.utf8.count
            excess += 1
        }
        if excess > 0 { events.removeFirst(excess) }
        return event
    }

    /// Replaces the event of this name, which pages receive once they are opened.
    mutating func replace(_ name: String, _ data: String) -> Event {
        let event = Event(number: 0, name: name, data: data)
        present[name] = event
        return event
    }

    /// The events after `number`; all kept events for 0 and for a number of an earlier run of the program.
    func events(after number: Int) -> [Event] {
        guard let first = events.first else { return [] }
        let present = present.values.sorted { $0.name < $1.name }
        if number >= first.number, number <= last { return events[(number - first.number + 1)...] + present }
        return rows.values.filter { $0.number < first.number }.sorted { $0.number < $1.number } + events + present
    }
}
