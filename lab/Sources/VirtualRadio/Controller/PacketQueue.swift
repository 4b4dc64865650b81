// SPDX-License-Identifier: Apache-2.0

import Octets

/// The queue of H4 packets to the host. It counts packets, so that the controller can determine the host's knowledge.
struct PacketQueue {
    private var octets: [UInt8] = []
    private var ends: [Int] = []
    private var head = 0
    private var start = 0
    /// The total number of packets appended.
    private(set) var queued = 0

    /// The number of queued packets.
    var count: Int { ends.count - head }
    /// The total number of packets taken by the host.
    var taken: Int { queued - count }

    /// Appends a packet.
    mutating func append(_ packet: [UInt8]) {
        octets.append(contentsOf: packet)
        ends.append(octets.count)
        queued += 1
    }

    /// Removes the first packet and copies it into `packet`; false if the queue is empty.
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
