/// How a provisioning device behaves.
public enum NordicProfile: String, Sendable, CaseIterable {
    /// As the firmware of Nordic's sample (nRF Connect SDK 3.1 and later), with all that apps have to cope with there.
    case exact = "nordic-exact"
    /// As helpful as the protocol allows: states as they happen, reasons, scans as they were asked for, several networks,
    /// and nothing that crashes the stock apps.
    case gateway

    /// Whether an indication waits until the one before is confirmed. The firmware has one place for an indication, and
    /// drops the next one.
    public var queuesIndications: Bool { self == .gateway }
}

/// What a provisioning device is told; every setting has a default.
public struct NordicSettings: Equatable, Sendable {
    /// How it behaves.
    public var profile: NordicProfile
    /// What it says its protocol's version is; 1 before nRF Connect SDK 3.1.
    public var version: UInt8 = 2
    /// Its name; nil for `PV` and the last three octets of its Wi-Fi address. Longer ones than eight octets are cut in
    /// advertisements.
    public var name: String?
    /// Whether the flags in the service data are also where the stock app for iOS looks for them, in octet 2. The
    /// documentation reserves it; the app for Android does not mind.
    public var repeatsFlags = false
    /// How many networks `gateway` stores; `exact` has room for one, as the sample.
    public var capacity = 8

    /// The settings of a profile.
    public init(profile: NordicProfile = .exact) { self.profile = profile }

    /// A store with the room that the profile has.
    public var emptyStore: StoredNetworks {
        switch profile {
        case .exact: StoredNetworks(capacity: 1, whenFull: .refuse)
        case .gateway: StoredNetworks(capacity: capacity, whenFull: .replaceOldest)
        }
    }
}

/// Times of a provisioning device.
enum NordicTiming {
    /// Between two looks at what the service data says (the sample's option, by default).
    static let refresh = Duration.seconds(5)
    /// From the end of a link to advertising again (the sample).
    static let restart = Duration.seconds(1)
    /// Of advertising: 100 to 150 ms in the sample while there is no network stored, 1 to 1.2 s later.
    static let fastInterval = Duration.milliseconds(100)
    static let slowInterval = Duration.seconds(1)
    /// Until `gateway` tries its networks again: short after the loss of one, which may have been a restart of the access
    /// point, then twice as long after each time that none lets it in.
    static let firstRetry = Duration.seconds(1)
    static let nextRetry = Duration.seconds(10)
    static let longestRetry = Duration.seconds(300)
}
