// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// An outcome that an injected fault delays.
struct DelayedOutcome: Sendable {
    let due: Instant
    let ticket: CommandTicket
    let outcome: CommandOutcome
}

/// The injected faults of commands.
extension NodeModel {
    private func reaction(to path: CommandPath) -> MatterFaults.Reaction? {
        faults.reactions[MatterFaults.Command(cluster: path.cluster, command: path.command)]
    }

    /// The outcome of a command that is not executed, if a fault demands one.
    mutating func injectedOutcome(of path: CommandPath, _ ticket: CommandTicket) -> CommandOutcome? {
        switch reaction(to: path) {
        case .silence:
            notice(.faultInjected("no answer to \(CommandName.text(path))"))
            return .unanswered
        case .refusal(let status):
            notice(.faultInjected("\(CommandName.text(path)) refused"))
            return .status(status)
        default: return nil
        }
    }

    /// A delay of `outcome`, if a fault demands one.
    mutating func injectedDelay(
        of path: CommandPath, _ outcome: CommandOutcome, _ ticket: CommandTicket, at now: Instant
    ) -> CommandOutcome? {
        guard case .delay(let time) = reaction(to: path) else { return nil }
        notice(.faultInjected("answer to \(CommandName.text(path)) delayed"))
        if case .later = outcome {
            delaysOfLater[ticket] = time
        } else {
            delayed.append(DelayedOutcome(due: now + time, ticket: ticket, outcome: outcome))
        }
        return .later(ticket)
    }

    /// True if a fault delays an outcome that was still unknown when the command was executed. It is completed when the
    /// delay ends.
    mutating func delays(_ outcome: CommandOutcome, _ ticket: CommandTicket, at now: Instant) -> Bool {
        guard let time = delaysOfLater.removeValue(forKey: ticket) else { return false }
        delayed.append(DelayedOutcome(due: now + time, ticket: ticket, outcome: outcome))
        return true
    }
}
