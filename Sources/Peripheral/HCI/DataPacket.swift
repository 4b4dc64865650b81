// SPDX-License-Identifier: Apache-2.0

public import Octets

/// The head of an ACL data packet (Core 5.4, Vol 4, Part E, 5.4.2).
public struct DataPacket: Equatable, Sendable {
    /// The highest Connection_Handle; the ones above are reserved.
    static let highestHandle: UInt16 = 0x0EFF

    /// The Connection_Handle.
    public var handle: UInt16
    /// True if an L2CAP frame begins in this packet.
    public var isStart: Bool
    /// The range of the fragment in the packet.
    public var fragment: Range<Int>

    /// Reads a data packet with the type octet before it. Nil for a well-formed packet that is not for a host: a
    /// broadcast, or the reserved boundary flag 11.
    public static func parse(_ packet: Span<UInt8>) throws(OctetError) -> DataPacket? {
        var cursor = OctetCursor(packet)
        _ = try cursor.u8(packet)
        let field = try cursor.u16(packet)
        let count = Int(try cursor.u16(packet))
        let fragment = try cursor.consume(count, of: packet)
        try cursor.finish()
        let boundary = field >> 12 & 0b11
        guard field >> 14 == 0, boundary != 0b11 else { return nil }
        return DataPacket(handle: field & 0x0FFF, isStart: boundary != 0b01, fragment: fragment)
    }

    /// Appends type, handle, flags and length of a packet. The boundary flag is 01 for a continuation; at the start of
    /// a frame, it is 00 (not flushable) from a host and 10 from a controller.
    public static func appendHeader(
        handle: UInt16, isStart: Bool, count: Int, isFromController: Bool = false, to packet: inout [UInt8]
    ) {
        let start: UInt16 = isFromController ? 0x2000 : 0x0000
        packet.append(H4PacketType.acl.rawValue)
        packet.append(littleEndian: handle & 0x0FFF | (isStart ? start : 0x1000))
        packet.append(littleEndian: UInt16(truncatingIfNeeded: count))
    }
}
