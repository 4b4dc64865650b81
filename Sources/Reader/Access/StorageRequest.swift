public import AccessProtocol
import Peripheral
import Timekeeping

/// Something for whoever keeps the log, the blacklist and the settings.
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

/// What is asked of whoever keeps the log, the blacklist and the settings.
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

/// Commands that wait for an answer of whoever keeps things.
struct PendingCommands {
    struct Waiting {
        var link: LinkID
        var command: AuthorizedCommand
        /// What it is recorded as, once it is known what became of it.
        var event: AuditEvent
        /// When the phone is told that it takes too long; nil once it was.
        var deadline: Instant?
        /// What it has changed in memory, which is taken back if it cannot be kept.
        var blacklistStep: BlacklistStep?
        /// The configuration that takes effect when it is kept.
        var pushed: PushedConfiguration?
    }

    private var waiting: [CommandID: Waiting] = [:]
    private var nextNumber: UInt64 = 1

    mutating func append(_ command: Waiting) -> CommandID {
        defer { nextNumber &+= 1 }
        waiting[CommandID(nextNumber)] = command
        return CommandID(nextNumber)
    }

    mutating func take(_ id: CommandID) -> Waiting? { waiting.removeValue(forKey: id) }

    /// The changes of the blacklist that wait, in the order in which they came.
    var blacklistSteps: [BlacklistStep] {
        waiting.sorted { $0.key.number < $1.key.number }.compactMap(\.value.blacklistStep)
    }

    /// The earliest deadline.
    var nextDeadline: Instant? {
        var earliest: Instant?
        for command in waiting.values { earliest = Instant.earlier(earliest, command.deadline) }
        return earliest
    }

    /// Those whose time is over at `now`, once each, in the order in which they came. What they change is still
    /// waited for.
    mutating func expire(at now: Instant) -> [Waiting] {
        let late = waiting.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted { $0.number < $1.number }
        return late.compactMap { id in
            let command = waiting[id]
            waiting[id]?.deadline = nil
            return command
        }
    }
}
