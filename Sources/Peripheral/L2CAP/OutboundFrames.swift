// SPDX-License-Identifier: Apache-2.0

import Octets

/// The queue of L2CAP frames of one link, removed in fragments.
struct OutboundFrames {
    /// The range of a fragment; `isStart` if a frame begins with it.
    struct Fragment: Equatable {
        var range: Range<Int>
        var isStart: Bool
    }

    /// The length, 2 octets, and the type, 1 octet.
    private static let prefixCount = 3
    private static let slack = 4096

    private(set) var octets: [UInt8] = []
    private var head = 0
    /// Octets of the first frame that have been sent.
    private var sent = 0
    /// The number of waiting answers to the client.
    private(set) var responses = 0

    /// True if the queue is empty.
    var isEmpty: Bool { head == octets.count }
    /// The memory of the queued frames in octets.
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

    /// Appends a frame that is not an answer, with its L2CAP header.
    mutating func append(_ payload: Span<UInt8>, channel: L2CAPChannelID) {
        let count = L2CAPFrame.headerCount + payload.count
        octets.append(littleEndian: UInt16(truncatingIfNeeded: count))
        octets.append(0)
        L2CAPFrame.appendHeader(payloadCount: payload.count, channel: channel, to: &octets)
        octets.append(payload)
    }

    /// True if a frame was sent in part.
    var isInFrame: Bool { sent > 0 }

    /// The next fragment, at most `limit` octets; nil if the queue is empty.
    func next(limit: Int) -> Fragment? {
        guard let count = firstCount else { return nil }
        let start = head + OutboundFrames.prefixCount + sent
        return Fragment(range: start..<start + min(max(limit, 1), count - sent), isStart: sent == 0)
    }

    /// Appends the data packet of the fragment from `next`, and removes the fragment.
    mutating func send(_ fragment: Fragment, handle: UInt16, to outbound: inout PacketQueue) {
        outbound.append { packet in
            DataPacket.appendHeader(
                handle: handle, isStart: fragment.isStart, count: fragment.range.count, to: &packet)
            packet.append(octets.span.extracting(fragment.range))
        }
        drop(fragment)
    }

    /// Removes the fragment from `next`.
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

    /// Removes all frames.
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
