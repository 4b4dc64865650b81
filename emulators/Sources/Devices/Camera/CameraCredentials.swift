// SPDX-License-Identifier: Apache-2.0

public import WiFi

/// Credentials sent by a client to a camera: a network, a user, and a token that the camera redeems at its vendor's
/// server.
public struct CameraCredentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The network's name; empty for the mobile network of a camera with a SIM.
    public var name: WiFiName
    /// The network's passphrase; empty for an open one.
    public var passphrase: WiFiPassphrase
    /// The user's identifier on the server.
    public var userID: String
    /// The pairing token.
    public var token: PairingToken

    /// Credentials with these fields.
    public init(name: WiFiName, passphrase: WiFiPassphrase, userID: String, token: PairingToken) {
        self.name = name
        self.passphrase = passphrase
        self.userID = userID
        self.token = token
    }

    /// True if name, passphrase and user all end with a carriage return: the client ends its lines with CR LF.
    public var hasCarriageReturns: Bool {
        name.octets.last == 0x0D && passphrase.withOctets { $0.last == 0x0D } && userID.utf8.last == 0x0D
    }

    /// The network and the user, without passphrase and token.
    public var description: String {
        let target = name.octets.isEmpty ? "mobile network" : "network \(name)"
        return "\(target), user \(userID.debugDescription), passphrase \(passphrase), token \(token)"
    }
    /// The same as the description.
    public var customMirror: Mirror { Mirror(self, children: ["credentials": description]) }
}

/// The textual formats of credentials.
public enum CameraCredentialsForm: String, Sendable, CaseIterable {
    /// `ssid\npassword\nuserId\npairingToken\n`: the format published for apps.
    case lines
    /// `SSID=…\nPASS=…\nUID=…\nKEY=…`: the format of the camera vendor.
    case equals
    /// `SSID:…\nPASS:…\nUID:…\nKEY:…`: an older revision of it.
    case colons
}

/// An error in credentials.
public enum CameraCredentialsFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// More than `CameraCredentialsReader.maximumCount` octets.
    case tooLong
    /// The number of lines, instead of four, after which nothing more arrived.
    case incomplete(lines: Int)
    /// The fourth line has no terminating line feed, which this format requires.
    case noTrailingNewline
    /// Octets after the fourth line.
    case trailing(count: Int)
    /// A line is not UTF-8.
    case notText(line: Int)
    /// A required line is empty.
    case empty(line: Int)
    /// A line exceeds the limit of its field.
    case fieldTooLong(line: Int, maximum: Int)
    /// A line has the wrong key, or none.
    case key(line: Int)

    /// A short description, without any of the written octets.
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
