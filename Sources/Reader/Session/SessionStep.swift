public import AccessProtocol

/// What a frame led to, and what the caller does now.
public enum SessionStep: Equatable, Sendable {
    /// More frames are needed.
    case incomplete
    /// The answer to a handshake is ready: send the frames.
    case reply
    /// Execute the command, then call `finish`.
    case execute(AuthorizedCommand)
    /// Decide about the credential, then call `finish`.
    case decide(AuthorizedCredential)
    /// Nothing is sent; the phone's next message must be a handshake. The code is for log and metrics.
    case silent(StatusCode)
    /// The exchange was refused and a status message is ready: send the frame.
    case refused(SessionRefusal)
}

/// A command that carries a good signature and is within its time. The blacklist has not been asked.
public struct AuthorizedCommand: Hashable, Sendable {
    /// The credential it was issued to, at most 10 characters.
    public var credentialID: String
    /// What to do; it may be a command that this reader does not know, to be answered by −5.
    public var name: CommandName
    /// What comes with the command, which nobody signed: only for the maintenance commands, else always empty.
    public var data: [UInt8]
    /// From when to when the token says it is valid.
    public var validity: TokenValidity
    /// Whether `validity` was compared with the clock. False only for a command that sets the clock: it is compared with
    /// the time that the command brings before anything is done.
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

/// Why an exchange was refused, and what to record about it.
public struct SessionRefusal: Hashable, Sendable {
    /// What the phone is told.
    public var status: StatusCode
    /// The attempt to record, if it got as far as a signature.
    public var attempt: Attempt?

    /// A refusal with this answer.
    public init(status: StatusCode, attempt: Attempt? = nil) {
        self.status = status
        self.attempt = attempt
    }

    /// A command that was asked for, or a credential that was shown, and refused. What it claims is not proven.
    public struct Attempt: Hashable, Sendable {
        /// The event to record: a command's (14), or an OSS credential's (15).
        public var event: EventId
        /// The information of the event; not always what the phone is told.
        public var info: StatusCode
        /// The credential that the token names; empty if it names none.
        public var credentialID: String
        /// The command that the token names; nil if it shows a credential.
        public var command: CommandName?

        /// An attempt with these parts.
        public init(info: StatusCode, credentialID: String, command: CommandName) {
            event = .terminalCommand
            self.info = info
            self.credentialID = credentialID
            self.command = command
        }

        /// An attempt with a credential whose signature is not good; its name is empty if it has none.
        public init(info: StatusCode, credentialID: String) {
            event = .terminalOss
            self.info = info
            self.credentialID = credentialID
        }
    }
}

extension AuthorizedCommand: CustomStringConvertible, CustomDebugStringConvertible {
    /// What is safe in a log: not the credential, and not the data, which may hold a configuration with its keys.
    public var description: String { "command \(name.rawValue), \(data.count) octets of data" }

    /// The same.
    public var debugDescription: String { description }
}

extension SessionRefusal.Attempt: CustomStringConvertible, CustomDebugStringConvertible {
    /// What is safe in a log: not the credential.
    public var description: String {
        "\(command.map { "command \($0.rawValue)" } ?? "OSS credential"), code \(info.rawValue)"
    }

    /// The same.
    public var debugDescription: String { description }
}
