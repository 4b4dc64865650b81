// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Protobuf
public import Timekeeping

/// Reads the newest events of a reader, window by window from the newest back, since one answer holds few.
///
/// A value: `request` is the next query, and `receive` handles its answer. First comes `STATUS`, for the number of the
/// newest event.
public struct EventReading: Equatable, Sendable {
    /// The maximum number of events in an answer (docs/protocol/commands.md).
    public static let eventsPerAnswer: UInt32 = 40
    /// The maximum number of events that are read.
    public static let maximumCount = 1000

    private enum State: Equatable {
        case unknown
        /// From `next` on; `gathered` are the window's events before it.
        case window(from: UInt32, through: UInt32, next: UInt32, gathered: [Event])
        case complete
    }

    private let count: Int
    private let since: CivilTime?
    private var state = State.unknown
    /// The events so far, oldest first.
    public private(set) var events: [Event] = []

    /// The newest `count` events, 1 to `maximumCount`, not older than `since` in the reader's local time.
    public init(last count: Int, since: CivilTime? = nil) {
        self.count = min(max(count, 1), EventReading.maximumCount)
        self.since = since
    }

    /// The next request; nil after the last event.
    public var request: PhoneRequest? {
        switch state {
        case .unknown: return .status
        case .window(_, let last, let next, _):
            var data: [UInt8] = []
            EventLogQuery(maxCount: min(EventReading.eventsPerAnswer, last - next + 1), start: .sequenceId(next))
                .encodeDelimited(into: &data)
            return .command(.eventQuery, .octets(data))
        case .complete: return nil
        }
    }

    /// Handles the answer to `request`.
    mutating func receive(_ answer: ReaderAnswer) {
        switch (state, answer) {
        case (.unknown, .status(let status)): look(before: status.settings.eventLogSequenceId)
        case (.window(let first, let last, let next, let gathered), .events(let found)):
            // A reader that answers with other events than asked for must not keep the phone asking.
            let fitting = found.filter { (next...last).contains($0.sequenceId) }
            if let highest = fitting.map(\.sequenceId).max(), highest < last {
                state = .window(from: first, through: last, next: highest + 1, gathered: gathered + fitting)
            } else {
                complete(first, gathered + fitting)
            }
        default: state = .complete
        }
    }

    /// Adds a window, and continues with the one before it unless the reading is complete.
    private mutating func complete(_ first: UInt32, _ window: [Event]) {
        events = window + events
        let reachesBack = since.map { since in events.contains { CivilTime($0.eventTime) < since } } ?? false
        if window.isEmpty || reachesBack || events.count >= count {
            state = .complete
            if let since { events.removeAll { CivilTime($0.eventTime) < since } }
            events = Array(events.suffix(count))
        } else {
            look(before: first - 1)
        }
    }

    private mutating func look(before newest: UInt32) {
        guard newest > 0 else {
            state = .complete
            return
        }
        let wanted = min(UInt32(clamping: count - events.count), EventReading.eventsPerAnswer, newest)
        let first = newest - wanted + 1
        state = .window(from: first, through: newest, next: first, gathered: [])
    }
}
