// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The commands that wait for an answer of the event store.
struct PendingCommands {
    struct Waiting {
        /// The link, which may have ended meanwhile.
        var link: AccessLink
        var command: AuthorizedCommand
        /// The event to be recorded once the result is known.
        var event: AuditEvent
        /// The time at which the phone is answered "busy"; nil after that.
        var deadline: Instant?
        /// The blacklist change in memory, reverted if it cannot be kept.
        var blacklistStep: BlacklistStep?
        /// The configuration that takes effect once it is kept.
        var pushed: PushedConfiguration?
    }

    /// An operator's order about a credential.
    struct Revocation {
        var ticket: OperatorTicket
        /// The event to be recorded once the change is kept; nil for an order that changed nothing.
        var event: AuditEvent?
        /// The outcome once the change is kept.
        var outcome: RevocationOutcome
        /// The removal that takes effect once it is kept.
        var step: BlacklistStep?
    }

    private var waiting: [CommandID: Waiting] = [:]
    private var revocations: [CommandID: Revocation] = [:]
    /// The replacements of the blacklist, for which no phone waits.
    private var replacements: [CommandID: BlacklistStep] = [:]
    private var nextNumber: UInt64 = 1

    mutating func append(_ command: Waiting) -> CommandID {
        defer { nextNumber &+= 1 }
        waiting[CommandID(nextNumber)] = command
        return CommandID(nextNumber)
    }

    mutating func append(replacement step: BlacklistStep) -> CommandID {
        defer { nextNumber &+= 1 }
        replacements[CommandID(nextNumber)] = step
        return CommandID(nextNumber)
    }

    mutating func append(_ revocation: Revocation) -> CommandID {
        defer { nextNumber &+= 1 }
        revocations[CommandID(nextNumber)] = revocation
        return CommandID(nextNumber)
    }

    mutating func removeRevocation(_ id: CommandID) -> Revocation? { revocations.removeValue(forKey: id) }

    mutating func takeReplacement(_ id: CommandID) -> BlacklistStep? { replacements.removeValue(forKey: id) }

    mutating func remove(_ id: CommandID) -> Waiting? { waiting.removeValue(forKey: id) }

    /// The pending blacklist changes in the order of arrival.
    var blacklistSteps: [BlacklistStep] {
        let steps = waiting.compactMapValues(\.blacklistStep).merging(replacements) { own, _ in own }
            .merging(revocations.compactMapValues(\.step)) { own, _ in own }
        return steps.sorted { $0.key.number < $1.key.number }.map(\.value)
    }

    /// The earliest deadline.
    var nextDeadline: Instant? {
        var earliest: Instant?
        for command in waiting.values { earliest = Instant.earlier(earliest, command.deadline) }
        return earliest
    }

    /// The commands whose deadline has passed at `now`, in the order of arrival, once each. They remain pending.
    mutating func expire(at now: Instant) -> [Waiting] {
        let late = waiting.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted { $0.number < $1.number }
        return late.compactMap { id in
            let command = waiting[id]
            waiting[id]?.deadline = nil
            return command
        }
    }
}
