import EventStore
import Reader

/// What the store was asked for at the start, and what has come of it: part of the desk, a value.
///
/// The policy and the newest records: without the latter, the file beside the log says when the last event was, so that
/// a log that is lost keeps nobody out.
struct Restoration {
    /// What was kept is looked up with this number; no event has it.
    static let contentsRequest = UInt64.max
    /// The newest records of an earlier run are looked up with this one.
    static let newestRequest = UInt64.max - 3

    private var contents: StorageDesk.Contents?
    /// The contents, while the newest records have still to come.
    private var foundContents: StorageDesk.Contents?
    /// Whether what was kept cannot be read.
    private(set) var cannotReadContents = false
    private var cannotReadNewest = false
    /// Whether answers are still to come.
    private(set) var isUnderWay = true

    /// Whether anything could not be read, so that it is worth asking again.
    var isIncomplete: Bool { cannotReadContents || cannotReadNewest }

    /// What was kept, once all of it is known; nil from then on.
    mutating func takeContents() -> StorageDesk.Contents? {
        defer { contents = nil }
        return contents
    }

    /// What was kept has been found; the newest records come next.
    mutating func found(_ contents: StorageDesk.Contents) { foundContents = contents }

    /// The newest records have been found, newest first. `timeOfHead`: what the file beside the log says.
    mutating func found(_ records: [AuditRecord], timeOfHead: Int64?) {
        let lastEvent = Restoration.lastEvent(records)
        finish(lastEvent: [lastEvent, timeOfHead].compactMap(\.self).max(), isKnown: true)
    }

    /// What was kept cannot be read.
    mutating func contentsFailed() { cannotReadContents = true }

    /// The newest records cannot be read.
    mutating func newestFailed(timeOfHead: Int64?) {
        cannotReadNewest = true
        finish(lastEvent: timeOfHead, isKnown: timeOfHead != nil)
    }

    private mutating func finish(lastEvent: Int64?, isKnown: Bool) {
        isUnderWay = false
        contents = foundContents
        contents?.lastEvent = lastEvent
        contents?.isLastEventKnown = isKnown
        foundContents = nil
    }

    /// When the newest of these records was that an earlier run has made, and that had a time.
    private static func lastEvent(_ records: [AuditRecord]) -> Int64? {
        // The first is this run's start, whose time nothing has been compared with yet.
        let earlier = records.first?.event.kind == .start ? records.dropFirst() : records[...]
        return earlier.first { $0.event.time.quality != .unset }?.event.time.epochSeconds
    }
}
