import AccessProtocol
import Reader

/// The events that phones may take along with the result of a credential: the newest in the log. A value.
struct CarriedRecords {
    /// Oldest first.
    private var events: [Event] = []
    /// Whether they have changed since they were taken.
    private var haveChanged = false

    /// How many are kept; a result carries 16 of them, of the kinds that the phone knows.
    static let limit = 64

    init() { events.reserveCapacity(CarriedRecords.limit + 1) }

    /// The record is in the log.
    mutating func append(_ record: AuditRecord) {
        events.append(record.phoneEvent)
        if events.count > CarriedRecords.limit { events.removeFirst() }
        haveChanged = true
    }

    /// Puts records of an earlier run, newest first, before those that have come since.
    mutating func found(_ records: [AuditRecord]) {
        let last = records.first.map { $0.phoneEvent.sequenceId } ?? 0
        let later = events.filter { $0.sequenceId > last }
        events.removeAll(keepingCapacity: true)
        for record in records.reversed() { append(record) }
        events += later
        events.removeFirst(max(0, events.count - CarriedRecords.limit))
    }

    /// The log was cleared: phones see nothing of before.
    mutating func clear() {
        events.removeAll(keepingCapacity: true)
        haveChanged = true
    }

    /// The events, oldest first, if they have changed since the last call.
    mutating func takeChanged() -> [Event]? {
        defer { haveChanged = false }
        return haveChanged ? events : nil
    }
}
