// SPDX-License-Identifier: Apache-2.0

/// Frames between a host and a PN532 on a serial line (PN532 user manual UM0701-02, 6.2.1).
enum PN532Frame: Equatable {
    /// Data with the direction in the first octet.
    case data([UInt8])
    /// The host needs nothing further of the present command.
    case ack
    /// The host has not understood the last response.
    case nack

    static let acknowledgement: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    /// The response to a frame that is no command (6.2.1.5).
    static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]
    static let toChip: UInt8 = 0xD4
    static let fromChip: UInt8 = 0xD5
    /// The maximum number of octets in an extended frame, direction included (6.2.1.2).
    static let dataLimit = 265

    /// A frame with `data`, which begins with the direction and has at most `dataLimit` octets.
    static func encoded(_ data: [UInt8]) -> [UInt8] {
        let sum = data.reduce(0) { $0 &+ $1 }
        let length: [UInt8]
        if data.count <= 0xFF {
            length = [UInt8(data.count), 0 &- UInt8(data.count)]
        } else {
            let (high, low) = (UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count))
            length = [0xFF, 0xFF, high, low, 0 &- high &- low]
        }
        return [0x00, 0x00, 0xFF] + length + data + [0 &- sum, 0x00]
    }
}

/// Cuts the octets of a host into frames. A frame with a fault is dropped: the chip does not respond to it.
struct PN532FrameDecoder: Sendable {
    /// A frame, or the fault of one.
    enum Item: Equatable {
        case frame(PN532Frame)
        case fault(String)
    }

    private var octets: [UInt8] = []

    /// The frames that these octets complete. Octets before a start code are the preamble, and a wake-up.
    mutating func receive(_ part: Span<UInt8>) -> [Item] {
        for index in part.indices { octets.append(part[index]) }
        var items: [Item] = []
        while let item = next() { items.append(item) }
        return items
    }

    private mutating func next() -> Item? {
        guard let start = octets.indices.dropLast().first(where: { octets[$0] == 0x00 && octets[$0 + 1] == 0xFF })
        else {
            octets.removeFirst(max(0, octets.count - 1))
            return nil
        }
        octets.removeFirst(start)
        guard octets.count >= 4 else { return nil }
        switch (octets[2], octets[3]) {
        case (0x00, 0xFF): return drop(4, .frame(.ack))
        case (0xFF, 0x00): return drop(4, .frame(.nack))
        case (0xFF, 0xFF):
            guard octets.count >= 7 else { return nil }
            guard octets[4] &+ octets[5] &+ octets[6] == 0 else { return drop(2, .fault("a wrong length checksum")) }
            return data(Int(octets[4]) << 8 | Int(octets[5]), from: 7)
        default:
            guard octets[2] &+ octets[3] == 0 else { return drop(2, .fault("a wrong length checksum")) }
            return data(Int(octets[2]), from: 4)
        }
    }

    private mutating func data(_ count: Int, from first: Int) -> Item? {
        guard count <= PN532Frame.dataLimit else { return drop(2, .fault("a frame of \(count) octets")) }
        let end = first + count
        // DCS and postamble.
        guard octets.count >= end + 2 else { return nil }
        let data = Array(octets[first..<end])
        let sum = data.reduce(octets[end]) { $0 &+ $1 }
        guard sum == 0 else { return drop(end + 2, .fault("a wrong data checksum")) }
        guard octets[end + 1] == 0 else { return drop(end + 2, .fault("a postamble other than 00")) }
        return drop(end + 2, .frame(.data(data)))
    }

    private mutating func drop(_ count: Int, _ item: Item) -> Item {
        octets.removeFirst(count)
        return item
    }
}
