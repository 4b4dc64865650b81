import Octets

/// A phone's end of a link: what the host has sent on it.
struct PhoneLink {
    /// The longest frame that is put together: an ATT_MTU of 517, and some.
    static let maximumFrameCount = 1024

    /// What a frame of the host asks of the phone.
    enum Wish: Equatable {
        case nothing
        /// The host wants to exchange MTUs.
        case exchangeMTU
        /// The host has indicated something.
        case confirmation
    }

    private(set) var isUp = false
    /// The last PDU that answers a request.
    private(set) var answer: [UInt8] = []
    /// Whether an answer has come since it was last asked for.
    var hasAnswer = false
    /// Notifications since the count was last set to 0.
    var notifications = 0
    /// The octets of their values.
    var notifiedOctets = 0
    /// The first four octets of the last one's value.
    private(set) var mark: UInt32 = 0
    private var frame: [UInt8] = []
    /// Whether the values of notifications are kept.
    var keepsValues = false
    /// The values that were notified, in order, while they are kept.
    var values: [[UInt8]] = []

    /// The phone connects.
    mutating func begin() {
        let keepsValues = keepsValues
        self = PhoneLink()
        self.keepsValues = keepsValues
        isUp = true
    }

    /// The link is gone.
    mutating func end() {
        isUp = false
        frame.removeAll(keepingCapacity: true)
    }

    /// Takes a fragment of an L2CAP frame (Core 5.4, Vol 3, Part A, 3.1).
    mutating func receive(_ fragment: Span<UInt8>, isStart: Bool) -> Wish {
        if isStart {
            frame.removeAll(keepingCapacity: true)
            if let wanted = PhoneLink.frameCount(fragment), wanted == fragment.count { return take(fragment) }
        }
        guard frame.count + fragment.count <= PhoneLink.maximumFrameCount else { return .nothing }
        frame.append(fragment)
        guard let wanted = PhoneLink.frameCount(frame.span), wanted == frame.count else { return .nothing }
        let whole = frame
        frame.removeAll(keepingCapacity: true)
        return take(whole.span)
    }

    private static func frameCount(_ octets: Span<UInt8>) -> Int? {
        octets.count >= 4 ? 4 + (Int(octets[0]) | Int(octets[1]) << 8) : nil
    }

    /// Takes a whole frame; only the attribute channel, 0x0004, is of interest.
    private mutating func take(_ frame: Span<UInt8>) -> Wish {
        guard frame.count > 4, frame[2] == 0x04, frame[3] == 0 else { return .nothing }
        switch frame[4] {
        case 0x1B:
            notifications += 1
            notifiedOctets += max(frame.count - 7, 0)
            if keepsValues, frame.count >= 7 {
                values.append(frame.extracting(7..<frame.count).withUnsafeBufferPointer { Array($0) })
            }
            if frame.count >= 11 {
                mark = UInt32(frame[7]) | UInt32(frame[8]) << 8 | UInt32(frame[9]) << 16 | UInt32(frame[10]) << 24
            }
            return .nothing
        case 0x02: return .exchangeMTU
        case 0x1D: return .confirmation
        default:
            answer.removeAll(keepingCapacity: true)
            answer.append(frame.extracting(4..<frame.count))
            hasAnswer = true
            return .nothing
        }
    }
}
