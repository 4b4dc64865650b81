// SPDX-License-Identifier: Apache-2.0

import System
import Testing

@testable import MQTT

/// A broker's name or address, and the identity towards it.
struct BrokerTests {
    static let identity = Broker.TLS(authorities: "ca.pem", certificate: "reader.pem", key: "key.pem")

    @Test(arguments: [
        ("mqtt.example", "mqtt.example", 8883, "mqtt.example:8883"),
        ("192.0.2.1:18883", "192.0.2.1", 18_883, "192.0.2.1:18883"),
        ("[2001:db8::1]", "2001:db8::1", 8883, "[2001:db8::1]:8883"),
        ("[2001:db8::1]:65535", "2001:db8::1", 65_535, "[2001:db8::1]:65535"),
    ])
    func namesAndAddresses(text: String, host: String, port: UInt16, description: String) throws {
        let broker = try Broker(text, tls: BrokerTests.identity)
        #expect((broker.host, broker.port, broker.description) == (host, port, description))
    }

    @Test
    func withoutTLSThePortIs1883() throws {
        #expect(try Broker("mqtt.example", tls: nil).port == 1883)
        #expect(try Broker("mqtt.example:1884", tls: nil).port == 1884)
    }

    @Test(arguments: [
        "", ":1883", "mqtt.example:", "mqtt.example:0", "mqtt.example:65536", "mqtt.example:x", "[2001:db8::1",
        "[]:1883", "[2001:db8::1]x", String(repeating: "a", count: 256),
    ])
    func otherTextIsWrongUse(text: String) {
        let error = #expect(throws: ProgramFailure.self) { try Broker(text, tls: BrokerTests.identity) }
        #expect(error?.exitCode == 2)
    }

    @Test
    func threeFilesOrNone() throws {
        #expect(
            try Broker.TLS(authorities: "ca.pem", certificate: "reader.pem", key: "key.pem", isPlain: false)
                == BrokerTests.identity)
        #expect(try Broker.TLS(authorities: nil, certificate: nil, key: nil, isPlain: true) == nil)
        #expect(throws: ProgramFailure.self) {
            try Broker.TLS(authorities: "ca.pem", certificate: nil, key: "key.pem", isPlain: false)
        }
        #expect(throws: ProgramFailure.self) {
            try Broker.TLS(authorities: nil, certificate: nil, key: "key.pem", isPlain: true)
        }
        #expect(throws: ProgramFailure.self) {
            try Broker.TLS(authorities: nil, certificate: nil, key: nil, isPlain: false)
        }
    }
}
