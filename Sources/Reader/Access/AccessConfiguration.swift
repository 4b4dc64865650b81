public import Peripheral
public import Protobuf
public import Timekeeping

/// What the access reader is told once: whom it serves, how near they must be, and how long they may take.
public struct AccessConfiguration: Equatable, Sendable {
    /// How one mode is offered.
    public struct Mode: Equatable, Sendable {
        /// The mode.
        public var mode: AdvertisingMode
        /// The random address it advertises with; every mode has its own, so that the address tells the mode.
        public var address: BluetoothAddress
        /// The gate its links have to pass; nil serves them unverified.
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
    /// How many links are served at once.
    public var maximumLinks = 3
    /// How long a link may be without a completed exchange.
    public var maximumConnection: Duration = .seconds(3)
    /// How long a link may be up, whatever goes over it.
    public var longestConnection: Duration = .seconds(60)
    /// Time between two advertising events of a mode.
    public var advertisingInterval: Duration = .milliseconds(100)
    /// The zone of the local time.
    public var zone = TimeZoneRule.utc
    /// Which door this is, and whose credentials open it.
    public var credentials = CredentialPolicy()
    /// How many credentials the blacklist has room for.
    public var blacklistCapacity = Blacklist.defaultCapacity
    /// How long the same credential that asks for the same counts as one request; zero for no time at all.
    public var reArm: Duration = .seconds(2)
    /// When the door stands open by itself, in local time.
    public var officeHours = OfficeHours()
    /// How long the level of an input has to last before it counts; 20 ms for one that is not named.
    public var debounce: [DoorInput: Duration] = [:]
    /// Identifiers of the services and packets.
    public var identifiers = AdvertisingPackets.Identifiers()
    /// Firmware version as the protocol tells it.
    public var version = FirmwareVersion()
    /// The settings that a backend may push through a phone; nobody signs them.
    public var pushable: Set<PushedSetting> = []
    /// The backend's name for the configuration that it has pushed; empty unless all of it is in force.
    public var configID = BoundedBytes<36>()
    /// Whether events are recorded: `record` effects go to a log, and the door waits for the answer to each `open`.
    public var isAudited = false

    /// A configuration with these modes and otherwise the defaults.
    public init(modes: [Mode]) {
        self.modes = modes
    }

    /// The gate for a link whose advertising set is `set`. An unknown set counts as the strictest mode: if any mode
    /// has a gate, the one with the highest threshold.
    func gate(forSet set: UInt8?) -> ProximityGate.Configuration? {
        if let mode = mode(ofSet: set) { return mode.gate }
        return modes.compactMap(\.gate).max { $0.threshold < $1.threshold }
    }

    /// How long links may take.
    var linkTimes: LinkTimes { LinkTimes(idle: maximumConnection, longest: longestConnection) }

    /// The mode whose packets the advertising set `set` carries; sets are numbered in the order of `modes`.
    func mode(ofSet set: UInt8?) -> Mode? {
        guard let set, modes.indices.contains(Int(set)) else { return nil }
        return modes[Int(set)]
    }
}

/// The firmware's version as `PING` and `STATUS` tell it.
public struct FirmwareVersion: Equatable, Sendable {
    /// As the programs print it, and as packages are named; `version` has its first two numbers.
    public static let text = "0.1.0"

    /// Seconds since 1970-01-01 UTC when it was built.
    public var buildTime: UInt32 = 0
    /// Major version in the high octet, minor in the low one.
    public var version: UInt32 = 0x0001
    /// A pre-release counter; 0 for a release.
    public var testVersion: UInt32 = 0

    /// Version 0.1.
    public init() {}
}
