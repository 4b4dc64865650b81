import Octets
import Timekeeping

/// What a central did on a channel that ends it (Core 5.4, Vol 3, Part A, 3.4.3, 10.1).
enum ChannelViolation: Error, Equatable {
    /// A K-frame without a credit for it.
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

/// One credit-based channel: K-frames to SDUs and back, with the credits of both ends (Core 5.4, Vol 3, Part A, 3.4,
/// 10.1, 10.2).
///
/// It holds at most one SDU of `mtu` octets that is coming in, and the SDUs that wait to be sent.
struct CreditBasedChannel {
    /// Where a channel is in its life.
    enum State: Equatable {
        case open
        /// This end asks the other to disconnect, and waits for the answer until then. What comes is ignored.
        case ending(identifier: UInt8, until: Instant, isSent: Bool)
    }

    /// Octets that were sent and stay before the waiting ones, at most, before those are moved.
    private static let slack = 4096
    /// The SDU length, before the first octet of an SDU.
    private static let lengthCount = 2

    let id: ChannelID
    /// The other end's endpoint.
    let peer: UInt16
    let service: ChannelService
    let isEnhanced: Bool
    var state = State.open
    /// K-frames that the other end may still send.
    private(set) var granted: Int
    /// While the device takes nothing, no credits are given back.
    var isPaused = false
    var peerMTU: Int
    var peerMPS: Int
    /// K-frames that this end may still send.
    private(set) var credits: Int
    /// An SDU was refused, and the device has not been told that there is room.
    private(set) var owesWritable = false

    private var unit: [UInt8] = []
    /// The length of the SDU that is coming in; nil between SDUs.
    private var announced: Int?
    /// The SDUs that wait, each behind its length.
    private var waiting: [UInt8] = []
    private var head = 0
    /// Octets of the first SDU that have been sent, its length among them.
    private var sent = 0

    /// A channel that has just been opened.
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

    /// Octets that the channel holds, in and out.
    var heldOctets: Int { unit.count + waiting.count }

    // MARK: - In

    /// Takes the payload of a K-frame. When it completes an SDU, that is appended to `octets`, and its range returned.
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

    /// Credits to be given to the other end now; they are counted as given. They go in lots of half of what it may have
    /// at most, so that there is one indication for many frames.
    mutating func takeOwedCredits() -> Int? {
        guard isOpen, !isPaused, granted <= service.credits / 2 else { return nil }
        let owed = service.credits - granted
        granted = service.credits
        return owed
    }

    // MARK: - Out

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

    /// Takes credits; false if there would be more than there may be (4.24).
    mutating func add(credits more: Int) -> Bool {
        guard more <= ChannelLimits.maximumCredits - credits else { return false }
        credits += more
        return true
    }

    /// Whether a K-frame can be sent.
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

    /// Whether the device is to be told now that there is room; it is then counted as told.
    mutating func takeWritable() -> Bool {
        guard owesWritable, waiting.count - head <= service.queueOctets / 2 else { return false }
        owesWritable = false
        return true
    }

    /// Begins the end of the channel, and gives up what it holds.
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
