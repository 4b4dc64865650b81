// SPDX-License-Identifier: Apache-2.0

import EventStore
import Reader

/// The stored contents of an earlier run, loaded after the start.
struct StoredContents {
    /// The blacklist.
    var blacklist: [BlacklistRow] = []
    /// The settings, by name.
    var settings: [String: [UInt8]] = [:]
    /// The time of the last event of an earlier run, in seconds since 1970; nil if unknown or without an earlier run.
    var lastEvent: Int64?
    /// False if the time of the last event is unknown; with true, nil means that there was no event.
    var isLastEventKnown = true
    /// The reason why the policy is refused; nil if it is known.
    var refusal: PolicyRefusal?
    /// The names of the policy's files that had to be repaired; nil if there were none.
    var mended: String?

    /// The state of the reader's clock; nil if none was stored. Invalid octets yield a clock that phones may not
    /// change.
    var clockMarks: ClockMarks? {
        settings[ClockMarks.setting].map { ClockMarks($0) ?? .exhausted(latest: 0) }
    }
}

/// The queries at the start and their answers. A value, part of the recorder.
///
/// It loads the policy and the newest records. If the records cannot be read, the file next to the log states the time
/// of the last event, so that the loss of the log denies no access.
struct Restoration {
    /// The contents, while the newest records are pending.
    private var contents: StoredContents?
    /// True if the stored policy cannot be read.
    private(set) var cannotReadContents = false
    private var cannotReadNewest = false
    /// True while answers are pending.
    private(set) var isUnderWay = true

    /// True if part of the contents could not be read, so that the queries must be repeated.
    var isIncomplete: Bool { cannotReadContents || cannotReadNewest }

    /// Notes the policy; the newest records follow.
    mutating func found(_ contents: StoredContents) { self.contents = contents }

    /// Notes that the policy cannot be read.
    mutating func contentsFailed() { cannotReadContents = true }

    /// Notes the newest records, newest first, and the time stated by the file next to the log. Returns the contents,
    /// if they could be read.
    mutating func found(_ records: [AuditRecord], timeOfHead: Int64?) -> StoredContents? {
        let lastEvent = Restoration.lastEvent(records)
        return finish(lastEvent: [lastEvent, timeOfHead].compactMap(\.self).max(), isKnown: true)
    }

    /// Notes that the newest records cannot be read. Returns the contents, if they could be read.
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

    /// Returns the time of the newest of these records that is of an earlier run and has a time.
    private static func lastEvent(_ records: [AuditRecord]) -> Int64? {
        // The first record is this run's start, whose time has not been compared yet.
        let earlier = records.first?.event.kind == .start ? records.dropFirst() : records[...]
        return earlier.first { $0.event.time.quality != .unset }?.event.time.epochSeconds
    }
}
