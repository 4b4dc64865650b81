// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// The mailbox of a phone: after the door has opened, so that no one is delayed, and before the final status, after
/// which phones accept no command.
extension AliroTransaction {
    /// Prepares the session, if the phone permits all of it.
    mutating func startMailbox() {
        let isPermitted = reader.mailbox.allSatisfy {
            candidate.signals.isSuperset(of: $0.requirement(isInStepUp: !candidate.kinds.isEmpty))
        }
        mailboxCommands = isPermitted ? reader.mailbox.reversed() : []
    }

    /// Transmits the session's next command, or the final status after the last.
    mutating func continueMailbox() -> CardStep {
        guard let next = mailboxCommands.last else { return finish(.unsecured, .conclusion) }
        guard let command = sealed(next.message) else { return dismiss(with: .concluded) }
        state = .mailbox
        return .transmit(command)
    }

    /// Handles the response to a command. A failure ends the transaction, and what was read does not count.
    mutating func receiveMailbox() -> CardStep {
        let sealed = exchange.response
        guard let command = mailboxCommands.popLast(), let response = try? channel?.open(sealed.span),
            let contents = try? command.contents(of: response)
        else {
            mailbox = []
            return dismiss(with: .concluded)
        }
        mailbox += contents.flatMap(\.self)
        return continueMailbox()
    }
}
