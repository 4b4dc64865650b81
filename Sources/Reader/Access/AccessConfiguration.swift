// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Protobuf
public import Proximity
public import Timekeeping

/// The configuration of the access reader: modes, gates, limits, credentials, times.
public struct AccessConfiguration: Equatable, Sendable {
    /// The advertising and the gate of one mode.
    public struct Mode: Equatable, Sendable {
        /// The mode.
        public var mode: AdvertisingMode
        /// The random address in its advertising; every mode has its own, so that the address identifies the mode.
        public var address: BluetoothAddress
        /// The gate that its links have to pass; nil serves them without one.
        public var gate: ProximityGate.Configuration?

        /// A mode with its address and gate.
        public init(mode: AdvertisingMode, address: BluetoothAddress, gate: ProximityGate.Configuration?) {
            self.mode = mode
            self.address = address
            self.gate = gate
        }
    }

    /// The modes that are advertised, in the order in which a controller with too few sets takes them.
    public var modes: [Mode]
    /// The maximum number of links served at once.
    public var maximumLinks = 3
    /// The maximum time of a link without a completed exchange.
    public var maximumConnection: Duration = .seconds(3)
    /// The maximum duration of a link.
    public var longestConnection: Duration = .seconds(60)
    /// The time between two advertising events of a mode.
    public var advertisingInterval: Duration = .milliseconds(100)
    /// The zone of the local time.
    public var zone = TimeZoneRule.utc
    /// The door, and the rules for credentials.
    public var credentials = CredentialPolicy()
    /// The cards that the poll role reads.
    public var cards = CardReading()
    /// The capacity of the blacklist in credentials.
    public var blacklistCapacity = Blacklist.defaultCapacity
    /// The re-arm time, in which equal requests of a credential count as one; zero turns this off.
    public var reArm: Duration = .seconds(2)
    /// The times at which the door is unlocked by schedule, in local time.
    public var officeHours = OfficeHours()
    /// The debounce time of each input; 20 ms for an input without an entry.
    public var debounce: [DoorInput: Duration] = [:]
    /// The identifiers of the services and packets.
    public var identifiers = AdvertisingPackets.Identifiers()
    /// The firmware version for the protocol.
    public var version = FirmwareVersion()
    /// The settings that a backend may push through a phone; they are not signed.
    public var pushable: Set<PushedSetting> = []
    /// The backend's name for the pushed configuration; empty unless all of it is in force.
    public var configID = BoundedBytes<36>()
    /// True if events are recorded, and an opening waits for its verdict.
    public var isAudited = false
    /// The policy of the event log.
    public var audit = AuditPolicy()

    /// A configuration with these modes and otherwise the defaults.
    public init(modes: [Mode]) {
        self.modes = modes
    }

    /// The gate for a link whose advertising set is `set`. An unknown set counts as the strictest mode: if any mode
    /// has a gate, the gate with the highest threshold, and the lowest limit of the path loss in any gate.
    func gate(forSet set: UInt8?) -> ProximityGate.Configuration? {
        if let mode = mode(ofSet: set) { return mode.gate }
        var strictest = modes.compactMap(\.gate).max { $0.threshold < $1.threshold }
        strictest?.maximumPathLoss = modes.compactMap { $0.gate?.maximumPathLoss }.min()
        return strictest
    }

    /// True if the gate of any mode limits the path loss.
    var limitsPathLoss: Bool { modes.contains { $0.gate?.maximumPathLoss != nil } }

    /// The time limits of links.
    var linkTimes: LinkTimes { LinkTimes(idle: maximumConnection, longest: longestConnection) }

    /// The mode whose packets the advertising set `set` carries; sets are numbered in the order of `modes`.
    func mode(ofSet set: UInt8?) -> Mode? {
        guard let set, modes.indices.contains(Int(set)) else { return nil }
        return modes[Int(set)]
    }
}

/// The firmware's version for `PING` and `STATUS`.
public struct FirmwareVersion: Equatable, Sendable {
    /// The version of the programs and packages; `version` has its first two numbers.
    public static let text = "0.1.0"

    /// The time of the build, in seconds since 1970-01-01 UTC.
    public var buildTime: UInt32 = 0
    /// Major version in the high octet, minor in the low one.
    public var version: UInt32 = 0x0001
    /// A pre-release counter; 0 for a release.
    public var testVersion: UInt32 = 0

    /// Version 0.1.
    public init() {}
}
