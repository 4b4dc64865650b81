/// The octet before an HCI packet on a byte stream (Core 5.4, Vol 4, Part A, 2).
public struct H4PacketType: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public var rawValue: UInt8
    /// The type with this octet, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// HCI command, from the host.
    public static let command = H4PacketType(rawValue: 0x01)
    /// HCI ACL data, both ways.
    public static let acl = H4PacketType(rawValue: 0x02)
    /// HCI synchronous data, both ways.
    public static let synchronous = H4PacketType(rawValue: 0x03)
    /// HCI event, from the controller.
    public static let event = H4PacketType(rawValue: 0x04)
    /// HCI isochronous data, both ways.
    public static let isochronous = H4PacketType(rawValue: 0x05)
}

/// Which end of a byte stream receives; it decides which packets may come.
public enum H4Receiver: Sendable {
    /// A host: events and data.
    case host
    /// A controller: commands and data.
    case controller
}

/// A byte stream that is not, or no longer, a sequence of HCI packets.
public struct H4Error: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        /// No packet begins with this octet.
        case unknownType(UInt8)
        /// Packets of this type go the other way.
        case wrongDirection(H4PacketType)
        /// The packet says that `count` octets follow its header, and `limit` is the most that a sound one has.
        case tooLong(H4PacketType, count: Int, limit: Int)
        /// A socket that keeps packet boundaries gave part of a packet, or a serial line is silent in the middle of one.
        case incomplete
        /// This many octets came on a serial line after Reset, and its answer was not among them.
        case noAnswerToReset(skipped: Int)
    }

    /// What is wrong.
    public let reason: Reason
    /// Where in the octets received the packet at fault begins; 0 if it began in earlier ones. A search for the next
    /// packet starts behind it.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// `no HCI packet begins with octet 0x7F`.
    public var description: String {
        switch reason {
        case .unknownType(let octet):
            "no HCI packet begins with octet \(hexadecimal(octet))"
        case .wrongDirection(let type):
            "an HCI packet of type \(hexadecimal(type.rawValue)) came from the wrong side"
        case .tooLong(let type, let count, let limit):
            "an HCI packet of type \(hexadecimal(type.rawValue)) claims \(count) octets, more than \(limit)"
        case .incomplete:
            "an HCI packet came in part"
        case .noAnswerToReset(let skipped):
            "\(skipped) octet\(skipped == 1 ? "" : "s") came after HCI Reset, and its answer was not among them"
        }
    }

    private func hexadecimal(_ octet: UInt8) -> String {
        let digits = String(octet, radix: 16, uppercase: true)
        return "0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
