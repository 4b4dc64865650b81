// SPDX-License-Identifier: Apache-2.0

import Fleet

/// The encoding of a client's packets (MQTT 5, 3).
enum ClientPacket {
    /// The maximum number of messages with QoS 1 that the broker may send at once (MQTT 5, 3.1.2.11.3). Each is
    /// acknowledged as it is received.
    static let receiveMaximum: UInt16 = 20

    /// CONNECT with a clean start, so that no queue of a previous session is inherited (MQTT 5, 3.1). The session lasts
    /// as long as the will is delayed, since its end would publish the will (MQTT 5, 3.1.3.2.2).
    static func connect(identity: String, will: MQTTWill?, keepaliveSeconds: UInt16) -> [UInt8] {
        var body: [UInt8] = []
        body.append(counted: Array("MQTT".utf8))
        body.append(5)
        body.append(will == nil ? cleanStart : cleanStart | willFlags)
        body.append(bigEndian: keepaliveSeconds)
        var properties: [UInt8] = []
        if let will { properties.append(.sessionExpiry, UInt32(will.delaySeconds)) }
        properties.append(.receiveMaximum, UInt32(receiveMaximum))
        properties.append(.maximumPacket, UInt32(PacketFramer.packetLimit))
        body.append(properties: properties)
        body.append(counted: Array(identity.utf8))
        if let will {
            var properties: [UInt8] = []
            properties.append(.willDelay, will.delaySeconds)
            body.append(properties: properties)
            body.append(counted: Array(will.topic.utf8))
            body.append(counted: Array(will.text.utf8))
        }
        return packet(0x10, body)
    }

    private static let cleanStart: UInt8 = 0x02
    /// A will with QoS 1 that is retained (MQTT 5, 3.1.2.5 to 3.1.2.7).
    private static let willFlags: UInt8 = 0x2C

    /// PUBLISH with QoS 1 (MQTT 5, 3.3); without correlation data if it is empty.
    static func publish(_ message: MQTTMessage, identifier: UInt16) -> [UInt8] {
        var body: [UInt8] = []
        body.append(counted: Array(message.topic.utf8))
        body.append(bigEndian: identifier)
        var properties: [UInt8] = []
        if !message.correlation.isEmpty {
            properties.append(Property.correlationData.rawValue)
            properties.append(counted: message.correlation)
        }
        body.append(properties: properties)
        body += message.payload
        return packet(message.isRetained ? 0x33 : 0x32, body)
    }

    /// SUBSCRIBE to one topic filter with QoS 1; retained messages are sent each time (MQTT 5, 3.8).
    static func subscribe(_ filter: String, identifier: UInt16) -> [UInt8] {
        var body: [UInt8] = []
        body.append(bigEndian: identifier)
        body.append(properties: [])
        body.append(counted: Array(filter.utf8))
        body.append(1)
        return packet(0x82, body)
    }

    /// PUBACK (MQTT 5, 3.4).
    static func puback(_ identifier: UInt16) -> [UInt8] {
        packet(0x40, [UInt8(identifier >> 8), UInt8(truncatingIfNeeded: identifier)])
    }

    /// PINGREQ (MQTT 5, 3.12).
    static let pingreq: [UInt8] = [0xC0, 0x00]

    /// DISCONNECT (MQTT 5, 3.14). The will is published, unless the reason is 0.
    static func disconnect(_ reason: UInt8) -> [UInt8] { [0xE0, 0x01, reason] }

    /// The reason of DISCONNECT for an orderly end that publishes the will (MQTT 5, 3.14.2.1).
    static let withWill: UInt8 = 0x04

    private static func packet(_ header: UInt8, _ body: [UInt8]) -> [UInt8] {
        var octets = [header]
        octets.reserveCapacity(body.count + 5)
        octets.append(variableInteger: body.count)
        return octets + body
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt16) {
        append(UInt8(number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }

    /// Appends the length of octets and the octets: at most 65,535, which every caller ensures.
    fileprivate mutating func append(counted octets: [UInt8]) {
        append(bigEndian: UInt16(clamping: octets.count))
        append(contentsOf: octets.prefix(Int(UInt16.max)))
    }

    /// Appends a variable byte integer (MQTT 5, 1.5.5).
    fileprivate mutating func append(variableInteger number: Int) {
        var rest = number
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest & 0x7F)
            rest >>= 7
            append(rest > 0 ? digit | 0x80 : digit)
        } while rest > 0
    }

    fileprivate mutating func append(properties: [UInt8]) {
        append(variableInteger: properties.count)
        append(contentsOf: properties)
    }

    /// Appends a property whose value is a number.
    fileprivate mutating func append(_ property: Property, _ value: UInt32) {
        guard case .number(let count, _) = property.form else { return }
        append(property.rawValue)
        for octet in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * UInt32(octet)))) }
    }
}
