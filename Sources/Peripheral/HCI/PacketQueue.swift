import Octets

/// Packets for the controller, in order, in one piece of memory that is used again: no allocation per packet.
public struct PacketQueue: Sendable {
    /// Octets before each packet that say how long it is.
    private static let prefixCount = 2
    /// What has been taken is moved out of the way when it is this much, so that a queue that never runs empty does
    /// not grow.
    private static let slack = 16_384

    private var octets: [UInt8] = []
    private var head = 0

    /// An empty queue.
    public init() {}

    /// Whether there is nothing to send.
    public var isEmpty: Bool { head == octets.count }

    /// How much memory the waiting packets take, in octets.
    var waitingOctets: Int { octets.count - head }

    /// Puts the next packet into `packet`, in place of what was there, and takes it off the queue. False if there is
    /// none; `packet` is empty then.
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

    /// Appends the packet that `write` appends to what it is given, at most 65535 octets.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        let mark = octets.count
        octets.append(littleEndian: UInt16(0))
        write(&octets)
        let count = octets.count - mark - PacketQueue.prefixCount
        octets[mark] = UInt8(truncatingIfNeeded: count)
        octets[mark + 1] = UInt8(truncatingIfNeeded: count >> 8)
    }

    /// Forgets all packets.
    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        head = 0
    }
}
