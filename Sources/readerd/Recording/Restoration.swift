import EventStore
import Reader

/// What was kept of an earlier run, as it is found after the start.
struct StoredContents {
    /// The blacklist.
    var blacklist: [BlacklistRow] = []
    /// The settings, by name.
    var settings: [String: [UInt8]] = [:]
    /// When the last event of an earlier run was, in seconds since 1970; nil if that is not known.
    var lastEvent: Int64?
    /// Whether that is all that can be known: without it, there was no event.
    var isLastEventKnown = true
    /// Why nobody knows what was kept; nil if that is known.
    var refusal: PolicyRefusal?
    /// What of the policy's files had to be written again; nil if nothing had.
    var mended: String?

    /// The state of the reader's clock; nil of a reader that never had one. Octets that are none are those of a clock
    /// that phones may not move any more.
    var clockMarks: ClockMarks? {
        settings[ClockMarks.setting].map { ClockMarks($0) ?? .exhausted(latest: 0) }
    }
}

/// The questions to the store at the start, and their answers: part of the recorder, a value.
///
/// The policy and the newest records: without the latter, the file beside the log says when the last event was, so that
/// a log that is lost keeps nobody out.
struct Restoration {
    /// The contents, while the newest records have still to come.
    private var contents: StoredContents?
    /// Whether what was kept cannot be read.
    private(set) var cannotReadContents = false
    private var cannotReadNewest = false
    /// Whether answers are still to come.
    private(set) var isUnderWay = true

    /// Whether anything could not be read, so that it is worth asking again.
    var isIncomplete: Bool { cannotReadContents || cannotReadNewest }

    /// What was kept has been found; the newest records come next.
    mutating func found(_ contents: StoredContents) { self.contents = contents }

    /// What was kept cannot be read.
    mutating func contentsFailed() { cannotReadContents = true }

    /// The newest records have been found, newest first. `timeOfHead`: what the file beside the log says. Returns what
    /// was kept, if it could be read.
    mutating func found(_ records: [AuditRecord], timeOfHead: Int64?) -> StoredContents? {
        let lastEvent = Restoration.lastEvent(records)
        return finish(lastEvent: [lastEvent, timeOfHead].compactMap(\.self).max(), isKnown: true)
    }

    /// The newest records cannot be read. Returns what was kept, if that could be read.
    mutating func newestFailed(timeOfHead: Int64?) -> StoredContents? {
        cannotReadNewest = true
        return finish(lastEvent: timeOfHead, isKnown: timeOfHead != nil)
    }

    private mutating func finish(lastEvent: Int64?, isKnown: Bool) -> StoredContents? {
        isUnderWay = false
        contents?.lastEvent = lastEvent
        contents?.isLastEventKnown = isKnown
        defer { contents = nil }
        return contents
    }

    /// When the newest of these records was that an earlier run has made, and that had a time.
    private static func lastEvent(_ records: [AuditRecord]) -> Int64? {
        // The first is this run's start, whose time nothing has been compared with yet.
        let earlier = records.first?.event.kind == .start ? records.dropFirst() : records[...]
        return earlier.first { $0.event.time.quality != .unset }?.event.time.epochSeconds
    }
}
