// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// The state of the platform's updater, the program that replaces this firmware, as reported by the shell.
public enum UpdaterState: String, Equatable, Sendable {
    /// No updater is configured.
    case absent
    /// The updater can be started.
    case ready
    /// The updater was started and has not ended.
    case busy
}

/// A request to the updater. It was recorded as the audit policy requires, and its answer is on its way.
public struct UpdateRequest: Hashable, Sendable {
    /// The identifier of the credential that requested it.
    public var credential: String
    /// The command, `BOOTLD` or `boot`, or `FILETRANSFER` of a panel.
    public var command: String
    /// The path of a file for the updater; nil for none.
    public var file: String?

    /// A request with these parts.
    public init(credential: String, command: String, file: String? = nil) {
        self.credential = credential
        self.command = command
        self.file = file
    }
}

/// `BOOTLD` and `boot`: requests to the platform's updater (access protocol, 9). One at a time; a second is answered by
/// −21.
extension AccessReader {
    /// Requests the start of the updater; −5 if none is configured, −21 while it runs.
    mutating func requestUpdate(_ command: AuthorizedCommand) -> StatusCode {
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
    /// True for a request to the platform's updater.
    var asksForUpdater: Bool { name.equivalent == .bootLoader }
}
