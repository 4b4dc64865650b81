// SPDX-License-Identifier: Apache-2.0

/// A reason code of a broker (MQTT 5, 2.4). The set is open: a broker may send others.
public struct MQTTReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code.
    public var rawValue: UInt8

    /// The reason with this code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The reason with this code.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Done, or the granted QoS 0.
    public static let success = MQTTReason(0x00)
    /// The message has no subscriber (MQTT 5, 3.4.2.1).
    public static let noSubscriber = MQTTReason(0x10)
    /// A packet that cannot be parsed.
    public static let malformedPacket = MQTTReason(0x81)
    /// A packet that is not permitted, or not in this state.
    public static let protocolError = MQTTReason(0x82)
    /// The broker does not speak version 5 (MQTT 5, 3.2.2.2).
    public static let unsupportedVersion = MQTTReason(0x84)
    /// Another client with the same identifier has connected.
    public static let sessionTakenOver = MQTTReason(0x8E)
    /// A topic alias that was not permitted.
    public static let topicAliasInvalid = MQTTReason(0x94)
    /// A packet beyond the receiver's maximum.
    public static let packetTooLarge = MQTTReason(0x95)
    /// A retained message, which the broker does not support.
    public static let retainNotSupported = MQTTReason(0x9A)
    /// A message with a QoS above the broker's maximum.
    public static let qosNotSupported = MQTTReason(0x9B)

    /// True for a failure.
    public var isFailure: Bool { rawValue >= 0x80 }

    /// The code and its name, for people: `reason 135, not authorized`.
    public var description: String { "reason \(rawValue)" + (name.map { ", \($0)" } ?? "") }

    /// The name in the specification (MQTT 5, 2.4, Table 2-6); nil for an undefined code.
    public var name: String? {
        switch rawValue {
        case 0x10: "no matching subscribers"
        case 0x80: "unspecified error"
        case 0x81: "malformed packet"
        case 0x82: "protocol error"
        case 0x83: "implementation specific error"
        case 0x84: "unsupported protocol version"
        case 0x85: "client identifier not valid"
        case 0x86: "bad user name or password"
        case 0x87: "not authorized"
        case 0x88: "server unavailable"
        case 0x89: "server busy"
        case 0x8A: "banned"
        case 0x8B: "server shutting down"
        case 0x8C: "bad authentication method"
        case 0x8D: "keep alive timeout"
        case 0x8E: "session taken over"
        case 0x8F: "topic filter invalid"
        case 0x90: "topic name invalid"
        case 0x91: "packet identifier in use"
        case 0x92: "packet identifier not found"
        case 0x93: "receive maximum exceeded"
        case 0x94: "topic alias invalid"
        case 0x95: "packet too large"
        case 0x96: "message rate too high"
        case 0x97: "quota exceeded"
        case 0x98: "administrative action"
        case 0x99: "payload format invalid"
        case 0x9A: "retain not supported"
        case 0x9B: "QoS not supported"
        case 0x9C: "use another server"
        case 0x9D: "server moved"
        case 0x9E: "shared subscriptions not supported"
        case 0x9F: "connection rate exceeded"
        case 0xA0: "maximum connect time"
        case 0xA1: "subscription identifiers not supported"
        case 0xA2: "wildcard subscriptions not supported"
        default: nil
        }
    }
}
