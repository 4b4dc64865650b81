// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol

/// A request to the event store.
public struct StorageRequest: Equatable, Sendable {
    /// The identifier of the command that waits for the answer; nil if none does.
    public var id: CommandID?
    /// The work to be done.
    public var work: StorageWork

    /// A request with these parts.
    public init(id: CommandID?, work: StorageWork) {
        self.id = id
        self.work = work
    }
}

/// The work of a request to the event store.
public enum StorageWork: Equatable, Sendable {
    /// The counters of the logs, for `STATUS`.
    case counters
    /// Records of the event log.
    case events(AuditQuery)
    /// Hides the event log up to this event, which records the clearing.
    case clearEvents(AuditEvent)
    /// Lines of the system log.
    case systemLines(SystemLineQuery)
    /// Empties the system log.
    case clearSystemLines
    /// Changes the stored blacklist; the list in memory has already changed.
    case blacklist(BlacklistChange)
    /// Sets the reader's clock by this authority; answered at once.
    case clock(epochSeconds: Int64, ReaderClock.Authority)
    /// Sets a setting, or removes it.
    case setting(String, [UInt8]?)
}

/// The result of a storage request.
public enum StorageAnswer: Equatable, Sendable {
    /// The counters of the logs.
    case counters(LogCounters)
    /// The records in the requested order.
    case events([AuditRecord])
    /// The lines in the requested order.
    case systemLines([SystemLine])
    /// The result of setting the clock.
    case clock(ReaderClock.Outcome)
    /// Done, and kept over a power cut.
    case done
    /// Not done: −8 if there is no room, −21 if the disk does not work.
    case failed(StatusCode)
}

/// The counters of the logs in the answer to `STATUS`.
public struct LogCounters: Hashable, Sendable {
    /// The capacity of the event log in events.
    public var eventLimit: UInt32 = 0
    /// The number of events that were not cleared.
    public var events: UInt32 = 0
    /// The number of the newest event; 0 if there never was one.
    public var lastEvent: UInt64 = 0
    /// The capacity of the system log in lines.
    public var lineLimit: UInt32 = 0
    /// The number of lines.
    public var lines: UInt32 = 0
    /// The number of the newest line; 0 if there never was one.
    public var lastLine: UInt64 = 0

    /// Creates the counters of empty logs.
    public init() {}

    /// The place after the newest entry in a ring of `limit` entries.
    static func index(_ last: UInt64, _ limit: UInt32) -> UInt32 { limit == 0 ? 0 : UInt32(last % UInt64(limit)) }
}
