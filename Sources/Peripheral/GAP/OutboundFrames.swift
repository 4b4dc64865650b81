import Octets

/// L2CAP frames that wait to be sent on one link, taken off in fragments.
struct OutboundFrames {
    /// Where a fragment is, and whether a frame begins with it.
    struct Fragment: Equatable {
        var range: Range<Int>
        var isStart: Bool
    }

    /// Two octets of length, one of kind.
    private static let prefixCount = 3
    private static let slack = 4096

    private(set) var octets: [UInt8] = []
    private var head = 0
    /// Octets of the first frame that have been sent.
    private var sent = 0
    /// How many answers to the client wait.
    private(set) var responses = 0

    /// Whether nothing waits.
    var isEmpty: Bool { head == octets.count }
    /// How much memory the waiting frames take, in octets.
    var waitingOctets: Int { octets.count - head }

    /// Appends a frame with its L2CAP header.
    mutating func append(_ payload: [UInt8], channel: L2CAPChannelID, isResponse: Bool) {
        let mark = octets.count
        octets.append(littleEndian: UInt16(0))
        octets.append(isResponse ? 1 : 0)
        L2CAPFrame.appendHeader(payloadCount: payload.count, channel: channel, to: &octets)
        octets.append(payload.span)
        let count = octets.count - mark - OutboundFrames.prefixCount
        octets[mark] = UInt8(truncatingIfNeeded: count)
        octets[mark + 1] = UInt8(truncatingIfNeeded: count >> 8)
        if isResponse { responses += 1 }
    }

    /// Appends a frame that is no answer, with its L2CAP header.
    mutating func append(_ payload: Span<UInt8>, channel: L2CAPChannelID) {
        let count = L2CAPFrame.headerCount + payload.count
        octets.append(littleEndian: UInt16(truncatingIfNeeded: count))
        octets.append(0)
        L2CAPFrame.appendHeader(payloadCount: payload.count, channel: channel, to: &octets)
        octets.append(payload)
    }

    /// Whether a frame has been sent in part.
    var isInFrame: Bool { sent > 0 }

    /// The next fragment, of at most `limit` octets; nil if nothing waits.
    func next(limit: Int) -> Fragment? {
        guard let count = firstCount else { return nil }
        let start = head + OutboundFrames.prefixCount + sent
        return Fragment(range: start..<start + min(max(limit, 1), count - sent), isStart: sent == 0)
    }

    /// Appends the data packet of the fragment that `next` gave, and drops it.
    mutating func send(_ fragment: Fragment, handle: UInt16, to outbound: inout PacketQueue) {
        outbound.append { packet in
            DataPacket.appendHeader(
                handle: handle, isStart: fragment.isStart, count: fragment.range.count, to: &packet)
            packet.append(octets.span.extracting(fragment.range))
        }
        drop(fragment)
    }

    /// The fragment that `next` gave has been sent.
    mutating func drop(_ fragment: Fragment) {
        guard let count = firstCount else { return }
        sent += fragment.range.count
        guard sent >= count else { return }
        if octets[head + 2] == 1 { responses -= 1 }
        head += OutboundFrames.prefixCount + count
        sent = 0
        if head == octets.count {
            octets.removeAll(keepingCapacity: true)
            head = 0
        } else if head > OutboundFrames.slack {
            octets.removeSubrange(..<head)
            head = 0
        }
    }

    /// Forgets all frames.
    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        head = 0
        sent = 0
        responses = 0
    }

    private var firstCount: Int? {
        octets.count - head > OutboundFrames.prefixCount ? Int(octets[head]) | Int(octets[head + 1]) << 8 : nil
    }
}
