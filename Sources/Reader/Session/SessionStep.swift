// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol

/// The result of a message, and the caller's next action.
public enum SessionStep: Equatable, Sendable {
    /// The answer to a handshake is ready: send it.
    case reply
    /// Execute the command, then call `finish`.
    case execute(AuthorizedCommand)
    /// Decide about the credential, then call `finish`.
    case decide(AuthorizedCredential)
    /// Nothing is sent; the phone's next message must be a handshake. The code is for log and metrics.
    case silent(StatusCode)
    /// The exchange was refused and a status message is ready: send it.
    case refused(SessionRefusal)
}

/// A command with a good signature, within its validity. The blacklist has not been consulted.
public struct AuthorizedCommand: Hashable, Sendable {
    /// The credential it was issued to, at most 10 characters.
    public var credentialID: String
    /// The command. The answer to a command that this reader does not know is −5.
    public var name: CommandName
    /// The command's data, which are not signed: only for the maintenance commands, else always empty.
    public var data: [UInt8]
    /// The validity in the token.
    public var validity: TokenValidity
    /// True if `validity` was compared with the clock. False only for a command that sets the clock: it is compared
    /// with the time in the command before anything is done.
    public var wasValidityChecked: Bool

    /// The command with these parts.
    public init(
        credentialID: String, name: CommandName, data: [UInt8], validity: TokenValidity, wasValidityChecked: Bool
    ) {
        self.credentialID = credentialID
        self.name = name
        self.data = data
        self.validity = validity
        self.wasValidityChecked = wasValidityChecked
    }
}

/// The refusal of an exchange, and the attempt to record.
public struct SessionRefusal: Hashable, Sendable {
    /// The status in the answer.
    public var status: StatusCode
    /// The attempt to record; nil if the exchange ended before the check of a signature.
    public var attempt: Attempt?

    /// A refusal with this status.
    public init(status: StatusCode, attempt: Attempt? = nil) {
        self.status = status
        self.attempt = attempt
    }

    /// A command or a credential that was refused. Its claims are not proven.
    public struct Attempt: Hashable, Sendable {
        /// The event to record: a command's (14), or an OSS credential's (15).
        public var event: EventId
        /// The information of the event, which may differ from the status in the answer.
        public var info: StatusCode
        /// The credential named in the token; empty if the token names no credential.
        public var credentialID: String
        /// The command named in the token; nil for a credential.
        public var command: CommandName?

        /// An attempt with these parts.
        public init(info: StatusCode, credentialID: String, command: CommandName) {
            event = .terminalCommand
            self.info = info
            self.credentialID = credentialID
            self.command = command
        }

        /// An attempt with a credential whose signature is invalid; its name is empty if it has none.
        public init(info: StatusCode, credentialID: String) {
            event = .terminalOss
            self.info = info
            self.credentialID = credentialID
        }
    }
}

extension AuthorizedCommand: CustomStringConvertible, CustomDebugStringConvertible {
    /// A text that is safe in a log: without the credential, and without the data, which may contain keys.
    public var description: String { "command \(name.rawValue), \(data.count) octets of data" }

    /// The same.
    public var debugDescription: String { description }
}

extension SessionRefusal.Attempt: CustomStringConvertible, CustomDebugStringConvertible {
    /// A text that is safe in a log: without the credential.
    public var description: String {
        "\(command.map { "command \($0.rawValue)" } ?? "OSS credential"), code \(info.rawValue)"
    }

    /// The same.
    public var debugDescription: String { description }
}
