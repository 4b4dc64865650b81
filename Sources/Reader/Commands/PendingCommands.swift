import Timekeeping

/// Commands that wait for an answer of the event store.
struct PendingCommands {
    struct Waiting {
        var link: PhoneID
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
