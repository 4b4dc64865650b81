// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader

/// The newest events of the log, for phones to carry along with the result of a credential. A value.
struct CarriedRecords {
    /// The events, oldest first.
    private var events: [Event] = []
    /// True if the events have changed since they were last taken.
    private var haveChanged = false

    /// The number of events kept; a result carries 16 of the kinds that the phone knows.
    static let limit = 64

    init() { events.reserveCapacity(CarriedRecords.limit + 1) }

    /// Appends a record that is in the log.
    mutating func append(_ record: AuditRecord) {
        events.append(record.phoneEvent)
        if events.count > CarriedRecords.limit { events.removeFirst() }
        haveChanged = true
    }

    /// Inserts the records of an earlier run, newest first, before those recorded since.
    mutating func found(_ records: [AuditRecord]) {
        let last = records.first.map { $0.phoneEvent.sequenceId } ?? 0
        let later = events.filter { $0.sequenceId > last }
        events.removeAll(keepingCapacity: true)
        for record in records.reversed() { append(record) }
        events += later
        events.removeFirst(max(0, events.count - CarriedRecords.limit))
    }

    /// Removes all events; for a cleared log.
    mutating func clear() {
        events.removeAll(keepingCapacity: true)
        haveChanged = true
    }

    /// Returns the events, oldest first, if they have changed since the last call.
    mutating func takeChanged() -> [Event]? {
        defer { haveChanged = false }
        return haveChanged ? events : nil
    }
}
