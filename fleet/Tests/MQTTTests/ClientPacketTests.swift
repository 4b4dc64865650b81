// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTT

/// The packets of the client, octet for octet (MQTT 5, 3).
@Suite struct ClientPacketTests {
    @Test func connect() {
        let plain = ClientPacket.connect(identity: "r", will: nil, keepaliveSeconds: 20)
        #expect(
            plain
                == [0x10, 22, 0, 4] + Array("MQTT".utf8) + [5, 0x02, 0, 20]
                + [8, 0x21, 0, 20, 0x27, 0, 1, 0, 0] + [0, 1] + Array("r".utf8))
        // A will with QoS 1, retained; the session lasts as long as its delay.
        let will = MQTTWill(topic: "w", text: "0", delaySeconds: 30)
        let octets = ClientPacket.connect(identity: "r", will: will, keepaliveSeconds: 0x0102)
        #expect(
            octets
                == [0x10, 39, 0, 4] + Array("MQTT".utf8) + [5, 0x2E, 1, 2]
                + [13, 0x11, 0, 0, 0, 30, 0x21, 0, 20, 0x27, 0, 1, 0, 0] + [0, 1] + Array("r".utf8)
                + [5, 0x18, 0, 0, 0, 30] + [0, 1] + Array("w".utf8) + [0, 1] + Array("0".utf8))
    }

    @Test func publish() {
        let message = MQTTMessage(topic: "a/b", payload: [9], isRetained: true)
        #expect(
            ClientPacket.publish(message, identifier: 0x0102) == [0x33, 9, 0, 3] + Array("a/b".utf8) + [1, 2, 0, 9])
        let answer = MQTTMessage(topic: "t", payload: [], correlation: [7, 8])
        #expect(
            ClientPacket.publish(answer, identifier: 1)
                == [0x32, 11, 0, 1] + Array("t".utf8) + [0, 1, 5, 0x09, 0, 2, 7, 8])
        // A length of two digits.
        let long = MQTTMessage(topic: "t", payload: [UInt8](repeating: 0, count: 194))
        #expect(ClientPacket.publish(long, identifier: 1).prefix(3) == [0x32, 0xC8, 0x01])
    }

    @Test func others() {
        #expect(ClientPacket.subscribe("a/+", identifier: 3) == [0x82, 9, 0, 3, 0, 0, 3] + Array("a/+".utf8) + [1])
        #expect(ClientPacket.puback(0x0102) == [0x40, 2, 1, 2])
        #expect(ClientPacket.pingreq == [0xC0, 0])
        #expect(ClientPacket.disconnect(ClientPacket.withWill) == [0xE0, 1, 4])
    }
}
