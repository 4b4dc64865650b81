// SPDX-License-Identifier: Apache-2.0

import Octets
import SeededNumbers

/// A packet on the LE 1M PHY as a capture has it: access address, PDU, CRC (Core 5.4, Vol 6, Part B, 2.1), behind the
/// header of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
struct AirPacket {
    /// The access address and the CRC's initial value of all packets of one kind or link.
    struct Access: Equatable {
        var address: UInt32
        /// 24 bits.
        var crcInit: UInt32

        /// The values for advertising (2.1.2, 3.1.1).
        static let advertising = Access(address: 0x8E89_BED6, crcInit: 0x55_5555)

        /// The values for a link. The air has none, so they are derived from the link's number in accordance with
        /// 2.1.2.
        init(link: UInt64) {
            var random = SeededGenerator(seed: link, stream: "access address")
            var word = random.next()
            while !Access.isValid(UInt32(truncatingIfNeeded: word)) { word = random.next() }
            self.init(address: UInt32(truncatingIfNeeded: word), crcInit: UInt32(word >> 40))
        }

        private init(address: UInt32, crcInit: UInt32) {
            self.address = address
            self.crcInit = crcInit
        }

        private static func isValid(_ address: UInt32) -> Bool {
            let changes = address ^ (address >> 1 | address & 0x8000_0000)
            // No more than 24 changes of value, two of them in the six most significant bits, and no seven equal bits.
            let runs = (0...25).contains { changes >> $0 & 0x3F == 0 }
            return changes.nonzeroBitCount <= 24 && (changes >> 26).nonzeroBitCount >= 2 && !runs
                && (address ^ Access.advertising.address).nonzeroBitCount > 1
                && Set((0..<4).map { address >> (8 * $0) & 0xFF }).count > 1
        }
    }

    /// The kind of a PDU (bits 7 to 9 of the flags).
    enum Kind: UInt16 {
        case advertising = 0
        case fromCentral = 2
        case fromPeripheral = 3
    }

    /// Flags of the header.
    private static let dewhitened: UInt16 = 0x0001
    private static let signalValid: UInt16 = 0x0002
    private static let decrypted: UInt16 = 0x0008
    private static let referenceValid: UInt16 = 0x0010
    private static let kindShift: UInt16 = 7

    var access: Access
    var kind: Kind
    /// The channel index, 0 to 39.
    var channel: UInt8
    var pdu: [UInt8]
    var isEncrypted = false

    /// The octets in a capture, received with `level` in dBm; nil at the sender.
    ///
    /// No flag says that the CRC was checked: who reads the capture checks it.
    func octets(level: Int8?) -> [UInt8] {
        var flags = AirPacket.dewhitened | AirPacket.referenceValid | kind.rawValue << AirPacket.kindShift
        if level != nil { flags |= AirPacket.signalValid }
        if isEncrypted { flags |= AirPacket.decrypted }
        var octets = [AirPacket.frequency(of: channel), UInt8(bitPattern: level ?? 0), 0, 0]
        octets.append(littleEndian: access.address)
        octets.append(littleEndian: flags)
        octets.append(littleEndian: access.address)
        octets += pdu
        octets.append(littleEndian24: AirPacket.crc(of: pdu, initial: access.crcInit))
        return octets
    }

    /// The index of a channel's frequency, from 0 for 2402 MHz in steps of 2 MHz (1.4.1).
    private static func frequency(of channel: UInt8) -> UInt8 {
        switch channel {
        case 37: 0
        case 38: 12
        case 39: 39
        case ...10: channel + 1
        default: channel + 2
        }
    }

    /// The CRC in the order of its transmission, least significant bit first (3.1.1): x²⁴+x¹⁰+x⁹+x⁶+x⁴+x³+x+1.
    static func crc(of pdu: [UInt8], initial: UInt32) -> UInt32 {
        let reversedPolynomial: UInt32 = 0xDA_6000
        var state = (0..<24 as Range<UInt32>).reduce(0) { $0 | (initial >> $1 & 1) << (23 - $1) }
        for octet in pdu {
            state ^= UInt32(octet)
            for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? reversedPolynomial : 0) }
        }
        return state
    }
}
