/// What a client gives a camera: a network, a user, and a token that the camera redeems at its maker's server.
public struct CameraCredentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The network's name.
    public var name: WiFiName
    /// The network's passphrase; empty for an open one.
    public var passphrase: WiFiPassphrase
    /// The user's identifier at the server.
    public var userID: String
    /// The pairing token.
    public var token: PairingToken

    /// Credentials.
    public init(name: WiFiName, passphrase: WiFiPassphrase, userID: String, token: PairingToken) {
        self.name = name
        self.passphrase = passphrase
        self.userID = userID
        self.token = token
    }

    /// The network and the user; no passphrase, no token.
    public var description: String {
        "network \(name), user \(userID.debugDescription), passphrase \(passphrase), token \(token)"
    }
    /// As the description.
    public var customMirror: Mirror { Mirror(self, children: ["credentials": description]) }
}

/// The textual forms in which credentials come.
public enum CameraCredentialsForm: String, Sendable, CaseIterable {
    /// `ssid\npassword\nuserId\npairingToken\n`: the app's side as it is published.
    case lines
    /// `SSID=…\nPASS=…\nUID=…\nKEY=…`: the camera maker's side.
    case equals
    /// `SSID:…\nPASS:…\nUID:…\nKEY:…`: an older revision of that.
    case colons
}

/// What is wrong with credentials.
public enum CameraCredentialsFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// More than `CameraCredentialsReader.maximumCount` octets.
    case tooLong
    /// So many lines in place of four; nothing more came.
    case incomplete(lines: Int)
    /// The last of the four lines has no line feed at its end, and this form needs one.
    case noTrailingNewline
    /// Octets after the fourth line.
    case trailing(count: Int)
    /// A line is not UTF-8.
    case notText(line: Int)
    /// A line that must say something says nothing.
    case empty(line: Int)
    /// A line says more than the field may have.
    case fieldTooLong(line: Int, maximum: Int)
    /// A line has another key than it should, or none.
    case key(line: Int)

    /// In a few words; nothing of what was written is repeated.
    public var description: String {
        switch self {
        case .tooLong: "more than \(CameraCredentialsReader.maximumCount) octets"
        case .incomplete(let lines): "\(lines) of 4 lines"
        case .noTrailingNewline: "no line feed after the fourth line"
        case .trailing(let count): "\(count) octets after the fourth line"
        case .notText(let line): "line \(line) is not UTF-8"
        case .empty(let line): "line \(line) is empty"
        case .fieldTooLong(let line, let maximum): "line \(line) has more than \(maximum) octets"
        case .key(let line): "line \(line) does not begin with the key that belongs there"
        }
    }
}
