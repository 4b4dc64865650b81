// SPDX-License-Identifier: Apache-2.0

public import WiFiStation

/// The behaviour of a provisioning device.
public enum NordicProfile: String, Sendable, CaseIterable {
    /// The behaviour of the firmware of Nordic's sample (nRF Connect SDK 3.1 and later), including all quirks that apps
    /// have to handle.
    case exact = "nordic-exact"
    /// The most complete that the protocol allows: states as they occur, reasons, scans as requested, several
    /// networks, and nothing that crashes the stock apps.
    case gateway

    /// True if indications are queued until the previous one is confirmed. The firmware has room for one indication,
    /// and drops the next.
    public var queuesIndications: Bool { self == .gateway }
}

/// The settings of a provisioning device, each with a default.
public struct NordicSettings: Equatable, Sendable {
    /// The behaviour.
    public var profile: NordicProfile
    /// The reported protocol version; 1 before nRF Connect SDK 3.1.
    public var version: UInt8 = 2
    /// The UUIDs of the service and its characteristics.
    public var uuids = NordicUUIDs()
    /// The device name; nil for `PV` and the last three octets of its Wi-Fi address. Names above eight octets are cut
    /// in advertisements.
    public var name: String?
    /// True if the flags of the service data are repeated in octet 2, where the stock app for iOS looks for them. The
    /// documentation reserves it; the app for Android ignores it.
    public var repeatsFlags = false
    /// The number of networks that `gateway` stores; `exact` stores one, as the sample does.
    public var capacity = 8

    /// The settings of a profile.
    public init(profile: NordicProfile = .exact) { self.profile = profile }

    /// An empty store with the capacity of the profile.
    public var emptyStore: StoredNetworks {
        switch profile {
        case .exact: StoredNetworks(capacity: 1, whenFull: .refuse)
        case .gateway: StoredNetworks(capacity: capacity, whenFull: .replaceOldest)
        }
    }
}

/// Times of a provisioning device.
enum NordicTiming {
    /// The interval of service data updates (the sample's option, by default).
    static let refresh = Duration.seconds(5)
    /// From the end of a link to the restart of advertising (the sample).
    static let restart = Duration.seconds(1)
    /// Advertising intervals: 100 to 150 ms in the sample while no network is stored, 1 to 1.2 s afterwards.
    static let fastInterval = Duration.milliseconds(100)
    static let slowInterval = Duration.seconds(1)
    /// Retry delays of `gateway`: short after the loss of a network, which may be a restart of the access point, then
    /// doubled after each round without success.
    static let firstRetry = Duration.seconds(1)
    static let nextRetry = Duration.seconds(10)
    static let longestRetry = Duration.seconds(300)
}
