// SPDX-License-Identifier: Apache-2.0

import Octets

/// The cause of a dropped PDU or fragment.
public enum L2CAPViolation: Error, Equatable, Sendable {
    /// The header announces more octets than the maximum.
    case tooLong(announced: Int)
    /// The fragments hold more octets than the header announced.
    case longerThanAnnounced
    /// A continuation without a start.
    case continuationWithoutStart
    /// A start before the end of the PDU in progress, which is lost; the new PDU is being assembled.
    case startWhilePending
    /// A start without octets.
    case emptyStart
}

/// The bounded reassembly of one link's L2CAP PDUs from ACL fragments (Core 5.4, Vol 3, Part A, 3.1, 7.2.1).
///
/// A PDU in one fragment is not copied. Others are assembled in `octets`, which never exceeds the header and the
/// maximum payload. The header may be split between fragments.
public struct L2CAPReassembly: Sendable {
    /// The ATT_MTU of 517, which carries every attribute value in one PDU, and exceeds PDUs of signalling and the
    /// Security Manager.
    public static let defaultMaximumPayload = 517

    /// The result of a fragment.
    public enum Outcome: Equatable, Sendable {
        /// The PDU is incomplete, or the fragment belongs to a dropped PDU.
        case incomplete
        /// A complete PDU. `payload` is a range of this fragment if `inFragment`, otherwise of `octets`, where it is
        /// valid until the next call.
        case complete(L2CAPChannelID, payload: Range<Int>, inFragment: Bool)
        /// A PDU was dropped; its further fragments are ignored.
        case dropped(L2CAPViolation)
    }

    private enum Progress: Equatable, Sendable {
        case idle
        /// The octets so far are in `octets`.
        case gathering
        /// The remaining octets of a dropped PDU.
        case discarding(remaining: Int)
    }

    /// The maximum payload in octets.
    public let maximumPayload: Int
    /// The PDU in progress, or the last one completed from several fragments, with its header.
    public private(set) var octets: [UInt8] = []
    /// The number of PDUs lost because another one started before their end; counted also if that one was complete at
    /// once, in which case `startWhilePending` is not reported.
    public private(set) var interruptions = 0
    /// The channel of the last PDU that was too long.
    public private(set) var tooLongChannel = L2CAPChannelID(rawValue: 0)
    private var progress = Progress.idle

    /// A reassembly without pending data, for payloads of up to `maximumPayload` octets.
    public init(maximumPayload: Int = L2CAPReassembly.defaultMaximumPayload) {
        self.maximumPayload = max(0, min(maximumPayload, Int(UInt16.max)))
    }

    /// Handles the data of one ACL packet; `isStart` is its Packet_Boundary_Flag: 0b10 or 0b00 start a PDU, 0b01
    /// continues it (Core 5.4, Vol 4, Part E, 5.4.2).
    public mutating func receive(_ fragment: Span<UInt8>, isStart: Bool) -> Outcome {
        isStart ? start(fragment) : proceed(fragment)
    }

    /// Discards pending data, as at the end of a link.
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
        // The copy is limited to the maximum: an ACL fragment may have 65535 octets.
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

    /// Precondition: the length was checked.
    private static func u16(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }
}
