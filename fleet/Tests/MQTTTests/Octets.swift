// SPDX-License-Identifier: Apache-2.0

import Fleet

@testable import MQTT

/// Octets of packets in tests.
enum Packet {
    /// A packet with its fixed header, of less than 128 octets.
    static func of(_ header: UInt8, _ body: [UInt8]) -> [UInt8] { [header, UInt8(body.count)] + body }

    /// A text with its length.
    static func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    /// CONNACK with success and these properties.
    static func connack(_ properties: [UInt8] = [], reason: UInt8 = 0) -> [UInt8] {
        of(0x20, [0, reason, UInt8(properties.count)] + properties)
    }

    /// PUBLISH with QoS 0 to `t`, and these properties.
    static func publish(_ properties: [UInt8] = [], payload: [UInt8] = []) -> [UInt8] {
        of(0x30, text("t") + [UInt8(properties.count)] + properties + payload)
    }

    /// SUBACK.
    static func suback(_ identifier: UInt8, _ reason: UInt8) -> [UInt8] { of(0x90, [0, identifier, 0, reason]) }

    /// PUBACK.
    static func puback(_ identifier: UInt8, _ reason: UInt8? = nil) -> [UInt8] {
        of(0x40, [0, identifier] + (reason.map { [$0] } ?? []))
    }

    /// The packet in octets, or the violation.
    static func parsed(_ octets: [UInt8]) -> Result<ServerPacket, ProtocolViolation> {
        var framer = PacketFramer()
        framer.append(octets.span)
        do throws(ProtocolViolation) {
            guard let packet = try framer.next() else {
                return .failure(ProtocolViolation(reason: .success, text: "incomplete"))
            }
            return .success(try ServerPacket(packet))
        } catch {
            return .failure(error)
        }
    }

    /// The reason of the violation in octets; nil if there is none.
    static func violation(_ octets: [UInt8]) -> UInt8? {
        if case .failure(let violation) = parsed(octets) { violation.reason.rawValue } else { nil }
    }
}
