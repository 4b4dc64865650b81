import AccessProtocol

/// What the reader knows of the platform's updater, the program that replaces this firmware. The shell says.
public enum UpdaterState: Equatable, Sendable {
    /// None is configured.
    case absent
    /// It can be asked.
    case ready
    /// It was asked, and has not ended.
    case busy
}

/// A request for the updater, on record as far as the audit's policy wants it, whose answer is on its way.
public struct UpdateRequest: Hashable, Sendable {
    /// Who asked.
    public var credential: String
    /// By which command, `BOOTLD` or `boot`.
    public var command: String

    /// A request with these parts.
    public init(credential: String, command: String) {
        self.credential = credential
        self.command = command
    }
}

/// `BOOTLD` and `boot`: asking the platform's updater (access protocol, 9). One at a time: a second is told −21.
extension AccessReader {
    /// Asks the shell to start the updater; −5 without one, −21 while it runs.
    mutating func askUpdater(_ command: AuthorizedCommand) -> StatusCode {
        switch updater {
        case .absent: return .notSupported
        case .busy: return .unavailable
        case .ready:
            updater = .busy
            effects.append(
                .update(UpdateRequest(credential: command.credentialID, command: command.name.rawValue)))
            return .ok
        }
    }
}

extension AuthorizedCommand {
    /// Whether it is one that asks the platform's updater.
    var asksForUpdater: Bool { name.equivalent == .bootLoader }
}
