// SPDX-License-Identifier: Apache-2.0

import Octets

/// Packets or PDUs to send, in order, in one piece of memory that is reused: no allocation per packet.
public struct PacketQueue: Sendable {
    /// The length of each packet, in octets before it.
    private static let prefixCount = 2
    /// The length of removed packets at which their memory is freed, so that a queue that is never empty does not grow.
    private static let slack = 16_384

    private var octets: [UInt8] = []
    private var head = 0

    /// An empty queue.
    public init() {}

    /// True if no packet is queued.
    public var isEmpty: Bool { head == octets.count }

    /// The memory of the queued packets, in octets.
    var waitingOctets: Int { octets.count - head }

    /// Removes the next packet, and replaces the contents of `packet` with it. False if there is none; `packet` is
    /// empty then.
    public mutating func popFirst(into packet: inout [UInt8]) -> Bool {
        packet.removeAll(keepingCapacity: true)
        guard octets.count - head > PacketQueue.prefixCount else { return false }
        let start = head + PacketQueue.prefixCount
        let count = Int(octets[head]) | Int(octets[head + 1]) << 8
        packet.append(octets.span.extracting(start..<start + count))
        head = start + count
        if head == octets.count {
            removeAll()
        } else if head > PacketQueue.slack {
            octets.removeSubrange(..<head)
            head = 0
        }
        return true
    }

    /// Calls `send` with each packet in order, and removes them all. The packets are not copied.
    public mutating func sendAll(_ send: (Span<UInt8>) -> Void) {
        while octets.count - head > PacketQueue.prefixCount {
            let start = head + PacketQueue.prefixCount
            let end = start + (Int(octets[head]) | Int(octets[head + 1]) << 8)
            send(octets.span.extracting(start..<end))
            head = end
        }
        removeAll()
    }

    /// Appends the packet that `write` appends, at most 65535 octets.
    public mutating func append(_ write: (inout [UInt8]) -> Void) {
        let mark = octets.count
        octets.append(littleEndian: UInt16(0))
        write(&octets)
        let count = octets.count - mark - PacketQueue.prefixCount
        octets[mark] = UInt8(truncatingIfNeeded: count)
        octets[mark + 1] = UInt8(truncatingIfNeeded: count >> 8)
    }

    /// Removes all packets.
    public mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        head = 0
    }
}
