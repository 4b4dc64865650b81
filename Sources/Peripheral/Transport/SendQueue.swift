import Octets

/// Octets that a descriptor did not take yet, in order. Reuses its memory.
struct SendQueue {
    /// Whether each packet must be written by a call of its own.
    let keepsPackets: Bool
    private var octets: [UInt8] = []
    private var head = 0
    /// The lengths of the packets waiting, from `firstPacket` on; empty without `keepsPackets`.
    private var packets: [Int] = []
    private var firstPacket = 0

    init(keepsPackets: Bool) { self.keepsPackets = keepsPackets }

    var isEmpty: Bool { head == octets.count }

    /// How many octets wait.
    var count: Int { octets.count - head }

    mutating func append(_ packet: Span<UInt8>) {
        guard packet.count > 0 else { return }
        octets.append(packet)
        if keepsPackets { packets.append(packet.count) }
    }

    /// Hands over what the next write is to write: one packet, or all there is.
    func withNext(_ body: (Span<UInt8>) -> Int64) -> Int64 {
        let count = keepsPackets && firstPacket < packets.count ? packets[firstPacket] : count
        return body(octets.span.extracting(head..<head + count))
    }

    /// Takes away what was written: of a queue of packets always the first one, since part of a packet cannot be.
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
