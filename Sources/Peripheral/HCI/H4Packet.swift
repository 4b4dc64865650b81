// SPDX-License-Identifier: Apache-2.0

/// The type octet before an HCI packet on a byte stream (Core 5.4, Vol 4, Part A, 2).
public struct H4PacketType: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public var rawValue: UInt8
    /// The type with this octet, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// HCI command, from the host.
    public static let command = H4PacketType(rawValue: 0x01)
    /// HCI ACL data, in both directions.
    public static let acl = H4PacketType(rawValue: 0x02)
    /// HCI synchronous data, in both directions.
    public static let synchronous = H4PacketType(rawValue: 0x03)
    /// HCI event, from the controller.
    public static let event = H4PacketType(rawValue: 0x04)
    /// HCI isochronous data, in both directions.
    public static let isochronous = H4PacketType(rawValue: 0x05)
}

/// The receiver of a byte stream, which determines the permitted packet types.
public enum H4Receiver: Sendable {
    /// A host: events and data.
    case host
    /// A controller: commands and data.
    case controller
}

/// A loss of synchronization: the byte stream is not a sequence of HCI packets.
public struct H4Error: Error, Equatable, Sendable, CustomStringConvertible {
    /// The fault.
    public enum Reason: Equatable, Sendable {
        /// No packet begins with this octet.
        case unknownType(UInt8)
        /// Packets of this type have the opposite direction.
        case wrongDirection(H4PacketType)
        /// The packet has a length of `count` octets, and `limit` is the maximum.
        case tooLong(H4PacketType, count: Int, limit: Int)
        /// A packet socket delivered part of a packet, or a serial line is silent within a packet.
        case incomplete
        /// This many octets arrived on a serial line after Reset, without its answer.
        case noAnswerToReset(skipped: Int)
    }

    /// The fault.
    public let reason: Reason
    /// The offset of the faulty packet in the received octets; 0 if it began in earlier ones. A search for the next
    /// packet starts after it.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// `no HCI packet begins with octet 0x7F`.
    public var description: String {
        switch reason {
        case .unknownType(let octet):
            "unknown HCI packet type \(hexadecimal(octet))"
        case .wrongDirection(let type):
            "HCI packet of type \(hexadecimal(type.rawValue)) in the wrong direction"
        case .tooLong(let type, let count, let limit):
            "HCI packet of type \(hexadecimal(type.rawValue)) with \(count) octets, more than \(limit)"
        case .incomplete:
            "incomplete HCI packet"
        case .noAnswerToReset(let skipped):
            "no answer to HCI Reset within \(skipped) octet\(skipped == 1 ? "" : "s")"
        }
    }

    private func hexadecimal(_ octet: UInt8) -> String {
        let digits = String(octet, radix: 16, uppercase: true)
        return "0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
