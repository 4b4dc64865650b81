// SPDX-License-Identifier: Apache-2.0

import Fleet
import Octets

/// A packet of a broker (MQTT 5, 3), with the parts that a client without authentication, aliases and QoS 2 uses.
enum ServerPacket: Equatable {
    /// The answer to CONNECT.
    case connack(MQTTReason, BrokerLimits, reference: String?)
    /// A message; `identifier` is nil for QoS 0.
    case publish(MQTTMessage, identifier: UInt16?)
    /// The acknowledgement of a message.
    case puback(UInt16, MQTTReason)
    /// The answer to SUBSCRIBE with one topic filter.
    case suback(UInt16, MQTTReason)
    /// The answer to PINGREQ.
    case pingresp
    /// The end of the connection.
    case disconnect(MQTTReason, reference: String?)
    /// A CONNACK of MQTT 3.1.1, which has no properties (MQTT 3.1.1, 3.2).
    case formerConnack

    /// The maximum length of the correlation data of a message in octets; longer data is dropped.
    static let correlationLimit = FleetLimits.correlationCount
    /// The maximum length of a server's name in octets; a longer one is not shown.
    private static let referenceLimit = 80

    /// Parses all of a packet.
    init(_ packet: PacketFramer.Packet) throws(ProtocolViolation) {
        let octets = packet.body.span
        var cursor = OctetCursor(octets)
        switch packet.type {
        case .connack: self = try ServerPacket.connack(octets, &cursor)
        case .publish: self = try ServerPacket.publish(octets, &cursor, flags: packet.flags)
        case .puback:
            let identifier = try ServerPacket.identifier(octets, &cursor, of: .puback)
            self = .puback(identifier, try ServerPacket.reason(octets, &cursor, of: .puback).reason)
        case .suback: self = try ServerPacket.suback(octets, &cursor)
        case .pingresp: self = .pingresp
        case .disconnect:
            let (reason, properties) = try ServerPacket.reason(octets, &cursor, of: .disconnect)
            self = .disconnect(reason, reference: ServerPacket.reference(properties, octets))
        }
        guard cursor.remaining == 0 else { throw .malformed("\(packet.type.name) with octets behind its end") }
    }

    /// Parses CONNACK (MQTT 5, 3.2).
    private static func connack(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(ProtocolViolation) -> ServerPacket {
        let flags = try cursor.read(.connack) { (cursor) throws(OctetError) in try cursor.u8(octets) }
        let code = try cursor.read(.connack) { (cursor) throws(OctetError) in try cursor.u8(octets) }
        guard cursor.remaining > 0 else { return .formerConnack }
        guard flags & 0xFE == 0 else { throw .malformed("CONNACK with flags") }
        // The client requested no session (MQTT 5, 3.2.2.1.1).
        guard flags == 0 else { throw .forbidden("CONNACK with a session that the link does not have") }
        let properties = try Properties(octets, &cursor, of: .connack)
        return .connack(
            MQTTReason(code), BrokerLimits(properties), reference: reference(properties, octets))
    }

    /// Parses PUBLISH (MQTT 5, 3.3).
    private static func publish(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, flags: UInt8
    ) throws(ProtocolViolation) -> ServerPacket {
        let (qos, isRepeated) = (flags >> 1 & 3, flags & 8 != 0)
        guard qos < 3 else { throw .malformed("PUBLISH with QoS 3") }
        guard qos < 2 else { throw .forbidden("PUBLISH with QoS 2, which no subscription of the link has") }
        guard !isRepeated || qos > 0 else { throw .malformed("PUBLISH with QoS 0 that is repeated") }
        let topic = try cursor.text(octets, of: .publish)
        guard !topic.isEmpty else {
            throw ProtocolViolation(
                reason: .topicAliasInvalid, text: "PUBLISH with a topic alias, which the link does not permit")
        }
        guard !octets.extracting(topic).hasWildcard else { throw .malformed("PUBLISH to a topic with a wildcard") }
        let identifier = qos == 0 ? nil : try identifier(octets, &cursor, of: .publish)
        let properties = try Properties(octets, &cursor, of: .publish)
        // The client's maximum is 0 (MQTT 5, 3.3.2.3.4).
        guard properties[.topicAlias] == nil else {
            throw ProtocolViolation(
                reason: .topicAliasInvalid, text: "PUBLISH with a topic alias, which the link does not permit")
        }
        if let response = properties.range(.responseTopic), octets.extracting(response).hasWildcard {
            throw .forbidden("PUBLISH with a wildcard in its response topic")
        }
        let payload = cursor.rest()
        if properties[.payloadFormat] == 1 {
            let isText = octets.extracting(payload).withUnsafeBufferPointer {
                String(validating: $0, as: UTF8.self) != nil
            }
            guard isText else { throw .malformed("PUBLISH with a payload that is not the UTF-8 that it claims to be") }
        }
        let correlation = properties.range(.correlationData).map { array(octets, $0) } ?? []
        return .publish(
            MQTTMessage(
                topic: text(octets, topic), payload: array(octets, payload), isRetained: flags & 1 != 0,
                correlation: correlation.count <= correlationLimit ? correlation : []),
            identifier: identifier)
    }

    /// Parses SUBACK (MQTT 5, 3.9). The link subscribes to one topic filter with QoS 1.
    private static func suback(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(ProtocolViolation) -> ServerPacket {
        let identifier = try identifier(octets, &cursor, of: .suback)
        _ = try Properties(octets, &cursor, of: .suback)
        let code = try cursor.read(.suback) { (cursor) throws(OctetError) in try cursor.u8(octets) }
        let reason = MQTTReason(code)
        guard code <= 1 || reason.isFailure else { throw .forbidden("SUBACK with \(reason)") }
        return .suback(identifier, reason)
    }

    // MARK: - Fields

    private static func identifier(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> UInt16 {
        let identifier = try cursor.number(2, octets, of: packet)
        guard identifier > 0 else { throw .forbidden("\(packet.name) with the packet identifier 0") }
        return UInt16(truncatingIfNeeded: identifier)
    }

    /// The reason and the properties, each of which may be missing at the end (MQTT 5, 3.4.2.1, 3.14.2.1).
    private static func reason(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, of packet: ServerPacketType
    ) throws(ProtocolViolation) -> (reason: MQTTReason, properties: Properties) {
        guard cursor.remaining > 0 else { return (.success, Properties()) }
        let code = try cursor.read(packet) { (cursor) throws(OctetError) in try cursor.u8(octets) }
        let properties = cursor.remaining > 0 ? try Properties(octets, &cursor, of: packet) : Properties()
        return (MQTTReason(code), properties)
    }

    /// The server to use instead, if its name can be shown to people (MQTT 5, 4.11).
    private static func reference(_ properties: Properties, _ octets: Span<UInt8>) -> String? {
        guard let range = properties.range(.serverReference), range.count <= referenceLimit else { return nil }
        let characters = array(octets, range)
        return characters.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: characters, as: UTF8.self) : nil
    }

    private static func array(_ octets: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var array: [UInt8] = []
        array.append(octets.extracting(range))
        return array
    }

    private static func text(_ octets: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: array(octets, range), as: UTF8.self)
    }
}

extension BrokerLimits {
    /// The limits in the properties of CONNACK (MQTT 5, 3.2.2.3).
    fileprivate init(_ properties: Properties) {
        self.init()
        maximumPacket = properties[.maximumPacket].map { Int($0) }
        receiveMaximum = properties[.receiveMaximum].map { Int($0) } ?? receiveMaximum
        maximumQoS = properties[.maximumQoS].map { UInt8(truncatingIfNeeded: $0) } ?? maximumQoS
        retains = properties[.retainAvailable] != 0
        permitsWildcards = properties[.wildcardsAvailable] != 0
        keepaliveSeconds = properties[.serverKeepalive].map { UInt16(truncatingIfNeeded: $0) }
    }
}

extension Span<UInt8> {
    /// True if it has a character that only a topic filter may have (MQTT 5, 4.7.1).
    fileprivate var hasWildcard: Bool {
        for index in indices where self[index] == UInt8(ascii: "#") || self[index] == UInt8(ascii: "+") { return true }
        return false
    }
}
