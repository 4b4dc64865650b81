import Octets

/// Cuts a byte stream into HCI packets (Core 5.4, Vol 4, Part A, 2), however it is split.
///
/// A packet that lies whole in the octets received is handed on where it lies; one that does not is put together in
/// memory that is kept. After an error the stream's packets are lost: every call throws it again until `reset()`,
/// after which the next octet must begin a packet, or `resynchronise()`, after which that octet is looked for.
///
/// H4 has no checksum. Out of step shows in a type octet that is none, in a length that cannot be, and in a packet whose
/// rest does not come (`PacketGap`). Octets that happen to be a packet are handed on as one.
public struct H4Framer: Sendable {
    /// The most data octets of an ACL packet: four times what the largest controllers send (1021 on BR/EDR, less on
    /// LE). The field would allow 65535, which in practice means that the stream is out of step.
    public static let maximumACLCount = 4096
    /// The most data octets of an isochronous packet: an SDU of 4095 (its length has 12 bits) and 8 octets before it
    /// (Core 5.4, Vol 4, Part E, 5.4.5).
    public static let maximumISOCount = 4103

    /// Type octet and the longest header.
    private static let maximumPacketCount = 1 + 4 + maximumISOCount

    private let receiver: H4Receiver
    private var pending: [UInt8] = []
    private var failure: H4Error?
    /// True if the answer to Reset is still looked for; see `resynchronise()`.
    public private(set) var isSeeking = false
    /// Octets that were passed over since `resynchronise()`.
    public private(set) var skippedCount = 0

    /// A framer at the beginning of a stream.
    public init(receiver: H4Receiver) {
        self.receiver = receiver
        pending.reserveCapacity(H4Framer.maximumPacketCount)
    }

    /// True if the octets so far are whole packets.
    public var isBetweenPackets: Bool { pending.isEmpty }

    /// Takes octets and hands on each packet that is complete, with its type octet, valid during the call only.
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

    /// Forgets a packet that has begun, and an error: the next octet begins a packet.
    public mutating func reset() {
        pending.removeAll(keepingCapacity: true)
        failure = nil
        isSeeking = false
    }

    /// Passes over everything until the answer to Reset begins, and hands that on as the first packet: how a host finds
    /// the beginning of packets on a serial line, after it has sent Reset (Core 5.4, Vol 4, Part A, 4).
    public mutating func resynchronise() {
        reset()
        isSeeking = true
        skippedCount = 0
    }

    /// Takes octets until the beginning of the answer is in `pending`.
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

    /// Type, event, length, commands that may be sent, opcode.
    private static let resetAnswerHeaderCount = 6

    /// True if Command Complete for Reset begins like this (Core 5.4, Vol 4, Part E, 7.7.14). Its length is 4, or more
    /// for return parameters that a later version appends.
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

    /// Adds to the packet that has begun what belongs to it. Whether it is complete.
    private mutating func complete(with octets: Span<UInt8>, _ offset: inout Int) throws(H4Error) -> Bool {
        while true {
            let known = try packetCount(pending.span, at: 0)
            if let known, known == pending.count { return true }
            // Without its length, the packet takes one octet at a time, until the header has told it.
            let wanted = known.map { $0 - pending.count } ?? 1
            let taken = min(wanted, octets.count - offset)
            guard taken > 0 else { return false }
            pending.append(octets.extracting(offset..<offset + taken))
            offset += taken
        }
    }

    /// How long the packet is that begins at `offset`, with its type octet; nil if its header is not complete.
    private func packetCount(_ octets: Span<UInt8>, at offset: Int) throws(H4Error) -> Int? {
        let type = H4PacketType(rawValue: octets[offset])
        let header = try header(of: type, at: offset)
        var cursor = OctetCursor(octets, in: offset + 1..<octets.count)
        guard cursor.remaining >= header.count else { return nil }
        let count: Int
        do throws(OctetError) {
            _ = try cursor.take(header.count - (header.isLong ? 2 : 1), of: octets)
            count = header.isLong ? Int(try cursor.u16(octets) & header.mask) : Int(try cursor.u8(octets))
        } catch {
            return nil
        }
        guard count <= header.limit else {
            throw H4Error(.tooLong(type, count: count, limit: header.limit), at: offset)
        }
        return 1 + header.count + count
    }

    /// What follows a type octet: each header ends with the count of what follows it.
    private struct Header {
        var count: Int
        /// True if the count has two octets.
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
        // The upper two bits of the count are reserved (Core 5.4, Vol 4, Part E, 5.4.5).
        case (.isochronous, _): Header(count: 4, isLong: true, mask: 0x3FFF, limit: H4Framer.maximumISOCount)
        case (.command, .host), (.event, .controller): throw H4Error(.wrongDirection(type), at: offset)
        default: throw H4Error(.unknownType(type.rawValue), at: offset)
        }
    }
}
