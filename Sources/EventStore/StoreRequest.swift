public import Reader

/// What the store is asked for.
public enum StoreRequest: Sendable {
    /// Appends an event to the log.
    case append(AuditEvent)
    /// Changes the policy.
    case change(PolicyChange)
    /// Appends to the system log.
    case systemLine(SystemLine)
    /// Empties the system log.
    case clearSystemLog
    /// Reads records.
    case events(AuditQuery)
    /// Reads the system log.
    case systemLines(SystemLineQuery)
    /// Looks up the policy, as after a start.
    case policy
    /// Counts what there is.
    case counters
}

/// What the store answers. Whatever changed is on the disk by then.
public enum StoreAnswer: Equatable, Sendable {
    /// The event is in the log, under this number; and what the log comes to.
    case appended(UInt64, LogState)
    /// The log is full, and when it is full it refuses.
    case refused
    /// It is done.
    case done
    /// The records.
    case events([AuditRecord])
    /// The lines.
    case systemLines([SystemLine])
    /// The policy; and what of its files had to be written again, if anything.
    case policy(PolicyDocument, mended: String?)
    /// There is no policy that could be believed.
    case policyRefused(PolicyRefusal)
    /// How much is in the logs.
    case counters(LogCounters)
    /// It could not be done; nothing of it was.
    case failed(DiskFault)
}

/// An answer with the number that the request came with.
public struct StoreResult: Equatable, Sendable {
    /// The request's number.
    public var id: UInt64
    /// The answer.
    public var answer: StoreAnswer
}
