// SPDX-License-Identifier: Apache-2.0

import Fleet
import Octets

/// The types of packets that a broker may send (MQTT 5, 2.1.2) without authentication and without messages of QoS 2.
enum ServerPacketType: UInt8 {
    case connack = 2
    case publish = 3
    case puback = 4
    case suback = 9
    case pingresp = 13
    case disconnect = 14

    /// The name in the specification.
    var name: String {
        switch self {
        case .connack: "CONNACK"
        case .publish: "PUBLISH"
        case .puback: "PUBACK"
        case .suback: "SUBACK"
        case .pingresp: "PINGRESP"
        case .disconnect: "DISCONNECT"
        }
    }
}

/// Splits octets of a broker into packets. Type, flags and length in the fixed header are checked before the packet is
/// collected (MQTT 5, 2.1).
struct PacketFramer {
    /// A packet without its fixed header's length.
    struct Packet: Equatable {
        var type: ServerPacketType
        /// The lower four bits of the first octet.
        var flags: UInt8
        /// The variable header and the payload.
        var body: [UInt8]
    }

    /// The maximum length of a packet in octets, which CONNECT states (MQTT 5, 3.1.2.11.4): the collector's batches are
    /// the longest.
    static let packetLimit = 65_536
    /// The maximum number of digits of a length (MQTT 5, 1.5.5).
    private static let digitLimit = 4

    private var octets: [UInt8] = []
    /// The position of the first octet that was not returned.
    private var start = 0

    /// The number of octets of an incomplete packet.
    var waitingCount: Int { octets.count - start }

    /// Adds received octets. Call `next` until it returns nil.
    mutating func append(_ received: Span<UInt8>) {
        octets.removeFirst(start)
        start = 0
        octets.append(received)
    }

    /// Returns the next complete packet; nil if more octets are needed.
    mutating func next() throws(ProtocolViolation) -> Packet? {
        guard start < octets.count else { return nil }
        let (type, flags) = try PacketFramer.header(octets[start])
        guard let (length, digits) = try length(type) else { return nil }
        let end = start + 1 + digits + length
        guard end <= octets.count else { return nil }
        defer { start = end }
        return Packet(type: type, flags: flags, body: Array(octets[(start + 1 + digits)..<end]))
    }

    /// Checks the first octet (MQTT 5, 2.1.3, Table 2-2).
    private static func header(_ octet: UInt8) throws(ProtocolViolation) -> (ServerPacketType, UInt8) {
        guard let type = ServerPacketType(rawValue: octet >> 4) else {
            throw .forbidden("a packet of type \(octet >> 4)")
        }
        let flags = octet & 0x0F
        guard type == .publish || flags == 0 else { throw .malformed("\(type.name) with flags") }
        return (type, flags)
    }

    /// Reads the length of the packet at `start`; nil if more octets are needed (MQTT 5, 1.5.5, 2.1.4).
    private func length(_ type: ServerPacketType) throws(ProtocolViolation) -> (length: Int, digits: Int)? {
        var length = 0
        for digit in 0..<PacketFramer.digitLimit {
            guard start + 1 + digit < octets.count else { return nil }
            let octet = octets[start + 1 + digit]
            length |= Int(octet & 0x7F) << (7 * digit)
            guard 1 + digit + 1 + length <= PacketFramer.packetLimit else {
                throw ProtocolViolation(
                    reason: .packetTooLarge, text: "\(type.name) of more than \(PacketFramer.packetLimit) octets")
            }
            guard octet & 0x80 == 0 else { continue }
            guard digit == 0 || octet != 0 else {
                throw .malformed("\(type.name) with a length that is not the shortest")
            }
            return (length, digit + 1)
        }
        throw .malformed("\(type.name) with a length of more than \(PacketFramer.digitLimit) digits")
    }
}
