// SPDX-License-Identifier: Apache-2.0

public import WiFi

/// The environment of a simulated station and its behaviour: the file of `--wifi-sim`.
public struct WiFiSimulation: Equatable, Sendable {
    /// An access point of the simulation.
    public struct AccessPoint: Equatable, Sendable {
        /// The access point in scan results.
        public var network: WiFiNetwork
        /// The name required to join: the name in `network`, unless it is hidden.
        public var name: WiFiName
        /// The expected passphrase; nil accepts any.
        public var passphrase: WiFiPassphrase?
        /// The result of every join; nil if it depends on the passphrase.
        public var failure: WiFiJoinFailure?
        /// The response time; nil for the default.
        public var delay: Duration?
        /// False while it is switched off.
        public var isUp = true

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

    /// A step that can be scripted.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// A scan: `fail` refuses to start, `delay-ms` is the time to the first result.
        case scan
        /// The join request: `fail` refuses it, `delay-ms` is the time to the first step of the join.
        case join
        /// The first step of a join.
        case authentication
        /// The second.
        case association
        /// The third: the link is up, the address is pending.
        case address
        /// The request to leave: `fail` refuses it.
        case leave
        /// The status query: `fail` refuses it.
        case status
        /// A device's own connectivity check, once connected.
        case connectivity
        /// A device's exchange with its vendor's server.
        case pairing
    }

    /// The scripted behaviour of a step.
    public struct Script: Equatable, Sendable {
        /// A failure; each step supports some of them.
        public enum Failure: String, Equatable, Sendable, CaseIterable {
            /// The passphrase is wrong.
            case authentication = "auth"
            /// The network does not exist.
            case networkNotFound = "not-found"
            /// Time-out.
            case timeout
            /// No address is assigned.
            case address = "ip"
            /// The request is invalid.
            case invalid
            /// Anything else.
            case failed
        }

        /// The failure; nil for none.
        public var failure: Failure?
        /// The duration; nil for the default.
        public var delay: Duration?

        /// A step with this behaviour.
        public init(failure: Failure? = nil, delay: Duration? = nil) {
            self.failure = failure
            self.delay = delay
        }
    }

    /// The access points, in the order of scan results.
    public var accessPoints: [AccessPoint]
    /// The address that the device obtains.
    public var ipv4: IPv4Address
    /// False while no addresses are assigned.
    public var assignsAddresses = true
    /// The device's own hardware address.
    public var address: WiFiAddress
    /// The scripts by step.
    public var scripts: [Step: Script]
    /// The pairing tokens issued by the vendor's server.
    public var pairingTokens: [PairingServer.Issued]

    /// A simulation; by default without networks.
    public init(
        accessPoints: [AccessPoint] = [], ipv4: IPv4Address = WiFiSimulation.usualIPv4,
        address: WiFiAddress = WiFiSimulation.usualAddress, scripts: [Step: Script] = [:],
        pairingTokens: [PairingServer.Issued] = []
    ) {
        self.accessPoints = accessPoints
        self.ipv4 = ipv4
        self.address = address
        self.scripts = scripts
        self.pairingTokens = pairingTokens
    }

    /// 192.168.0.42
    public static var usualIPv4: IPv4Address { IPv4Address(192, 168, 0, 42) }
    /// 02:00:00:1a:2b:3c, a locally administered address.
    public static var usualAddress: WiFiAddress { WiFiAddress(0x02, 0x00, 0x00, 0x1A, 0x2B, 0x3C) }
}
