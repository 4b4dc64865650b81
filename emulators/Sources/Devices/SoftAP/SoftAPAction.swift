// SPDX-License-Identifier: Apache-2.0

public import NordicProvisioning
public import WiFi

/// A connection, numbered by the caller.
public struct SoftAPConnection: Hashable, Sendable {
    /// The number.
    public let number: Int

    /// The connection with this number.
    public init(_ number: Int) { self.number = number }
}

/// The network in which the device announces itself by multicast DNS.
public enum SoftAPSide: Equatable, Sendable {
    /// Its own access point.
    case accessPoint
    /// The network that it has joined: the announcement there verifies the join to an app.
    case home
}

/// An action for the caller to perform.
public enum SoftAPAction: Equatable, Sendable {
    /// Accept connections.
    case listen
    /// Accept no further connections; existing ones complete.
    case stopListening
    /// Announce the device.
    case announce(SoftAPSide)
    /// Stop announcing, with a goodbye or as if powered off.
    case silence(goodbye: Bool)
    /// Send a response.
    case answer(SoftAPConnection, SoftAPResponse)
    /// Close a connection without a response.
    case close(SoftAPConnection)
    /// Report an event.
    case tell(SoftAPNotice)
}

/// An event for the user and the transcript; it contains no passphrase.
public enum SoftAPNotice: Equatable, Sendable {
    /// A scan found this number of networks.
    case scanned(Int)
    /// The scan failed.
    case scanFailed
    /// A start of the access point is requested.
    case accessPointUp
    /// A request was answered with this status code.
    case answered(method: String, target: String, status: UInt16)
    /// A request was not answered, and its connection closed.
    case unanswered(method: String, target: String)
    /// A configuration was refused.
    case refused(SoftAPRefusal)
    /// The firmware prepends this number of octets of a refused body to the current one.
    case leftOver(Int)
    /// A configuration was accepted: name, security and passphrase length in octets.
    case stored(WiFiName, WiFiSecurity, passphraseCount: Int)
    /// A stop of the access point is requested.
    case accessPointDown
    /// A join has reached this step.
    case joining(WiFiJoinStep)
    /// The network was joined.
    case joined(WiFiName, IPv4Address)
    /// The join failed.
    case joinFailed(WiFiJoinFailure)
    /// The connection to the network is lost.
    case lost
    /// A configured fault occurs.
    case fault(SoftAPFault)
    /// A connection failed, with the reason; `isByApp` if the reason is a mistake of the client, and not merely its
    /// end.
    case connectionFailed(String, isByApp: Bool)
    /// The device restarts.
    case restarting(SoftAPRestart)
}

/// The reason of a restart.
public enum SoftAPRestart: Equatable, Sendable {
    /// A failed connection, which is fatal to the firmware.
    case connection
    /// A failed scan, which is fatal to the firmware.
    case scan
    /// The button was pressed.
    case button
}

/// The settings of a device.
public struct SoftAPSettings: Equatable, Sendable {
    /// The maximum length of a request body in octets (the firmware's buffer).
    public static let maximumBody = 256

    /// The behaviour.
    public var profile: NordicProfile
    /// The faults to inject.
    public var faults: [SoftAPFault]
    /// The time from a configuration to the end of the access point (the firmware's pause).
    public var pause = Duration.seconds(1)
    /// The duration of a restart, long enough for an app to notice. The real device's is not published.
    public var restart = Duration.seconds(3)
    /// The time for which `gateway` keeps the access point after the join, so that the app can request the status.
    public var linger = Duration.seconds(10)

    /// The settings of a profile.
    public init(profile: NordicProfile = .exact, faults: [SoftAPFault] = []) {
        self.profile = profile
        self.faults = faults
    }
}
