// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// A violation by the central that closes a channel (Core 5.4, Vol 3, Part A, 3.4.3, 10.1).
enum ChannelViolation: Error, Equatable {
    /// A K-frame without a credit.
    case noCredit
    /// A K-frame longer than the MPS.
    case frameTooLong
    /// A first K-frame without the SDU length.
    case noLength
    /// An SDU longer than the MTU.
    case unitTooLong
    /// The K-frames hold more than the SDU length announced.
    case longerThanAnnounced
}

/// One credit-based channel: segmentation and reassembly of SDUs, and the credits of both ends (Core 5.4, Vol 3, Part
/// A, 3.4, 10.1, 10.2).
///
/// It holds at most one incoming SDU of `mtu` octets, and the SDUs queued for sending.
struct CreditBasedChannel {
    /// The state of a channel.
    enum State: Equatable {
        case open
        /// This end disconnects the channel and waits for the response until this time. Received frames are ignored.
        case ending(identifier: UInt8, until: Instant, isSent: Bool)
    }

    /// The length of sent octets in `waiting` at which their memory is freed.
    private static let slack = 4096
    /// The length of the SDU length field, before the first octet of an SDU.
    private static let lengthCount = 2

    let id: ChannelID
    /// The channel ID of the other end.
    let peer: UInt16
    let service: ChannelService
    let isEnhanced: Bool
    var state = State.open
    /// K-frames that the other end may still send.
    private(set) var granted: Int
    /// True while the device has suspended credits.
    var isPaused = false
    var peerMTU: Int
    var peerMPS: Int
    /// K-frames that this end may still send.
    private(set) var credits: Int
    /// An SDU was refused as busy; the event `writable` is outstanding.
    private(set) var owesWritable = false

    private var unit: [UInt8] = []
    /// The length of the incoming SDU; nil between SDUs.
    private var announced: Int?
    /// The queued SDUs, each after its length.
    private var waiting: [UInt8] = []
    private var head = 0
    /// The sent octets of the first SDU, including its length field.
    private var sent = 0

    /// A newly opened channel.
    init(
        id: ChannelID, peer: UInt16, service: ChannelService, isEnhanced: Bool, peerMTU: Int, peerMPS: Int, credits: Int
    ) {
        self.id = id
        self.peer = peer
        self.service = service
        self.isEnhanced = isEnhanced
        self.peerMTU = peerMTU
        self.peerMPS = peerMPS
        self.credits = credits
        granted = service.credits
    }

    var description: ChannelDescription {
        ChannelDescription(spsm: service.spsm, isEnhanced: isEnhanced, peerMTU: peerMTU, mtu: service.mtu)
    }

    var isOpen: Bool { state == .open }

    /// The octets held by the channel in both directions.
    var heldOctets: Int { unit.count + waiting.count }

    // MARK: - Receiving

    /// Handles the payload of a K-frame. A completed SDU is appended to `octets`, and its range returned.
    mutating func receive(
        _ frame: Span<UInt8>, octets: inout [UInt8]
    ) throws(ChannelViolation) -> Range<Int>? {
        guard granted > 0 else { throw .noCredit }
        granted -= 1
        guard frame.count <= service.mps else { throw .frameTooLong }
        let start = octets.count
        if let announced {
            guard frame.count <= announced - unit.count else { throw .longerThanAnnounced }
            unit.append(frame)
            guard unit.count == announced else { return nil }
            octets.append(unit.span)
            unit.removeAll(keepingCapacity: true)
            self.announced = nil
        } else {
            guard frame.count >= CreditBasedChannel.lengthCount else { throw .noLength }
            let count = Int(frame[0]) | Int(frame[1]) << 8
            guard count <= service.mtu else { throw .unitTooLong }
            let first = frame.extracting(CreditBasedChannel.lengthCount..<frame.count)
            guard first.count <= count else { throw .longerThanAnnounced }
            guard first.count == count else {
                announced = count
                unit.append(first)
                return nil
            }
            octets.append(first)
        }
        return start..<octets.count
    }

    /// The credits to be given to the other end now, which count as given. They are given in units of at least half of
    /// the maximum, so that one indication serves many frames.
    mutating func takeOwedCredits() -> Int? {
        guard isOpen, !isPaused, granted <= service.credits / 2 else { return nil }
        let owed = service.credits - granted
        granted = service.credits
        return owed
    }

    // MARK: - Sending

    /// Queues an SDU.
    mutating func send(_ unit: Span<UInt8>) -> ChannelSendOutcome {
        guard isOpen else { return .gone }
        guard unit.count <= peerMTU else { return .tooLong }
        let after = waiting.count - head + CreditBasedChannel.lengthCount + unit.count
        guard waiting.isEmpty || after <= service.queueOctets else {
            owesWritable = true
            return .busy
        }
        waiting.append(littleEndian: UInt16(truncatingIfNeeded: unit.count))
        waiting.append(unit)
        return .accepted
    }

    /// Adds credits; false if the maximum is exceeded (4.24).
    mutating func add(credits more: Int) -> Bool {
        guard more <= ChannelLimits.maximumCredits - credits else { return false }
        credits += more
        return true
    }

    /// True if a K-frame can be sent.
    var canSend: Bool { isOpen && credits > 0 && head < waiting.count }

    /// Appends the next K-frame. Precondition: `canSend`.
    mutating func appendFrame(to frames: inout OutboundFrames) {
        let whole = CreditBasedChannel.lengthCount + (Int(waiting[head]) | Int(waiting[head + 1]) << 8)
        let count = min(whole - sent, peerMPS, ChannelLimits.maximumMPS)
        let start = head + sent
        frames.append(waiting.span.extracting(start..<start + count), channel: L2CAPChannelID(rawValue: peer))
        credits -= 1
        sent += count
        guard sent == whole else { return }
        head += whole
        sent = 0
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head > CreditBasedChannel.slack {
            waiting.removeSubrange(..<head)
            head = 0
        }
    }

    /// True if `writable` must be emitted now; it then counts as emitted.
    mutating func takeWritable() -> Bool {
        guard owesWritable, waiting.count - head <= service.queueOctets / 2 else { return false }
        owesWritable = false
        return true
    }

    /// Begins the disconnection of the channel, and discards its data.
    mutating func end(identifier: UInt8, until: Instant) {
        state = .ending(identifier: identifier, until: until, isSent: false)
        unit = []
        announced = nil
        waiting = []
        head = 0
        sent = 0
        owesWritable = false
    }
}
