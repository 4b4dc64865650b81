// SPDX-License-Identifier: Apache-2.0

import Fleet

/// A packet of the broker that MQTT 5 does not permit. It ends the connection (MQTT 5, 4.13.1).
struct ProtocolViolation: Error, Equatable {
    /// The reason that is sent to the broker.
    var reason: MQTTReason
    /// The violation, for people. It contains no text of the broker.
    var text: String

    /// A packet that cannot be parsed.
    static func malformed(_ text: String) -> ProtocolViolation {
        ProtocolViolation(reason: .malformedPacket, text: text)
    }

    /// A packet that is not permitted.
    static func forbidden(_ text: String) -> ProtocolViolation {
        ProtocolViolation(reason: .protocolError, text: text)
    }
}
