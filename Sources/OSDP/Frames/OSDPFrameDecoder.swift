// SPDX-License-Identifier: Apache-2.0

/// Decodes frames from octets that arrive in any pieces. After noise it resumes at the next start of a message.
///
/// It never holds more octets than the longest frame.
public struct OSDPFrameDecoder: Sendable {
    /// A piece of the line's octets.
    ///
    /// A frame is followed if octets after it were received before it was found. That happens after a false start whose
    /// length covers the frame.
    public enum Item: Equatable, Sendable {
        /// A frame, with its octets.
        case frame(OSDPFrame, [UInt8], isFollowed: Bool = false)
        /// Octets that look like a frame but are not valid. Unless their check is valid, all but the first of them are
        /// read again.
        case damaged(OSDPFault, [UInt8], isFollowed: Bool = false)
        /// An octet that is neither a mark nor a start, and not part of a damaged item.
        case noise(UInt8)
    }

    private var held: [UInt8] = []
    /// The number of held octets that a damaged item has reported.
    private var reported = 0

    /// A decoder at an idle line.
    public init() { held.reserveCapacity(64) }

    /// The number of octets of an incomplete frame.
    public var heldCount: Int { held.count }

    /// Receives one octet, and passes complete items to `body`.
    public mutating func receive(_ octet: UInt8, _ body: (Item) -> Void) {
        held.append(octet)
        settle(isEnded: false, body)
    }

    /// Ends an incomplete frame after a pause in it: its start was false. Frames within it are reported.
    public mutating func abandon(_ body: (Item) -> Void) { settle(isEnded: true, body) }

    /// Drops an incomplete frame with all its octets.
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
                // The check is valid: the line did not damage the octets.
                remove(need)
                body(.damaged(error, octets, isFollowed: isFollowed))
            } catch {
                report(error, octets, body)
            }
        }
    }

    /// Reports octets that are not a frame. All but the first are read again.
    private mutating func report(_ fault: OSDPFault, _ octets: [UInt8], _ body: (Item) -> Void) {
        body(.damaged(fault, octets, isFollowed: held.count > octets.count))
        reported = max(reported, octets.count)
        remove(1)
    }

    private mutating func remove(_ count: Int) {
        held.removeFirst(count)
        reported = max(reported - count, 0)
    }

    /// The length of the current frame in octets, or of its header while that is incomplete; nil if the length is
    /// invalid.
    private var need: Int? {
        guard held.count >= 4 else { return 4 }
        let length = Int(held[2]) | Int(held[3]) << 8
        return (OSDPFrame.lengthMinimum...OSDPFrame.lengthLimit).contains(length) ? length : nil
    }
}
