// SPDX-License-Identifier: Apache-2.0

/// The unpublished properties of a camera; every default is assumed unless stated otherwise.
public struct CameraSettings: Equatable, Sendable {
    /// The layout of the value.
    public var layout = CameraLayout()
    /// The treatment of text that does not fit.
    public var overflow = CameraOverflow.cut
    /// True if credentials without keys require the line feed after the fourth line, as published.
    public var demandsNewline = true
    /// The quiet time: without a further write for this long, the credentials are complete.
    public var quietTime = Duration.milliseconds(500)
    /// The duration of the connectivity check.
    public var checkTime = Duration.milliseconds(300)
    /// The response time of the server.
    public var pairingTime = Duration.milliseconds(300)
    /// The time from the end of an onboarding to 1307, for diagnostics.
    public var diagnosticsTime = Duration.seconds(1)
    /// The time from 1307 to the end of the links.
    public var closingTime = Duration.milliseconds(500)
    /// The time from the start to 111 of a camera that prepares itself without stored credentials.
    public var readyTime = Duration.seconds(3)
    /// True if a camera whose stored credentials fail at the start waits to be onboarded again, 111; otherwise it is
    /// onboarded and offline, 113 with 1505.
    public var waitsAfterFailedStart = false
    /// True if the camera has a SIM: credentials with an empty SSID are for the mobile network.
    public var hasSIM = false
    /// The retry interval of a camera that is onboarded and offline.
    public var retryTime = Duration.seconds(10)
    /// True if the camera closes after a failure as well; otherwise it waits for other credentials.
    public var closesAfterFailure = false
    /// True if a client is sent the value when it subscribes.
    public var tellsSubscribers = true
    /// A script that replaces the connectivity check: `delay`, `failure` (file of `--wifi-sim`).
    public var connectivityScript: WiFiSimulation.Script?
    /// A script that replaces pairing.
    public var pairingScript: WiFiSimulation.Script?

    /// The defaults.
    public init() {}
}

/// The initial state of a camera.
public enum CameraStart: Equatable, Sendable {
    /// Without credentials, waiting for some: 111.
    case waiting
    /// Onboarded, without its network: 113 with 1505.
    case onboardedOffline
    /// Onboarded and online, and not paired: 113 with 1501. It is found, and takes no credentials.
    case onboardedOnline
    /// Preparing itself: 109, and 111 after `CameraSettings.readyTime`.
    case preparing
    /// Onboarded, joining with stored credentials: 109 until the result is known.
    case kept(CameraCredentials)
}

/// The reason why a camera refuses a write.
public enum CameraRefusal: String, Error, Equatable, Sendable, CaseIterable {
    /// 155: credentials are being processed, or another client is sending some.
    case busy
    /// 109: stored credentials are being tried.
    case notReady = "not-ready"
    /// 113 with 1501: the camera is onboarded and online.
    case online
    /// 1307 has been reported, or is imminent.
    case closing
}

/// An action that a camera requests, in order.
public enum CameraAction: Equatable, Sendable {
    /// Send this status with this text to all subscribers.
    case tell(CameraStatus, text: String)
    /// Credentials were received in this number of writes; for observation.
    case understood(CameraCredentials, CameraCredentialsForm, writes: Int)
    /// This number of writes did not give credentials; for observation.
    case misunderstood(CameraCredentialsFault, writes: Int)
    /// The server's verdict; for observation.
    case redeemed(PairingServer.Verdict)
    /// Store the credentials, which are valid, for the next start.
    case keep(CameraCredentials)
    /// Close the GATT server: end all links. `Camera.isAdvertised` determines whether the camera advertises
    /// afterwards.
    case close
}
