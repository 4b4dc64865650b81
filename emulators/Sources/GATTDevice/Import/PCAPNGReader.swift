// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// A reader of pcapng (draft-ietf-opsawg-pcapng), limited to the HCI packets of a capture.
struct PCAPNGReader {
    /// The type of a Section Header Block, equal in both octet orders.
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    private enum Block: UInt32 {
        case section = 0x0A0D_0D0A
        case interface = 1
        case enhancedPacket = 6
    }

    /// The type of the packets of an interface (LINKTYPE) that holds HCI.
    private enum LinkType: UInt16 {
        /// H4; the direction is in the block's flags.
        case h4 = 187
        /// H4 behind a direction of four octets, most significant first: 0 is sent, 1 received.
        case h4WithDirection = 201
        /// Records of the Linux monitor behind a controller and an opcode, most significant octet first.
        case monitor = 254
    }

    private struct Interface {
        /// Nil for packets of another kind.
        var type: LinkType?
        var resolution: Resolution
    }

    /// The unit of times (`if_tsresol`): 10 or 2 to the power of −`exponent` seconds.
    private struct Resolution {
        /// The highest exponents for which the conversion does not overflow.
        static let maximumDecimal = 18
        static let maximumBinary = 43
        static let microseconds = Resolution(isBinary: false, exponent: 6)

        var isBinary: Bool
        var exponent: Int

        func microseconds(_ ticks: UInt64) -> Int64 {
            if isBinary {
                let fraction = ticks & (1 << UInt64(exponent) - 1)
                let whole = (ticks >> UInt64(exponent)) &* 1_000_000
                return Int64(truncatingIfNeeded: whole &+ (fraction &* 1_000_000) >> UInt64(exponent))
            }
            var (ticks, exponent) = (ticks, exponent)
            while exponent > 6 { (ticks, exponent) = (ticks / 10, exponent - 1) }
            while exponent < 6 { (ticks, exponent) = (ticks &* 10, exponent + 1) }
            return Int64(truncatingIfNeeded: ticks)
        }
    }

    /// The octets around the body of a block: type, length, and the length again.
    private static let frameCount = 12
    /// The maximum number of interfaces: more than any program captures on.
    private static let maximumInterfaces = 1024

    private var cursor: OctetCursor
    private var isSwapped = false
    private var interfaces: [Interface] = []

    init(_ file: Span<UInt8>) { cursor = OctetCursor(file) }

    /// The next packet; nil after the last.
    mutating func next(_ file: Span<UInt8>) throws(DeviceImportFault) -> CapturedPacket? {
        while cursor.remaining > 0 {
            let offset = cursor.position
            do throws(OctetError) {
                if let packet = try block(file) { return packet }
            } catch {
                throw DeviceImportFault(.octet(offset), "\(PCAPNGReader.problem(error)): truncate the file there")
            }
        }
        return nil
    }

    private static func problem(_ error: OctetError) -> String {
        switch error {
        case .truncated: "incomplete block"
        case .trailing: "invalid length, interface or time resolution of a block"
        }
    }

    /// Reads one block; returns its packet, if it has one.
    private mutating func block(_ file: Span<UInt8>) throws(OctetError) -> CapturedPacket? {
        let start = cursor.position
        let type = try u32(file)
        if Block(rawValue: type) == .section {
            // The magic number after the length shows the order of octets.
            var order = OctetCursor(file, in: min(start + 8, file.count)..<file.count)
            let magic = try order.u32(file)
            guard magic == 0x1A2B_3C4D || magic == 0x4D3C_2B1A else { throw .trailing(offset: start, count: 0) }
            isSwapped = magic == 0x4D3C_2B1A
            interfaces.removeAll()
        }
        let count = Int(try u32(file))
        guard count >= PCAPNGReader.frameCount, count.isMultiple(of: 4) else {
            throw .trailing(offset: start, count: 0)
        }
        let range = try cursor.consume(count - PCAPNGReader.frameCount, of: file)
        guard Int(try u32(file)) == count else { throw .trailing(offset: start, count: 0) }
        var body = OctetCursor(file, in: range)
        switch Block(rawValue: type) {
        case .interface: try interface(file, &body)
        case .enhancedPacket: return try packet(file, &body)
        case .section, nil: break
        }
        return nil
    }

    private mutating func interface(_ file: Span<UInt8>, _ body: inout OctetCursor) throws(OctetError) {
        guard interfaces.count < PCAPNGReader.maximumInterfaces else { throw .trailing(offset: 0, count: 0) }
        let type = try u16(file, &body)
        _ = try body.consume(6, of: file)  // reserved, the limit of packets
        var resolution = Resolution.microseconds
        try options(file, &body) { (code, value) throws(OctetError) in
            guard code == 9 else { return }
            guard value.count == 1 else { throw .trailing(offset: value.lowerBound, count: value.count) }
            let octet = file[value.lowerBound]
            resolution = Resolution(isBinary: octet & 0x80 != 0, exponent: Int(octet & 0x7F))
            let maximum = resolution.isBinary ? Resolution.maximumBinary : Resolution.maximumDecimal
            guard resolution.exponent <= maximum else { throw .trailing(offset: value.lowerBound, count: 0) }
        }
        interfaces.append(Interface(type: LinkType(rawValue: type), resolution: resolution))
    }

    private func packet(_ file: Span<UInt8>, _ body: inout OctetCursor) throws(OctetError) -> CapturedPacket? {
        let number = Int(try u32(file, &body))
        guard interfaces.indices.contains(number) else { throw .trailing(offset: body.position, count: 0) }
        let high = try u32(file, &body)
        let ticks = UInt64(high) << 32 | UInt64(try u32(file, &body))
        let (captured, original) = (Int(try u32(file, &body)), Int(try u32(file, &body)))
        let data = try body.consume(captured, of: file)
        _ = try body.consume((4 - captured % 4) % 4, of: file)
        var flags: UInt32 = 0
        try options(file, &body) { (code, value) throws(OctetError) in
            guard code == 2 else { return }
            var cursor = OctetCursor(file, in: value)
            flags = try u32(file, &cursor)
        }
        // A packet cut by the capture.
        guard captured == original, let type = interfaces[number].type else { return nil }
        let time = interfaces[number].resolution.microseconds(ticks)
        return try packet(type, number, time, flags, file, data)
    }

    private func packet(
        _ type: LinkType, _ number: Int, _ time: Int64, _ flags: UInt32, _ file: Span<UInt8>, _ data: Range<Int>
    ) throws(OctetError) -> CapturedPacket? {
        var cursor = OctetCursor(file, in: data)
        var packet = CapturedPacket(controller: number, isReceived: false, microseconds: time, octets: [])
        switch type {
        case .monitor:
            let controller = Int(try cursor.u16BigEndian(file))
            let opcode = try cursor.u16BigEndian(file)
            return CapturedPacket(
                monitor: opcode, controller: number << 16 | controller, microseconds: time,
                file.extracting(cursor.rest()))
        case .h4WithDirection:
            packet.isReceived = try cursor.u32(file) != 0
            packet.octets.append(file.extracting(cursor.rest()))
        case .h4:
            // Bits 0 and 1: inbound is 1, outbound 2.
            packet.isReceived = flags & 0b11 == 1
            packet.octets.append(file.extracting(cursor.rest()))
            guard flags & 0b11 == 0 else { break }
            // Data without a direction cannot be attributed.
            guard let type = packet.octets.first.map({ H4PacketType(rawValue: $0) }), type == .event || type == .command
            else { return nil }
            packet.isReceived = type == .event
        }
        return packet
    }

    /// Calls `body` with the code and the range of each option.
    private func options(
        _ file: Span<UInt8>, _ cursor: inout OctetCursor, _ body: (UInt16, Range<Int>) throws(OctetError) -> Void
    ) throws(OctetError) {
        while cursor.remaining > 0 {
            let (code, count) = (try u16(file, &cursor), Int(try u16(file, &cursor)))
            let value = try cursor.consume(count, of: file)
            _ = try cursor.consume((4 - count % 4) % 4, of: file)
            guard code != 0 else { return try cursor.finish() }
            try body(code, value)
        }
    }

    private mutating func u32(_ file: Span<UInt8>) throws(OctetError) -> UInt32 {
        let value = try cursor.u32(file)
        return isSwapped ? value.byteSwapped : value
    }

    private func u32(_ file: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> UInt32 {
        let value = try cursor.u32(file)
        return isSwapped ? value.byteSwapped : value
    }

    private func u16(_ file: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> UInt16 {
        let value = try cursor.u16(file)
        return isSwapped ? value.byteSwapped : value
    }
}
