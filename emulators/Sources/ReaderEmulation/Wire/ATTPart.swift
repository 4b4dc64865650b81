// SPDX-License-Identifier: Apache-2.0

/// The octets of an ATT PDU in one ACL packet (Core 5.4, Vol 4, Part E, 5.4.2; Vol 3, Part A, 3.1; Part F, 3.3.1).
struct ATTPart: Equatable {
    static let mtuRequest: UInt8 = 0x02, mtuResponse: UInt8 = 0x03
    static let writeRequest: UInt8 = 0x12, writeCommand: UInt8 = 0x52, notification: UInt8 = 0x1B

    /// The opcode of the PDU.
    var opcode: UInt8
    /// The attribute of a write or a notification; 0 for other PDUs.
    var attribute: UInt16
    /// The octets behind opcode and attribute, as indices of the packet.
    var value: Range<Int>
    /// True if the PDU begins in the packet.
    var isFirst: Bool
    /// True if the PDU ends in the packet.
    var isLast: Bool
}

/// The PDUs of one direction of a link, in the fragments of a controller.
struct ATTFragments {
    /// The opcode and the attribute of the PDU whose fragments follow; nil for other channels.
    private var current: (opcode: UInt8, attribute: UInt16)?
    private var missing = 0

    /// The part of an ATT PDU in an ACL packet; nil for other channels, and for a fragment that is too short for the
    /// attribute.
    mutating func part(of packet: [UInt8]) -> ATTPart? {
        // Packet type, handle with flags, length. Flag 0b01 is a continuation.
        guard packet.count > 5 else { return nil }
        if packet[2] >> 4 & 0b11 == 0b01 {
            missing = max(0, missing - (packet.count - 5))
            guard let current else { return nil }
            return ATTPart(
                opcode: current.opcode, attribute: current.attribute, value: 5..<packet.count, isFirst: false,
                isLast: missing == 0)
        }
        current = nil
        guard packet.count > 9, number(packet, 7) == 0x0004 else { return nil }
        missing = max(0, number(packet, 5) - (packet.count - 9))
        let opcode = packet[9]
        let hasAttribute = [ATTPart.writeRequest, ATTPart.writeCommand, ATTPart.notification].contains(opcode)
        guard !hasAttribute || packet.count >= 12 else { return nil }
        let attribute = hasAttribute ? UInt16(truncatingIfNeeded: number(packet, 10)) : 0
        current = (opcode, attribute)
        return ATTPart(
            opcode: opcode, attribute: attribute, value: (hasAttribute ? 12 : 10)..<packet.count, isFirst: true,
            isLast: missing == 0)
    }

    private func number(_ packet: [UInt8], _ index: Int) -> Int { Int(packet[index]) | Int(packet[index + 1]) << 8 }
}
