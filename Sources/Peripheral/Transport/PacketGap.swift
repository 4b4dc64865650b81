// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A detector of silence within a packet on a serial line: octets were lost, or noise began a packet, and subsequent
/// octets would be taken for its remainder. A value.
struct PacketGap {
    /// The maximum gap. Octets of a packet follow each other at the line's rate, except for delays by a controller that
    /// fills its buffer, USB adapters that buffer for 16 ms, and a busy machine.
    static let longest = Duration.milliseconds(200)

    /// The deadline of the next octets of the packet in progress; nil between packets.
    private(set) var deadline: Instant?

    /// Records received octets; `isWithinPacket` if a packet is incomplete.
    mutating func received(isWithinPacket: Bool, at now: Instant) {
        deadline = isWithinPacket ? now + PacketGap.longest : nil
    }

    /// True if the packet is abandoned; must be called when nothing more can be read.
    func isOver(at now: Instant) -> Bool {
        deadline.map { now >= $0 } ?? false
    }
}
