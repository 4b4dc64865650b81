// SPDX-License-Identifier: Apache-2.0

/// The limits of a broker, as its CONNACK states them (MQTT 5, 3.2.2.3). Properties of topic aliases, shared
/// subscriptions and session resumption are omitted, since the link uses none of these.
public struct BrokerLimits: Equatable, Sendable {
    /// The maximum length of a packet in octets; nil for no limit.
    public var maximumPacket: Int?
    /// The maximum number of unacknowledged messages with QoS 1.
    public var receiveMaximum = 65_535
    /// The highest QoS.
    public var maximumQoS: UInt8 = 2
    /// True if retained messages are kept.
    public var retains = true
    /// True if subscriptions may have wildcards.
    public var permitsWildcards = true
    /// The keepalive that replaces the client's, in seconds; nil to use the client's.
    public var keepaliveSeconds: UInt16?

    /// A broker without limits.
    public init() {}

    /// The first limit that is too low for a link, with the setting to change; nil if the link can work.
    var shortfall: String? {
        if let maximumPacket, maximumPacket < FleetLimits.leastPacket {
            return "its maximum packet size is \(maximumPacket), and the link needs \(FleetLimits.leastPacket) octets: "
                + "raise it, for mosquitto max_packet_size"
        }
        if maximumQoS < 1 { return "its maximum QoS is 0: permit QoS 1, for mosquitto max_qos 1" }
        if !retains { return "it keeps no retained messages: permit them, for mosquitto retain_available true" }
        return nil
    }
}
