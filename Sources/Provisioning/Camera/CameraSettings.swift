/// What is not published of a camera, and therefore can be set; every default is assumed unless it says otherwise.
public struct CameraSettings: Equatable, Sendable {
    /// Where the numbers and the text stand in the value.
    public var layout = CameraLayout()
    /// What becomes of text for which there is no room.
    public var overflow = CameraOverflow.cut
    /// Whether credentials without keys need the line feed after the fourth line. Published: they have it.
    public var demandsNewline = true
    /// After so long without a further write, what has come is all of it.
    public var quietTime = Duration.milliseconds(500)
    /// How long it checks whether it is online.
    public var checkTime = Duration.milliseconds(300)
    /// How long the server takes to answer.
    public var pairingTime = Duration.milliseconds(300)
    /// The time from the end of an onboarding to 1307: for diagnostics.
    public var diagnosticsTime = Duration.seconds(1)
    /// The time from 1307 to the end of the links.
    public var closingTime = Duration.milliseconds(500)
    /// How often a camera that is onboarded and offline tries its network again.
    public var retryTime = Duration.seconds(10)
    /// Whether it closes after a failure too. If not, it waits for other credentials.
    public var closesAfterFailure = false
    /// Whether a client is sent the value when it subscribes.
    public var tellsSubscribers = true
    /// What the connectivity check does instead: `delay`, `failure` (file of `--wifi-sim`).
    public var connectivityScript: WiFiSimulation.Script?
    /// What pairing does instead.
    public var pairingScript: WiFiSimulation.Script?

    /// The defaults.
    public init() {}
}

/// How a camera begins.
public enum CameraStart: Equatable, Sendable {
    /// It has no credentials, and waits for some: 111.
    case waiting
    /// It is onboarded, and its network is gone: 113 with 1505.
    case onboardedOffline
    /// It is onboarded, and tries what it has kept: 109 until it knows.
    case kept(CameraCredentials)
}

/// Why a camera does not take a write.
public enum CameraRefusal: String, Error, Equatable, Sendable, CaseIterable {
    /// 155: it works on credentials already, or another client is sending some.
    case busy
    /// 109: it has credentials, and tries them.
    case notReady = "not-ready"
    /// 113 with 1501: it is onboarded and online.
    case online
    /// 1307 has been said, or is about to be.
    case closing
}

/// What a camera wants done, in this order.
public enum CameraAction: Equatable, Sendable {
    /// Everybody who has subscribed is to have the value of this status, with this text.
    case tell(CameraStatus, text: String)
    /// Credentials have come in so many writes, and were understood: for whoever watches.
    case understood(CameraCredentials, CameraCredentialsForm, writes: Int)
    /// What has come in so many writes is no credentials: for whoever watches.
    case misunderstood(CameraCredentialsFault, writes: Int)
    /// The server has answered this: for whoever watches.
    case redeemed(PairingServer.Verdict)
    /// The credentials are good, and are to be kept for the next start.
    case keep(CameraCredentials)
    /// The GATT server closes: end all links. Whether the camera is advertised afterwards is `Camera.isAdvertised`.
    case close
}
