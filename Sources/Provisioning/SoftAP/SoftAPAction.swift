/// A connection, as the shell numbers them.
public struct SoftAPConnection: Hashable, Sendable {
    /// The number.
    public let number: Int

    /// The connection with this number.
    public init(_ number: Int) { self.number = number }
}

/// Where the device tells of itself by multicast DNS.
public enum SoftAPSide: Equatable, Sendable {
    /// On its own access point.
    case accessPoint
    /// In the network that it has joined: by this an app verifies that it is there.
    case home
}

/// What the shell has to do.
public enum SoftAPAction: Equatable, Sendable {
    /// Take connections.
    case listen
    /// Take no further ones; those that there are come to their end.
    case stopListening
    /// Tell of the device.
    case announce(SoftAPSide)
    /// Tell of it no more, and say goodbye, or do as if it were switched off.
    case silence(goodbye: Bool)
    /// Send an answer.
    case answer(SoftAPConnection, SoftAPResponse)
    /// End a connection without an answer.
    case close(SoftAPConnection)
    /// Show what happened.
    case tell(SoftAPNotice)
}

/// What happened, for a person and for a transcript. There is no passphrase in it.
public enum SoftAPNotice: Equatable, Sendable {
    /// The networks around were looked for, and so many found.
    case scanned(Int)
    /// The station could not look for networks.
    case scanFailed
    /// The access point is to be up.
    case accessPointUp
    /// A request was answered with this number.
    case answered(method: String, target: String, status: UInt16)
    /// A request was not answered, and the connection ended.
    case unanswered(method: String, target: String)
    /// A configuration was refused.
    case refused(SoftAPRefusal)
    /// The firmware still has so many octets of a body that it refused before this one's.
    case leftOver(Int)
    /// A configuration was taken: name, kind, and how many octets the passphrase has.
    case stored(WiFiName, WiFiSecurity, passphraseCount: Int)
    /// The access point is to be down.
    case accessPointDown
    /// A join has come to this step.
    case joining(WiFiJoinStep)
    /// It is in the network.
    case joined(WiFiName, IPv4Address)
    /// It did not get in.
    case joinFailed(WiFiJoinFailure)
    /// It is not in its network any more.
    case lost
    /// A fault that was asked for happens.
    case fault(SoftAPFault)
    /// A connection came to nothing, for this reason.
    case connectionFailed(String)
    /// The device starts again.
    case restarting(SoftAPRestart)
}

/// Why the device starts again.
public enum SoftAPRestart: Equatable, Sendable {
    /// A connection failed, which is fatal to the firmware.
    case connection
    /// The scan failed, which is fatal to the firmware.
    case scan
    /// Somebody pressed the button.
    case button
}

/// What a device is told.
public struct SoftAPSettings: Equatable, Sendable {
    /// The most octets of a request's body (the firmware's buffer).
    public static let maximumBody = 256

    /// How it behaves.
    public var profile: NordicProfile
    /// What it does wrong.
    public var faults: [SoftAPFault]
    /// From a configuration to the end of the access point (the firmware's pause).
    public var pause = Duration.seconds(1)
    /// How long starting again takes. What it takes on the real device is not published; this is enough for an app to
    /// notice.
    public var restart = Duration.seconds(3)
    /// How long `gateway` keeps the access point after it has joined, so that the app can ask for the status.
    public var linger = Duration.seconds(10)

    /// The settings of a profile.
    public init(profile: NordicProfile = .exact, faults: [SoftAPFault] = []) {
        self.profile = profile
        self.faults = faults
    }
}
