import Octets

/// The capture file of HCI traffic that Android, BlueZ and Wireshark read: `btsnoop`, version 1, with the H4 type octet
/// before each packet. All its numbers have the most significant octet first.
public enum BTSnoop {
    /// Which way a packet went.
    public enum Direction: Equatable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received
    }

    /// The only version there is.
    public static let version: UInt32 = 1
    /// The datalink of packets with an H4 type octet; 1001 would be without one.
    public static let h4Datalink: UInt32 = 1002
    /// The longest packet: type octet, four octets of ACL header and the most data that its length can say
    /// (Core 5.4, Vol 4, Part E, 5.4.2).
    public static let maximumPacketCount = 1 + 4 + 65_535

    /// What the file begins with, before its version.
    static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
    /// Microseconds from the beginning of the format's time, in the year 0, to 1970-01-01 UTC.
    static let epochMicroseconds: Int64 = 0x00DC_DDB3_0F2F_8000
    /// Set when the packet came from the controller.
    static let receivedFlag: UInt32 = 0x01
    /// Set for commands and events, clear for data.
    static let commandFlag: UInt32 = 0x02

    /// Appends what a file begins with, 16 octets.
    public static func appendFileHeader(to octets: inout [UInt8]) {
        octets.append(contentsOf: magic)
        octets.append(littleEndian: version.byteSwapped)
        octets.append(littleEndian: h4Datalink.byteSwapped)
    }

    /// Appends one packet, whole, with its header. Nothing is kept between calls, and nothing is allocated once
    /// `octets` has room.
    ///
    /// - Parameters:
    ///   - packet: with its H4 type octet.
    ///   - microseconds: when it passed, since 1970-01-01 UTC; a clock that was never set is near 0.
    public static func appendRecord(
        _ packet: Span<UInt8>, _ direction: Direction, microseconds: Int64, to octets: inout [UInt8]
    ) {
        var flags: UInt32 = direction == .received ? receivedFlag : 0
        if packet.count > 0 {
            switch H4PacketType(rawValue: packet[0]) {
            case .command, .event: flags |= commandFlag
            default: break
            }
        }
        octets.append(littleEndian: UInt32(clamping: packet.count).byteSwapped)
        octets.append(littleEndian: UInt32(clamping: packet.count).byteSwapped)
        octets.append(littleEndian: flags.byteSwapped)
        // Drops: whoever writes the capture is the host itself, and misses nothing.
        octets.append(littleEndian: UInt32(0))
        octets.append(littleEndian: UInt64(bitPattern: microseconds &+ epochMicroseconds).byteSwapped)
        octets.append(packet)
    }
}
