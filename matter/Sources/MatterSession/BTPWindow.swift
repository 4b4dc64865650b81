// SPDX-License-Identifier: Apache-2.0

/// The sequence numbers of both directions and their acknowledgements (Core 4.19.4).
struct BTPWindow: Sendable {
    /// The maximum number of unacknowledged segments in each direction.
    let size: UInt8

    /// The sequence number of the next sent segment. The handshake response is number 0.
    private(set) var nextSent: UInt8 = 1
    /// The number of sent segments without acknowledgement, at most `size`.
    private(set) var unacknowledgedSent: UInt8 = 1
    /// The sequence number of the next received segment.
    private var nextReceived: UInt8 = 0
    /// The number of received segments that are not acknowledged yet.
    private(set) var unacknowledgedReceived: UInt8 = 0

    init(size: UInt8) { self.size = size }

    /// The number of further segments that the peer accepts.
    var free: UInt8 { size - unacknowledgedSent }

    /// True if the peer can send at most one more segment, so that it needs an acknowledgement at once.
    var isNearlyFull: Bool { size - unacknowledgedReceived <= 1 }

    /// True if data can be sent now. The last place of the window is reserved for a segment with an acknowledgement:
    /// with both windows full of data, neither side could acknowledge.
    var isOpen: Bool { free > 1 || free == 1 && unacknowledgedReceived > 0 }

    /// Records the numbers of a received segment.
    mutating func receive(_ segment: BTPSegment) throws(BTPFault) {
        if let acknowledged = segment.acknowledged {
            // The distance to the newest sent segment; at most `unacknowledgedSent` − 1 for one without
            // acknowledgement.
            let behind = nextSent &- 1 &- acknowledged
            guard behind < unacknowledgedSent else { throw .acknowledgement }
            unacknowledgedSent = behind
        }
        guard segment.sequence == nextReceived else { throw .sequence }
        guard unacknowledgedReceived < size else { throw .window }
        nextReceived &+= 1
        unacknowledgedReceived += 1
    }

    /// Returns the numbers of the next segment, and records it as sent.
    mutating func send() -> (sequence: UInt8, acknowledged: UInt8?) {
        let acknowledged: UInt8? = unacknowledgedReceived > 0 ? nextReceived &- 1 : nil
        unacknowledgedReceived = 0
        unacknowledgedSent += 1
        defer { nextSent &+= 1 }
        return (nextSent, acknowledged)
    }
}
