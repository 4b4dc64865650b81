// SPDX-License-Identifier: Apache-2.0

/// Frames out of octets that arrive in any pieces. After noise it starts again at the next start of a message.
///
/// It never holds more octets than the longest frame.
public struct OSDPFrameDecoder: Sendable {
    /// A piece of the line's octets.
    public enum Item: Equatable, Sendable {
        /// A frame, with its octets.
        case frame(OSDPFrame, [UInt8])
        /// Octets that seemed to be a frame, and are none. All but the first of them are read again.
        case damaged(OSDPFault, [UInt8])
        /// An octet between frames that is neither a mark nor a start.
        case noise(UInt8)
    }

    private var held: [UInt8] = []

    /// A decoder at an idle line.
    public init() { held.reserveCapacity(64) }

    /// The number of octets of an incomplete frame.
    public var heldCount: Int { held.count }

    /// Takes one octet, and reports to `body` what is complete.
    public mutating func receive(_ octet: UInt8, _ body: (Item) -> Void) {
        held.append(octet)
        settle(isEnded: false, body)
    }

    /// Gives up an incomplete frame after a pause in it: its start was none. Frames within it are reported.
    public mutating func abandon(_ body: (Item) -> Void) { settle(isEnded: true, body) }

    private mutating func settle(isEnded: Bool, _ body: (Item) -> Void) {
        while let first = held.first {
            guard first == OSDPFrame.start else {
                held.removeFirst()
                if first != OSDPFrame.mark { body(.noise(first)) }
                continue
            }
            let need = need
            if let need, held.count < need, !isEnded { return }
            guard let need, held.count >= need else {
                body(.damaged(.length, held))
                held.removeFirst()
                continue
            }
            let octets = Array(held[..<need])
            do throws(OSDPFault) {
                let frame = try OSDPFrame(octets.span)
                held.removeFirst(need)
                body(.frame(frame, octets))
            } catch  where error == .securityBlock || error == .contents {
                // The check is right: the line brought what was sent.
                held.removeFirst(need)
                body(.damaged(error, octets))
            } catch {
                body(.damaged(error, octets))
                held.removeFirst()
            }
        }
    }

    /// The octets of the frame at hand, or of its header as long as that is incomplete; nil if no frame has its length.
    private var need: Int? {
        guard held.count >= 4 else { return 4 }
        let length = Int(held[2]) | Int(held[3]) << 8
        return (OSDPFrame.lengthMinimum...OSDPFrame.lengthLimit).contains(length) ? length : nil
    }
}
