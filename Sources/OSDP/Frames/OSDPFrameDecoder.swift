// SPDX-License-Identifier: Apache-2.0

/// Frames out of octets that arrive in any pieces. After noise it starts again at the next start of a message.
///
/// It never holds more octets than the longest frame.
public struct OSDPFrameDecoder: Sendable {
    /// A piece of the line's octets.
    ///
    /// A frame is followed if octets after it had been received before it was found. That happens behind a false start,
    /// whose length covers the frame.
    public enum Item: Equatable, Sendable {
        /// A frame, with its octets.
        case frame(OSDPFrame, [UInt8], isFollowed: Bool = false)
        /// Octets that seemed to be a frame, and are none. Unless their check is right, all but the first of them are
        /// read again.
        case damaged(OSDPFault, [UInt8], isFollowed: Bool = false)
        /// An octet that is neither a mark nor a start, and in no damaged item.
        case noise(UInt8)
    }

    private var held: [UInt8] = []
    /// The number of held octets that a damaged item has reported.
    private var reported = 0

    /// A decoder at an idle line.
    public init() { held.reserveCapacity(64) }

    /// The number of octets of an incomplete frame.
    public var heldCount: Int { held.count }

    /// Takes one octet, and reports to `body` what is complete.
    public mutating func receive(_ octet: UInt8, _ body: (Item) -> Void) {
        held.append(octet)
        settle(isEnded: false, body)
    }

    /// Ends an incomplete frame after a pause in it: its start was none. Frames within it are reported.
    public mutating func abandon(_ body: (Item) -> Void) { settle(isEnded: true, body) }

    /// Drops an incomplete frame, with what is within it.
    public mutating func discard() {
        held.removeAll(keepingCapacity: true)
        reported = 0
    }

    private mutating func settle(isEnded: Bool, _ body: (Item) -> Void) {
        while let first = held.first {
            guard first == OSDPFrame.start else {
                if first != OSDPFrame.mark, reported == 0 { body(.noise(first)) }
                remove(1)
                continue
            }
            let need = need
            if let need, held.count < need, !isEnded { return }
            guard let need, held.count >= need else {
                report(.length, held, body)
                continue
            }
            let octets = Array(held[..<need])
            let isFollowed = held.count > need
            do throws(OSDPFault) {
                let frame = try OSDPFrame(octets.span)
                remove(need)
                body(.frame(frame, octets, isFollowed: isFollowed))
            } catch  where error == .securityBlock || error == .contents {
                // The check is right: the line brought what was sent.
                remove(need)
                body(.damaged(error, octets, isFollowed: isFollowed))
            } catch {
                report(error, octets, body)
            }
        }
    }

    /// Reports octets that are no frame. Those behind the first are read again.
    private mutating func report(_ fault: OSDPFault, _ octets: [UInt8], _ body: (Item) -> Void) {
        body(.damaged(fault, octets, isFollowed: held.count > octets.count))
        reported = max(reported, octets.count)
        remove(1)
    }

    private mutating func remove(_ count: Int) {
        held.removeFirst(count)
        reported = max(reported - count, 0)
    }

    /// The octets of the frame at hand, or of its header as long as that is incomplete; nil if no frame has its length.
    private var need: Int? {
        guard held.count >= 4 else { return 4 }
        let length = Int(held[2]) | Int(held[3]) << 8
        return (OSDPFrame.lengthMinimum...OSDPFrame.lengthLimit).contains(length) ? length : nil
    }
}
