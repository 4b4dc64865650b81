import Octets

/// H4 packets on their way to the host, in order. Counts them, so that the controller knows what the host can know.
struct PacketQueue {
    private var octets: [UInt8] = []
    private var ends: [Int] = []
    private var head = 0
    private var start = 0
    /// How many packets were ever put in.
    private(set) var queued = 0

    /// How many packets are waiting.
    var count: Int { ends.count - head }
    /// How many packets the host has taken.
    var taken: Int { queued - count }

    /// Puts a packet at the end.
    mutating func append(_ packet: [UInt8]) {
        octets.append(contentsOf: packet)
        ends.append(octets.count)
        queued += 1
    }

    /// Moves the first packet into `packet`, replacing what is there; false if there is none.
    mutating func pop(into packet: inout [UInt8]) -> Bool {
        guard head < ends.count else { return false }
        packet.removeAll(keepingCapacity: true)
        packet.append(octets.span.extracting(start..<ends[head]))
        start = ends[head]
        head += 1
        if head == ends.count {
            octets.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            head = 0
            start = 0
        } else if head >= 1024 {
            octets.removeFirst(start)
            ends = ends[head...].map { $0 - start }
            head = 0
            start = 0
        }
        return true
    }
}
