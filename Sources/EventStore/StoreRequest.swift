// SPDX-License-Identifier: Apache-2.0

public import Reader

/// The identifier of a request, returned with its answer.
public enum StoreToken: Hashable, Sendable {
    /// A record of the ledger.
    case record(RecordID)
    /// A phone's command that queries or clears a log.
    case command(CommandID)
    /// A change of the blacklist, with the command that waits for it, if any.
    case blacklist(CommandID?)
    /// A change of the setting of this name, with the command that waits for it, if any.
    case setting(String, CommandID?)
    /// A change of the policy before the order of this ticket is carried out.
    case order(UInt64)
    /// A change of the policy by the desired state of this version.
    case desired(UInt64)
    /// The policy as stored.
    case policy
    /// The newest records.
    case newestRecords
    /// Records for the link to a fleet.
    case link
    /// A request whose answer is ignored, and that may be lost.
    case unawaited
}

/// A request to the event store.
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
    /// Reads records as they are stored, cleared ones included, with the identifier of the log.
    case slice(from: UInt64, limit: Int)
    /// Reads the system log.
    case systemLines(SystemLineQuery)
    /// Loads the policy, as after a start.
    case policy
    /// Counts the records and lines.
    case counters
}

/// An answer of the event store. Changes are on the disk by then.
public enum StoreAnswer: Equatable, Sendable {
    /// The event is stored under this number; with the state of the log.
    case appended(UInt64, LogState)
    /// The log is full and its capacity says to refuse.
    case refused
    /// Done.
    case done
    /// The records.
    case events([AuditRecord])
    /// A part of the log.
    case slice(LogSlice)
    /// The lines.
    case systemLines([SystemLine])
    /// The policy, and the names of its files that had to be repaired, if any.
    case policy(PolicyDocument, mended: String?)
    /// The stored policy cannot be trusted.
    case policyRefused(PolicyRefusal)
    /// The counters of the logs.
    case counters(LogCounters)
    /// Failed, without any effect.
    case failed(DiskFault)
}

/// An answer with the token of its request.
public struct StoreResult: Equatable, Sendable {
    /// The request's token.
    public var token: StoreToken
    /// The answer.
    public var answer: StoreAnswer

    /// Creates an answer to the request with this token.
    public init(token: StoreToken, answer: StoreAnswer) {
        self.token = token
        self.answer = answer
    }
}
