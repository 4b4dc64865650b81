import Octets

/// What was wrong with a PDU, or a fragment of one, that was thrown away.
public enum L2CAPViolation: Error, Equatable, Sendable {
    /// The header announces more octets than this end takes.
    case tooLong(announced: Int)
    /// The fragments hold more octets than the header announced.
    case longerThanAnnounced
    /// A continuation came, and nothing had been started.
    case continuationWithoutStart
    /// A start came before the PDU in progress was whole. That one is lost; the new one is being put together.
    case startWhilePending
    /// A start without a single octet.
    case emptyStart
}

/// One link's reassembly of L2CAP PDUs out of ACL fragments (Core 5.4, Vol 3, Part A, 3.1, 7.2.1), bounded.
///
/// A PDU that comes in one fragment is not copied. The others are gathered in `octets`, which never holds more than
/// the header and the longest payload. The header too may be split between fragments.
public struct L2CAPReassembly: Sendable {
    /// An ATT_MTU of 517, which carries every attribute value in one PDU, and is above what signalling and the
    /// Security Manager send.
    public static let defaultMaximumPayload = 517

    /// What came of a fragment.
    public enum Outcome: Equatable, Sendable {
        /// The PDU is not whole yet, or the fragment belongs to a PDU that was dropped before.
        case incomplete
        /// A whole PDU. `payload` is a range of the fragment just passed in if `inFragment`, else of `octets`, where it
        /// stays until the next call.
        case complete(L2CAPChannelID, payload: Range<Int>, inFragment: Bool)
        /// A PDU was dropped; what follows of it will be ignored.
        case dropped(L2CAPViolation)
    }

    private enum Progress: Equatable, Sendable {
        case idle
        /// The octets of a PDU so far are in `octets`.
        case gathering
        /// Of a dropped PDU, so many octets are still to come.
        case discarding(remaining: Int)
    }

    /// The longest payload that is taken.
    public let maximumPayload: Int
    /// The PDU that is being gathered, or was last completed out of several fragments, with its header.
    public private(set) var octets: [UInt8] = []
    /// How many PDUs were lost because another one started before their end; counted also when that one was complete
    /// at once, and `startWhilePending` therefore not reported.
    public private(set) var interruptions = 0
    /// The channel of the PDU that was last dropped as too long.
    public private(set) var tooLongChannel = L2CAPChannelID(rawValue: 0)
    private var progress = Progress.idle

    /// Nothing pending; takes payloads of up to `maximumPayload` octets.
    public init(maximumPayload: Int = L2CAPReassembly.defaultMaximumPayload) {
        self.maximumPayload = max(0, min(maximumPayload, Int(UInt16.max)))
    }

    /// Takes the data of one ACL packet; `isStart` is its Packet_Boundary_Flag: 0b10 or 0b00 start a PDU, 0b01
    /// continues it (Core 5.4, Vol 4, Part E, 5.4.2).
    public mutating func receive(_ fragment: Span<UInt8>, isStart: Bool) -> Outcome {
        isStart ? start(fragment) : proceed(fragment)
    }

    /// Forgets what is pending, as at the end of a link.
    public mutating func reset() {
        octets.removeAll(keepingCapacity: true)
        progress = .idle
    }

    private mutating func start(_ fragment: Span<UInt8>) -> Outcome {
        let interrupts = progress == .gathering
        if interrupts { interruptions &+= 1 }
        reset()
        guard fragment.count > 0 else { return .dropped(.emptyStart) }
        if fragment.count >= L2CAPFrame.headerCount {
            let announced = L2CAPReassembly.u16(fragment, at: 0)
            let present = fragment.count - L2CAPFrame.headerCount
            guard announced <= maximumPayload else {
                tooLongChannel = L2CAPChannelID(rawValue: UInt16(L2CAPReassembly.u16(fragment, at: 2)))
                return drop(.tooLong(announced: announced), have: present, announced)
            }
            guard present <= announced else { return .dropped(.longerThanAnnounced) }
            if present == announced {
                let channel = L2CAPChannelID(rawValue: UInt16(L2CAPReassembly.u16(fragment, at: 2)))
                return .complete(channel, payload: L2CAPFrame.headerCount..<fragment.count, inFragment: true)
            }
        }
        octets.append(fragment)
        progress = .gathering
        return interrupts ? .dropped(.startWhilePending) : .incomplete
    }

    private mutating func proceed(_ fragment: Span<UInt8>) -> Outcome {
        switch progress {
        case .idle:
            return .dropped(.continuationWithoutStart)
        case .discarding(let remaining):
            progress = fragment.count < remaining ? .discarding(remaining: remaining - fragment.count) : .idle
            return .incomplete
        case .gathering:
            return gather(fragment)
        }
    }

    private mutating func gather(_ fragment: Span<UInt8>) -> Outcome {
        // What is held never exceeds the limit: an ACL fragment may be as long as 65535 octets.
        let room = L2CAPFrame.headerCount + maximumPayload - octets.count
        let before = octets.count
        octets.append(fragment.extracting(first: max(0, min(room, fragment.count))))
        guard octets.count >= L2CAPFrame.headerCount else { return .incomplete }
        let announced = L2CAPReassembly.u16(octets.span, at: 0)
        let present = before + fragment.count - L2CAPFrame.headerCount
        guard announced <= maximumPayload else {
            tooLongChannel = L2CAPChannelID(rawValue: UInt16(L2CAPReassembly.u16(octets.span, at: 2)))
            return drop(.tooLong(announced: announced), have: present, announced)
        }
        guard present <= announced else {
            reset()
            return .dropped(.longerThanAnnounced)
        }
        guard present == announced else { return .incomplete }
        progress = .idle
        let channel = L2CAPChannelID(rawValue: UInt16(L2CAPReassembly.u16(octets.span, at: 2)))
        return .complete(channel, payload: L2CAPFrame.headerCount..<octets.count, inFragment: false)
    }

    private mutating func drop(_ violation: L2CAPViolation, have present: Int, _ announced: Int) -> Outcome {
        reset()
        if present < announced { progress = .discarding(remaining: announced - present) }
        return .dropped(violation)
    }

    /// The caller has checked the length.
    private static func u16(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }
}
