// SPDX-License-Identifier: Apache-2.0

import Fleet
import Octets
import Testing

@testable import MQTT

/// The properties of a broker's packets: each identifier, encoding, value and repetition is checked (MQTT 5, 2.2.2).
@Suite struct PropertiesTests {
    /// Table 2-4: the packets of a broker that may have a property.
    private static let table: [(property: UInt8, value: [UInt8], packets: [ServerPacketType])] = [
        (0x01, [1], [.publish]), (0x02, [0, 0, 0, 9], [.publish]), (0x03, Packet.text("a"), [.publish]),
        (0x08, Packet.text("a"), [.publish]), (0x09, [0, 1, 0xFF], [.publish]), (0x0B, [0xFF, 0x01], [.publish]),
        (0x11, [0, 0, 0, 9], [.connack]), (0x12, Packet.text("a"), [.connack]), (0x13, [0, 9], [.connack]),
        (0x15, Packet.text("a"), [.connack]), (0x16, [0, 1, 0xFF], [.connack]), (0x17, [1], []),
        (0x18, [0, 0, 0, 9], []), (0x19, [1], []), (0x1A, Packet.text("a"), [.connack]),
        (0x1C, Packet.text("a"), [.connack, .disconnect]),
        (0x1F, Packet.text("a"), [.connack, .puback, .suback, .disconnect]), (0x21, [0, 9], [.connack]),
        (0x22, [0, 9], [.connack]), (0x23, [0, 9], [.publish]), (0x24, [1], [.connack]), (0x25, [1], [.connack]),
        (0x26, Packet.text("a") + Packet.text("b"), [.connack, .publish, .puback, .suback, .disconnect]),
        (0x27, [0, 0, 0, 9], [.connack]), (0x28, [1], [.connack]), (0x29, [1], [.connack]), (0x2A, [1], [.connack]),
    ]
    private static let packets: [ServerPacketType] = [.connack, .publish, .puback, .suback, .disconnect]

    /// A property's octets behind their length: the values, or the violation.
    private static func read(_ octets: [UInt8], of packet: ServerPacketType) -> Result<Properties, ProtocolViolation> {
        let all = [UInt8(octets.count)] + octets
        var cursor = OctetCursor(all.span)
        do throws(ProtocolViolation) {
            let properties = try Properties(all.span, &cursor, of: packet)
            guard cursor.remaining == 0 else { return .failure(.malformed("left over")) }
            return .success(properties)
        } catch {
            return .failure(error)
        }
    }

    private static func reason(_ octets: [UInt8], of packet: ServerPacketType) -> UInt8? {
        if case .failure(let violation) = read(octets, of: packet) { violation.reason.rawValue } else { nil }
    }

    @Test func eachPacketHasItsProperties() {
        #expect(Self.table.map(\.property) == Property.allCases.map(\.rawValue))
        for (property, value, packets) in Self.table {
            for packet in Self.packets {
                let expected: UInt8? = packets.contains(packet) ? nil : 0x82
                #expect(Self.reason([property] + value, of: packet) == expected, "\(property) in \(packet)")
            }
        }
    }

    /// Every other identifier does not exist: 0x7E made libmosquitto 2.0.11 abort.
    @Test func unknownIdentifiers() {
        let known = Set(Self.table.map(\.property))
        for identifier in UInt8(0)...0x7F where !known.contains(identifier) {
            for packet in Self.packets { #expect(Self.reason([identifier, 0, 0, 0, 0], of: packet) == 0x81) }
        }
        // Of two digits, and not the shortest form.
        #expect(Self.reason([0x80, 0x01], of: .publish) == 0x81)
        #expect(Self.reason([0x81, 0x00, 0x01], of: .publish) == 0x81)
    }

    @Test func onlyTwoMayBeRepeated() {
        for (property, value, packets) in Self.table {
            guard let packet = packets.first else { continue }
            let isRepeatable = property == 0x26 || property == 0x0B
            let twice = [property] + value + [property] + value
            #expect(Self.reason(twice, of: packet) == (isRepeatable ? nil : 0x82), "\(property)")
        }
    }

    /// A value that ends too early, at each of its octets.
    @Test func cutValues() {
        for (property, value, packets) in Self.table {
            guard let packet = packets.first else { continue }
            for count in value.indices {
                #expect(Self.reason([property] + value.prefix(count), of: packet) == 0x81, "\(property) \(count)")
            }
        }
        #expect(Packet.violation(Packet.of(0x30, Packet.text("t") + [9, 0x01, 1])) == 0x81, "beyond the packet")
    }

    @Test(
        arguments: [
            (0x01, [2]), (0x23, [0, 0]), (0x0B, [0]),
        ] as [(UInt8, [UInt8])]) func valuesThatPublishMustNotHave(property: UInt8, value: [UInt8])
    {
        #expect(Self.reason([property] + value, of: .publish) == 0x82)
    }

    @Test(
        arguments: [
            (0x21, [0, 0]), (0x24, [2]), (0x25, [2]), (0x27, [0, 0, 0, 0]), (0x28, [2]), (0x29, [2]), (0x2A, [2]),
        ] as [(UInt8, [UInt8])]) func valuesThatConnackMustNotHave(property: UInt8, value: [UInt8])
    {
        #expect(Self.reason([property] + value, of: .connack) == 0x82)
    }

    /// 1.5.4: UTF-8 without U+0000 and surrogates.
    @Test(arguments: [[0x00], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func textsThatAreNone(text: [UInt8]) {
        let value = [0, UInt8(text.count)] + text
        #expect(Self.reason([0x1F] + value, of: .connack) == 0x81)
        #expect(Self.reason([0x26] + value + Packet.text("b"), of: .connack) == 0x81)
        #expect(Self.reason([0x26] + Packet.text("a") + value, of: .connack) == 0x81)
    }
}
