// SPDX-License-Identifier: Apache-2.0

import Octets

/// The `btsnoop` capture format of HCI traffic, version 1, with the H4 type octet before each packet, as read by
/// Android, BlueZ and Wireshark. Numbers are most significant octet first.
public enum BTSnoop {
    /// The direction of a packet.
    public enum Direction: Equatable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received
    }

    /// The only version.
    public static let version: UInt32 = 1
    /// The datalink type of packets with an H4 type octet.
    public static let h4Datalink: UInt32 = 1002
    /// The datalink type of packets without it: the flags identify commands and events.
    public static let plainDatalink: UInt32 = 1001
    /// The datalink type of the Linux monitor, as of `btmon -w`: the flags have the controller and the kind of record.
    public static let monitorDatalink: UInt32 = 2001
    /// The maximum length of a packet: type octet, ACL header of four octets and the maximum data length (Core 5.4, Vol
    /// 4, Part E, 5.4.2).
    public static let maximumPacketCount = 1 + 4 + 65_535

    /// The magic octets before the version.
    static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
    /// Microseconds from the epoch of the format, in the year 0, to 1970-01-01 UTC.
    static let epochMicroseconds: Int64 = 0x00DC_DDB3_0F2F_8000
    /// Set for packets from the controller.
    static let receivedFlag: UInt32 = 0x01
    /// Set for commands and events, clear for data.
    public static let commandFlag: UInt32 = 0x02

    /// Appends the file header, 16 octets.
    public static func appendFileHeader(to octets: inout [UInt8]) {
        octets.append(contentsOf: magic)
        octets.append(littleEndian: version.byteSwapped)
        octets.append(littleEndian: h4Datalink.byteSwapped)
    }

    /// Appends one complete packet with its header. Stateless; no allocation if `octets` has the capacity.
    ///
    /// - Parameters:
    ///   - packet: the packet with its H4 type octet.
    ///   - microseconds: the time since 1970-01-01 UTC; near 0 if the clock is not set.
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
        // Cumulative drops: the host itself writes the capture and misses no packet.
        octets.append(littleEndian: UInt32(0))
        octets.append(littleEndian: UInt64(bitPattern: microseconds &+ epochMicroseconds).byteSwapped)
        octets.append(packet)
    }
}
