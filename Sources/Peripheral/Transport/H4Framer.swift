// SPDX-License-Identifier: Apache-2.0

import Octets

/// The framing of HCI packets in a byte stream, with arbitrary boundaries of reads (Core 5.4, Vol 4, Part A, 2).
///
/// A packet that is complete in the received octets is delivered in place; others are assembled in retained memory.
/// After an error every call throws it again until `reset()`, after which the next octet must begin a packet, or
/// `resynchronise()`, which searches for the beginning.
///
/// H4 has no checksum. Loss of synchronization is detected by an invalid type octet, an invalid length, or a packet
/// that is not completed in time (`PacketGap`). Octets that form a valid packet by chance are delivered.
public struct H4Framer: Sendable {
    /// The maximum data length of an ACL packet: four times the maximum of the largest controllers (1021 on BR/EDR,
    /// less on LE). The field permits 65535, which in practice means loss of synchronization.
    public static let maximumACLCount = 4096
    /// The maximum data length of an isochronous packet: an SDU of 4095 octets (12 bits of length) and a header of 8
    /// octets (Core 5.4, Vol 4, Part E, 5.4.5).
    public static let maximumISOCount = 4103

    /// Type octet, longest header and longest data.
    private static let maximumPacketCount = 1 + 4 + maximumISOCount

    private let receiver: H4Receiver
    private var pending: [UInt8] = []
    private var failure: H4Error?
    /// True during the search for the answer to Reset; see `resynchronise()`.
    public private(set) var isSeeking = false
    /// The number of octets skipped since `resynchronise()`.
    public private(set) var skippedCount = 0

    /// A framer at the beginning of a stream.
    public init(receiver: H4Receiver) {
        self.receiver = receiver
        pending.reserveCapacity(H4Framer.maximumPacketCount)
    }

    /// True if no packet is incomplete.
    public var isBetweenPackets: Bool { pending.isEmpty }

    /// Handles octets and delivers each complete packet, with its type octet, valid during the call only.
    ///
    /// - Throws: `H4Error` after loss of synchronization.
    public mutating func receive(
        _ octets: Span<UInt8>, deliver: (Span<UInt8>) -> Void
    ) throws(H4Error) {
        if let failure { throw failure }
        var offset = 0
        do throws(H4Error) {
            if isSeeking { seek(octets, &offset) }
            guard !isSeeking else { return }
            if !pending.isEmpty {
                guard try complete(with: octets, &offset) else { return }
                deliver(pending.span)
                pending.removeAll(keepingCapacity: true)
            }
            while offset < octets.count {
                guard let count = try packetCount(octets, at: offset), count <= octets.count - offset else {
                    pending.append(octets.extracting(offset..<octets.count))
                    return
                }
                deliver(octets.extracting(offset..<offset + count))
                offset += count
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Discards an incomplete packet and an error: the next octet begins a packet.
    public mutating func reset() {
        pending.removeAll(keepingCapacity: true)
        failure = nil
        isSeeking = false
    }

    /// Skips octets until the answer to Reset, which is delivered as the first packet: resynchronization of a serial
    /// line after Reset was sent (Core 5.4, Vol 4, Part A, 4).
    public mutating func resynchronise() {
        reset()
        isSeeking = true
        skippedCount = 0
    }

    /// Consumes octets until the beginning of the answer is in `pending`.
    private mutating func seek(_ octets: Span<UInt8>, _ offset: inout Int) {
        while isSeeking, offset < octets.count {
            pending.append(octets[offset])
            offset += 1
            while !H4Framer.mayAnswerReset(pending.span) {
                pending.removeFirst()
                skippedCount &+= 1
            }
            isSeeking = pending.count < H4Framer.resetAnswerHeaderCount
        }
    }

    /// Type, event, length, Num_HCI_Command_Packets, opcode.
    private static let resetAnswerHeaderCount = 6

    /// True if the octets match the beginning of Command Complete for Reset (Core 5.4, Vol 4, Part E, 7.7.14). Its
    /// length is 4, or more with return parameters of later versions.
    private static func mayAnswerReset(_ octets: Span<UInt8>) -> Bool {
        for index in octets.indices {
            let octet = octets[index]
            let fits =
                switch index {
                case 0: octet == H4PacketType.event.rawValue
                case 1: octet == HCIEvent.Code.commandComplete.rawValue
                case 2: octet >= 4
                case 4: octet == UInt8(truncatingIfNeeded: HCIOpcode.reset.rawValue)
                case 5: octet == UInt8(truncatingIfNeeded: HCIOpcode.reset.rawValue >> 8)
                default: true
                }
            if !fits { return false }
        }
        return true
    }

    /// Appends the available octets to the pending packet; true if it is complete.
    private mutating func complete(with octets: Span<UInt8>, _ offset: inout Int) throws(H4Error) -> Bool {
        while true {
            let known = try packetCount(pending.span, at: 0)
            if let known, known == pending.count { return true }
            // Octet by octet until the header has the length.
            let wanted = known.map { $0 - pending.count } ?? 1
            let taken = min(wanted, octets.count - offset)
            guard taken > 0 else { return false }
            pending.append(octets.extracting(offset..<offset + taken))
            offset += taken
        }
    }

    /// The length of the packet at `offset`, with its type octet; nil if its header is incomplete.
    private func packetCount(_ octets: Span<UInt8>, at offset: Int) throws(H4Error) -> Int? {
        let type = H4PacketType(rawValue: octets[offset])
        let header = try header(of: type, at: offset)
        var cursor = OctetCursor(octets, in: offset + 1..<octets.count)
        guard cursor.remaining >= header.count else { return nil }
        let count: Int
        do throws(OctetError) {
            _ = try cursor.consume(header.count - (header.isLong ? 2 : 1), of: octets)
            count = header.isLong ? Int(try cursor.u16(octets) & header.mask) : Int(try cursor.u8(octets))
        } catch {
            return nil
        }
        guard count <= header.limit else {
            throw H4Error(.tooLong(type, count: count, limit: header.limit), at: offset)
        }
        return 1 + header.count + count
    }

    /// The header after a type octet; it ends with the data length.
    private struct Header {
        var count: Int
        /// True if the length field has two octets.
        var isLong = false
        var mask: UInt16 = 0xFFFF
        var limit = 255
    }

    private func header(of type: H4PacketType, at offset: Int) throws(H4Error) -> Header {
        switch (type, receiver) {
        case (.command, .controller): Header(count: 3)
        case (.acl, _): Header(count: 4, isLong: true, limit: H4Framer.maximumACLCount)
        case (.synchronous, _): Header(count: 3)
        case (.event, .host): Header(count: 2)
        // The two upper bits of the length are reserved (Core 5.4, Vol 4, Part E, 5.4.5).
        case (.isochronous, _): Header(count: 4, isLong: true, mask: 0x3FFF, limit: H4Framer.maximumISOCount)
        case (.command, .host), (.event, .controller): throw H4Error(.wrongDirection(type), at: offset)
        default: throw H4Error(.unknownType(type.rawValue), at: offset)
        }
    }
}
