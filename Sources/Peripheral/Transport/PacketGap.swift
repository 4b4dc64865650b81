import Timekeeping

/// Notices that a serial line is silent in the middle of a packet: octets were lost there, or noise has begun a packet
/// that nobody sent, and what comes next would be taken for its rest. A value.
struct PacketGap {
    /// A packet's octets follow each other at the line's rate. What may come between them: a controller that fills its
    /// buffer, USB adapters that gather for 16 ms, and a machine that is busy.
    static let longest = Duration.milliseconds(200)

    /// When the rest of the packet that has begun has to go on; nil between packets.
    private(set) var deadline: Instant?

    /// Octets were taken, and a packet has begun that is not complete, or not.
    mutating func received(isWithinPacket: Bool, at now: Instant) {
        deadline = isWithinPacket ? now + PacketGap.longest : nil
    }

    /// Whether the packet is given up; to be asked when nothing more can be read.
    func isOver(at now: Instant) -> Bool {
        deadline.map { now >= $0 } ?? false
    }
}
