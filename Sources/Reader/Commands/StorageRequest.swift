public import AccessProtocol

/// A request to the event store.
public struct StorageRequest: Equatable, Sendable {
    /// What to answer with; nil where nobody waits for the answer.
    public var id: CommandID?
    /// What is to be done or looked up.
    public var work: StorageWork

    /// A request with these parts.
    public init(id: CommandID?, work: StorageWork) {
        self.id = id
        self.work = work
    }
}

/// The work that a request to the event store asks for.
public enum StorageWork: Equatable, Sendable {
    /// How much there is, for `STATUS`.
    case counters
    /// Records of the event log.
    case events(AuditQuery)
    /// Hides the event log up to this event, which says so.
    case clearEvents(AuditEvent)
    /// Lines of the system log.
    case systemLines(SystemLineQuery)
    /// Empties the system log.
    case clearSystemLines
    /// Changes the stored blacklist; the list in memory has changed already.
    case blacklist(BlacklistChange)
    /// Sets the reader's clock, by this authority; answered at once.
    case clock(epochSeconds: Int64, ReaderClock.Authority)
    /// Puts a setting, or takes it away.
    case setting(String, [UInt8]?)
}

/// What became of a storage request.
public enum StorageAnswer: Equatable, Sendable {
    /// The counters.
    case counters(LogCounters)
    /// The records, in the order that was asked for.
    case events([AuditRecord])
    /// The lines, in the order that was asked for.
    case systemLines([SystemLine])
    /// What became of the time.
    case clock(ReaderClock.Outcome)
    /// It is done, and survives a power cut.
    case done
    /// Nothing of it was done: −8 where there is no room, −21 where the disk does not answer as it should.
    case failed(StatusCode)
}

/// How much is in the logs, as `STATUS` tells it.
public struct LogCounters: Hashable, Sendable {
    /// How many events are kept.
    public var eventLimit: UInt32 = 0
    /// How many events there are that were not cleared.
    public var events: UInt32 = 0
    /// The newest event's number; 0 if there never was one.
    public var lastEvent: UInt64 = 0
    /// How many lines of the system log are kept.
    public var lineLimit: UInt32 = 0
    /// How many lines there are.
    public var lines: UInt32 = 0
    /// The newest line's number; 0 if there never was one.
    public var lastLine: UInt64 = 0

    /// Empty logs.
    public init() {}

    /// The place in a ring of `limit` entries that follows the newest.
    static func index(_ last: UInt64, _ limit: UInt32) -> UInt32 { limit == 0 ? 0 : UInt32(last % UInt64(limit)) }
}
