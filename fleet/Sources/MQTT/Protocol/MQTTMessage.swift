// SPDX-License-Identifier: Apache-2.0

/// A message of a broker.
public struct MQTTMessage: Equatable, Sendable {
    /// The topic.
    public var topic: String
    /// The payload.
    public var payload: [UInt8]
    /// True if it was retained before the subscription.
    public var isRetained: Bool
    /// The correlation data; empty for none, and for data of more than `FleetLimits.correlationCount` octets.
    public var correlation: [UInt8]

    /// A message.
    public init(topic: String, payload: [UInt8], isRetained: Bool = false, correlation: [UInt8] = []) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.correlation = correlation
    }
}

/// The retained message that a broker publishes after the end of the connection.
public struct MQTTWill: Equatable, Sendable {
    /// The topic.
    public var topic: String
    /// The message.
    public var text: String
    /// The time in seconds before it is published. It is not published if the client has reconnected.
    public var delaySeconds: UInt32

    /// A will.
    public init(topic: String, text: String, delaySeconds: UInt32) {
        self.topic = topic
        self.text = text
        self.delaySeconds = delaySeconds
    }
}
