/// What a simulated station finds around it, and how that behaves: the file of `--wifi-sim`.
public struct WiFiSimulation: Equatable, Sendable {
    /// An access point of the simulation.
    public struct AccessPoint: Equatable, Sendable {
        /// As a scan shows it.
        public var network: WiFiNetwork
        /// The name that has to be said to join it: that of `network`, but where it hides it.
        public var name: WiFiName
        /// What it wants to hear; nil takes whatever is said.
        public var passphrase: WiFiPassphrase?
        /// How every join to it ends; nil if it goes by what is said.
        public var failure: WiFiJoinFailure?
        /// How long it takes to answer; nil as usual.
        public var delay: Duration?

        /// An access point.
        public init(
            _ network: WiFiNetwork, name: WiFiName? = nil, passphrase: WiFiPassphrase? = nil,
            failure: WiFiJoinFailure? = nil, delay: Duration? = nil
        ) {
            self.network = network
            self.name = name ?? network.name
            self.passphrase = passphrase
            self.failure = failure
            self.delay = delay
        }
    }

    /// What can be scripted.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// Looking for networks: `fail` refuses to begin, `delay-ms` is the time to the first one.
        case scan
        /// The request to join: `fail` refuses it.
        case join
        /// The first step of a join.
        case authentication
        /// The second.
        case association
        /// The third: the link is up, the address is not there.
        case address
        /// The request to leave: `fail` refuses it.
        case leave
        /// The question what the station is doing: `fail` refuses it.
        case status
        /// A device's own check, once it is in a network.
        case connectivity
        /// A device's talk with its maker's server.
        case pairing
    }

    /// What a step does instead of what it usually does.
    public struct Script: Equatable, Sendable {
        /// What it fails with; which of them a step knows is the step's.
        public enum Failure: String, Equatable, Sendable, CaseIterable {
            /// The passphrase is wrong.
            case authentication = "auth"
            /// There is no such network.
            case networkNotFound = "not-found"
            /// It takes too long.
            case timeout
            /// Nobody gives an address.
            case address = "ip"
            /// The request makes no sense.
            case invalid
            /// Anything else.
            case failed
        }

        /// Why it fails; nil if it does not.
        public var failure: Failure?
        /// How long it takes; nil as usual.
        public var delay: Duration?

        /// A step that does this.
        public init(failure: Failure? = nil, delay: Duration? = nil) {
            self.failure = failure
            self.delay = delay
        }
    }

    /// The access points, in the order in which a scan finds them.
    public var accessPoints: [AccessPoint]
    /// The address that the device gets.
    public var ipv4: IPv4Address
    /// The device's own hardware address.
    public var address: WiFiAddress
    /// What is scripted.
    public var scripts: [Step: Script]
    /// What a device may be paired with, as its maker's server would know it.
    public var pairingTokens: [String]

    /// A simulation; without arguments one in which there is no network.
    public init(
        accessPoints: [AccessPoint] = [], ipv4: IPv4Address = WiFiSimulation.usualIPv4,
        address: WiFiAddress = WiFiSimulation.usualAddress, scripts: [Step: Script] = [:],
        pairingTokens: [String] = []
    ) {
        self.accessPoints = accessPoints
        self.ipv4 = ipv4
        self.address = address
        self.scripts = scripts
        self.pairingTokens = pairingTokens
    }

    /// 192.168.0.42
    public static var usualIPv4: IPv4Address { IPv4Address(192, 168, 0, 42) }
    /// 02:00:00:1a:2b:3c, one that is administered locally.
    public static var usualAddress: WiFiAddress { WiFiAddress(0x02, 0x00, 0x00, 0x1A, 0x2B, 0x3C) }
}
