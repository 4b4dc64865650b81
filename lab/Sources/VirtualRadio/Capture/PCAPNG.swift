// SPDX-License-Identifier: Apache-2.0

import Octets

/// A capture in the pcapng format (draft-ietf-opsawg-pcapng), version 1.0, little-endian, with times in nanoseconds:
/// the blocks as octets, one after another.
struct PCAPNG {
    /// The type of the packets of an interface (LINKTYPE).
    enum LinkType: UInt16 {
        /// HCI packets with their H4 type octet, behind a direction of four octets
        /// (LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR).
        case hci = 201
        /// Text and what dissects it (LINKTYPE_WIRESHARK_UPPER_PDU).
        case exportedPDU = 252
        /// Link layer PDUs behind a radio's header (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
        case linkLayer = 256
    }

    /// The direction of a packet at its interface (`epb_flags`, bits 0 and 1).
    enum Direction: UInt32 {
        case inbound = 1
        case outbound = 2
    }

    private enum Block: UInt32 {
        case section = 0x0A0D_0D0A
        case interface = 1
        case enhancedPacket = 6
    }

    private enum Option: UInt16 {
        case end = 0
        case comment = 1
        /// `if_name`; in a packet's block, `epb_flags`.
        case nameOrFlags = 2
        case application = 4
        case timeResolution = 9
    }

    /// The octets of a text that are kept: an option's length has 16 bits, and no reader shows a longer one.
    private static let maximumTextCount = 4096
    private static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    /// 10⁻⁹ s.
    private static let nanoseconds: UInt8 = 9

    /// The blocks that were not taken.
    private(set) var octets: [UInt8] = []
    private var interfaces: UInt32 = 0

    /// A section with a comment, written by this application.
    init(comment: String, application: String) {
        block(.section) { octets in
            octets.append(littleEndian: PCAPNG.byteOrderMagic)
            octets.append(littleEndian: UInt16(1))
            octets.append(littleEndian: UInt16(0))
            // The section's length is not known before its end.
            octets.append(littleEndian: UInt64.max)
            PCAPNG.append(.comment, Array(comment.utf8), to: &octets)
            PCAPNG.append(.application, Array(application.utf8), to: &octets)
            PCAPNG.append(.end, [], to: &octets)
        }
    }

    /// Removes and returns the blocks so far.
    mutating func drain() -> [UInt8] {
        defer { octets.removeAll() }
        return octets
    }

    /// Adds an interface, and returns its number.
    mutating func addInterface(_ name: String, _ type: LinkType) -> UInt32 {
        block(.interface) { octets in
            octets.append(littleEndian: type.rawValue)
            octets.append(littleEndian: UInt16(0))
            // Packets of any length.
            octets.append(littleEndian: UInt32(0))
            PCAPNG.append(.nameOrFlags, Array(name.utf8), to: &octets)
            PCAPNG.append(.timeResolution, [PCAPNG.nanoseconds], to: &octets)
            PCAPNG.append(.end, [], to: &octets)
        }
        defer { interfaces += 1 }
        return interfaces
    }

    /// Adds a packet of an interface, `nanoseconds` after 1970-01-01 UTC.
    mutating func add(_ packet: [UInt8], on interface: UInt32, _ direction: Direction, nanoseconds: UInt64) {
        block(.enhancedPacket) { octets in
            octets.append(littleEndian: interface)
            octets.append(littleEndian: UInt32(truncatingIfNeeded: nanoseconds >> 32))
            octets.append(littleEndian: UInt32(truncatingIfNeeded: nanoseconds))
            octets.append(littleEndian: UInt32(packet.count))
            octets.append(littleEndian: UInt32(packet.count))
            PCAPNG.append(padded: packet, to: &octets)
            var flags: [UInt8] = []
            flags.append(littleEndian: direction.rawValue)
            PCAPNG.append(.nameOrFlags, flags, to: &octets)
            PCAPNG.append(.end, [], to: &octets)
        }
    }

    private mutating func block(_ type: Block, _ body: (inout [UInt8]) -> Void) {
        let start = octets.count
        octets.append(littleEndian: type.rawValue)
        octets.append(littleEndian: UInt32(0))
        body(&octets)
        let count = UInt32(octets.count - start + 4)
        octets.append(littleEndian: count)
        for place in 0..<4 { octets[start + 4 + place] = UInt8(truncatingIfNeeded: count >> (8 * place)) }
    }

    private static func append(_ option: Option, _ value: [UInt8], to octets: inout [UInt8]) {
        let value = Array(value.prefix(maximumTextCount))
        octets.append(littleEndian: option.rawValue)
        octets.append(littleEndian: UInt16(value.count))
        append(padded: value, to: &octets)
    }

    /// Appends octets, padded to a multiple of four.
    private static func append(padded value: [UInt8], to octets: inout [UInt8]) {
        octets += value
        octets += repeatElement(0, count: (4 - value.count % 4) % 4)
    }
}
