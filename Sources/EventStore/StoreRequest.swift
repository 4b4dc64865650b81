public import Reader

/// Names a request; its answer comes back with it.
public enum StoreToken: Hashable, Sendable {
    /// A record of the audit trail.
    case record(RecordID)
    /// A question of a phone's command, or the emptying of a log by it.
    case command(CommandID)
    /// A change of the blacklist; the command that waits for it, if one does.
    case blacklist(CommandID?)
    /// A change of the setting of this name; the command that waits for it, if one does.
    case setting(String, CommandID?)
    /// The policy as it was kept.
    case policy
    /// The newest records.
    case newestRecords
    /// What nobody waits for, and may be lost.
    case unawaited
}

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

/// An answer with the token that the request came with.
public struct StoreResult: Equatable, Sendable {
    /// The request's token.
    public var token: StoreToken
    /// The answer.
    public var answer: StoreAnswer

    /// An answer to the request with this token.
    public init(token: StoreToken, answer: StoreAnswer) {
        self.token = token
        self.answer = answer
    }
}
