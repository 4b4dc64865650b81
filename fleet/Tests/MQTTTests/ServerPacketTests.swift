// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing

@testable import MQTT

/// The packets of a broker, octet for octet (MQTT 5, 3).
@Suite struct ServerPacketTests {
    private static func expect(_ octets: [UInt8], _ expected: ServerPacket, _ comment: Comment? = nil) {
        #expect(Packet.parsed(octets) == .success(expected), comment)
    }

    @Test func connackStatesTheLimits() throws {
        let properties: [UInt8] =
            [0x21, 0, 5, 0x24, 1, 0x25, 0, 0x27, 0, 0, 0x20, 0, 0x28, 0, 0x13, 0, 60, 0x22, 0, 8]
            + [0x11, 0, 0, 0, 30, 0x29, 0, 0x2A, 0, 0x12] + Packet.text("other")
        var limits = BrokerLimits()
        (limits.receiveMaximum, limits.maximumQoS, limits.retains) = (5, 1, false)
        (limits.maximumPacket, limits.permitsWildcards, limits.keepaliveSeconds) = (8192, false, 60)
        Self.expect(Packet.connack(properties), .connack(.success, limits, reference: nil))
        Self.expect(Packet.connack(), .connack(.success, BrokerLimits(), reference: nil), "the defaults")
        let moved = [0x1C] + Packet.text("b.example")
        Self.expect(
            Packet.connack(moved, reason: 0x9D), .connack(MQTTReason(0x9D), BrokerLimits(), reference: "b.example"))
        // A name that would control a terminal is not shown.
        let escape = [0x1C] + Packet.text("\u{1B}[2J")
        Self.expect(Packet.connack(escape), .connack(.success, BrokerLimits(), reference: nil))
    }

    @Test func connackOfAnotherForm() {
        Self.expect([0x20, 2, 0, 1], .formerConnack, "MQTT 3.1.1, 3.2")
        #expect(Packet.violation(Packet.of(0x20, [2, 0, 0])) == 0x81, "reserved flags")
        #expect(Packet.violation(Packet.of(0x20, [1, 0, 0])) == 0x82, "a session that nobody asked for")
        #expect(Packet.violation([0x20, 1, 0]) == 0x81)
        #expect(Packet.violation([0x20, 0]) == 0x81)
    }

    @Test func aMessage() {
        let properties: [UInt8] =
            [0x01, 1, 0x02, 0, 0, 0, 9, 0x09, 0, 2, 7, 8, 0x26] + Packet.text("a") + Packet.text("b")
        let message = MQTTMessage(topic: "t", payload: Array("é".utf8), isRetained: false, correlation: [7, 8])
        Self.expect(Packet.publish(properties, payload: Array("é".utf8)), .publish(message, identifier: nil))
        let retained = MQTTMessage(topic: "a/b", payload: [], isRetained: true)
        Self.expect(Packet.of(0x33, Packet.text("a/b") + [0x12, 0x34, 0]), .publish(retained, identifier: 0x1234))
        Self.expect(Packet.of(0x3B, Packet.text("a/b") + [0, 1, 0]), .publish(retained, identifier: 1), "repeated")
        // Longer correlation data is not echoed.
        let long = [0x09, 0, 65] + [UInt8](repeating: 1, count: 65)
        Self.expect(Packet.publish(long), .publish(MQTTMessage(topic: "t", payload: []), identifier: nil))
    }

    @Test func messagesThatAreNotPermitted() {
        #expect(Packet.violation(Packet.of(0x36, Packet.text("t") + [0, 1, 0])) == 0x81, "QoS 3 (3.3.1.2)")
        #expect(Packet.violation(Packet.of(0x34, Packet.text("t") + [0, 1, 0])) == 0x82, "QoS 2, not subscribed to")
        #expect(Packet.violation(Packet.of(0x38, Packet.text("t") + [0])) == 0x81, "QoS 0, repeated (3.3.1.1)")
        #expect(Packet.violation(Packet.of(0x32, Packet.text("t") + [0, 0, 0])) == 0x82, "identifier 0 (2.2.1)")
        for topic in ["a/#", "+/b", "#"] {
            #expect(Packet.violation(Packet.of(0x30, Packet.text(topic) + [0])) == 0x81, "a wildcard (3.3.2.1)")
        }
        #expect(Packet.violation(Packet.of(0x30, [0, 1, 0, 0])) == 0x81, "U+0000 (1.5.4)")
        #expect(Packet.violation(Packet.of(0x30, [0, 0, 3, 0x23, 0, 1])) == 0x94, "an alias (3.3.2.3.4)")
        #expect(Packet.violation(Packet.publish([0x23, 0, 1])) == 0x94)
        #expect(Packet.violation(Packet.publish([0x08] + Packet.text("a/+"))) == 0x82, "a response topic (3.3.2.3.5)")
        #expect(Packet.violation(Packet.publish([0x01, 1], payload: [0xFF])) == 0x81, "no UTF-8 (3.3.2.3.2)")
        #expect(Packet.violation(Packet.publish([0x7E, 0])) == 0x81, "property 126 made libmosquitto abort")
    }

    @Test func acknowledgements() {
        Self.expect([0x40, 2, 0, 1], .puback(1, .success), "3.4.2.1: without a reason")
        Self.expect([0x40, 3, 0, 1, 0x10], .puback(1, .noSubscriber), "3.4.2.2: without properties")
        Self.expect([0x40, 4, 0, 1, 0x87, 0], .puback(1, MQTTReason(0x87)))
        #expect(Packet.violation([0x40, 5, 0, 1, 0x87, 0, 0]) == 0x81)
        #expect(Packet.violation([0x40, 2, 0, 0]) == 0x82)
        #expect(Packet.violation([0x40, 1, 0]) == 0x81)
        Self.expect(Packet.suback(7, 1), .suback(7, MQTTReason(1)))
        Self.expect(Packet.suback(7, 0x87), .suback(7, MQTTReason(0x87)))
        #expect(Packet.violation(Packet.suback(7, 2)) == 0x82, "more than was asked for (3.8.4)")
        #expect(Packet.violation(Packet.suback(7, 3)) == 0x82)
        #expect(Packet.violation(Packet.of(0x90, [0, 7, 0])) == 0x81, "no reason")
        #expect(Packet.violation(Packet.of(0x90, [0, 7, 0, 1, 1])) == 0x81, "two reasons for one filter")
    }

    @Test func ends() {
        Self.expect([0xE0, 0], .disconnect(.success, reference: nil), "3.14.2.1: without a reason")
        Self.expect([0xE0, 1, 0x8E], .disconnect(.sessionTakenOver, reference: nil))
        let moved = [0x1C] + Packet.text("b.example")
        Self.expect(
            Packet.of(0xE0, [0x9D, UInt8(moved.count)] + moved),
            .disconnect(MQTTReason(0x9D), reference: "b.example"))
        #expect(Packet.violation(Packet.of(0xE0, [0, 5, 0x11, 0, 0, 0, 1])) == 0x82, "only a client's (3.14.2.2.2)")
        Self.expect([0xD0, 0], .pingresp)
        #expect(Packet.violation([0xD0, 1, 0]) == 0x81)
    }
}
