// SPDX-License-Identifier: Apache-2.0

import Octets

/// Octets queued for a descriptor, in order. Memory is reused.
struct SendQueue {
    /// True if each packet must be written by its own call.
    let keepsPackets: Bool
    private var octets: [UInt8] = []
    private var head = 0
    /// The lengths of the queued packets from `firstPacket` on; empty without `keepsPackets`.
    private var packets: [Int] = []
    private var firstPacket = 0

    init(keepsPackets: Bool) { self.keepsPackets = keepsPackets }

    var isEmpty: Bool { head == octets.count }

    /// The number of queued octets.
    var count: Int { octets.count - head }

    mutating func append(_ packet: Span<UInt8>) {
        guard packet.count > 0 else { return }
        octets.append(packet)
        if keepsPackets { packets.append(packet.count) }
    }

    /// Passes the octets of the next write: one packet, or the complete queue.
    func withNext(_ body: (Span<UInt8>) -> Int64) -> Int64 {
        let count = keepsPackets && firstPacket < packets.count ? packets[firstPacket] : count
        return body(octets.span.extracting(head..<head + count))
    }

    /// Removes written octets; with `keepsPackets` always the first packet, which cannot be written in part.
    mutating func consume(_ written: Int) {
        if keepsPackets, firstPacket < packets.count {
            head += packets[firstPacket]
            firstPacket += 1
        } else {
            head += min(written, count)
        }
        if isEmpty {
            octets.removeAll(keepingCapacity: true)
            packets.removeAll(keepingCapacity: true)
            (head, firstPacket) = (0, 0)
        } else if head >= 4096, head * 2 >= octets.count {
            octets.removeFirst(head)
            packets.removeFirst(firstPacket)
            (head, firstPacket) = (0, 0)
        }
    }
}
