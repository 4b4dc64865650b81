import Octets

/// A phone's side of a link: the data received from the host.
struct PhoneLink {
    /// The maximum length of a reassembled frame: more than an ATT_MTU of 517 requires.
    static let maximumFrameCount = 1024

    /// The reply that a frame from the host requires.
    enum Wish: Equatable {
        case nothing
        /// The host requests an MTU exchange.
        case exchangeMTU
        /// The host has sent an indication.
        case confirmation
    }

    private(set) var isUp = false
    /// The last response PDU.
    private(set) var answer: [UInt8] = []
    /// Whether a response has arrived since this was last reset.
    var hasAnswer = false
    /// The number of notifications since this was last reset.
    var notifications = 0
    /// The total length of their values.
    var notifiedOctets = 0
    /// The first four octets of the last value.
    private(set) var mark: UInt32 = 0
    private var frame: [UInt8] = []
    /// Whether the values of notifications are stored.
    var keepsValues = false
    /// The stored values in order.
    var values: [[UInt8]] = []

    /// Begins a connection.
    mutating func begin() {
        let keepsValues = keepsValues
        self = PhoneLink()
        self.keepsValues = keepsValues
        isUp = true
    }

    /// Ends the connection.
    mutating func end() {
        isUp = false
        frame.removeAll(keepingCapacity: true)
    }

    /// Handles a fragment of an L2CAP frame (Core 5.4, Vol 3, Part A, 3.1).
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

    /// Handles a complete frame; channels other than ATT, 0x0004, are ignored.
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
