// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// An output of a BTP link.
public enum BTPEffect: Equatable, Sendable {
    /// An indication of the characteristic C2. The next one follows its confirmation.
    case indicate([UInt8])
    /// A whole message from the central.
    case message([UInt8])
    /// Disconnect the link. The session has ended; nothing else follows.
    case close(BTPFault)
}

/// The peripheral's side of the Bluetooth transport protocol (Core 4.19) on one GATT link: handshake, segmentation,
/// windows, timers.
public struct BTPLink: Sendable {
    /// The maximum length of a message in octets: a datagram of the IPv6 minimum MTU.
    public static let messageLimit = 1280
    /// The maximum number of messages that wait for the link. The interaction model sends one and waits for its answer.
    public static let queueLimit = 8
    /// The version of the protocol.
    static let version: UInt8 = 4
    /// The sizes of a segment in octets, from ATT MTU 23 to the longest value of the characteristic.
    static let segmentSizes = 20...244
    /// The number of octets by which a segment may exceed the agreed size: some centrals count the ATT header.
    static let segmentTolerance = 3
    /// The window of this node: a message of 1,280 octets in segments of 244.
    static let window: UInt8 = 6
    /// The time from the handshake request to the subscription (BTP_CONN_RSP_TIMEOUT is 5 s for the central).
    static let handshakeLimit = Duration.seconds(15)
    /// The time for an acknowledgement (BTP_ACK_TIMEOUT).
    static let acknowledgementLimit = Duration.seconds(15)
    /// The delay of an acknowledgement without data, well before the peer's limit.
    static let acknowledgementDelay = Duration.milliseconds(2500)
    /// The delay after a received acknowledgement without data. It has a sequence number that some centrals require to
    /// be acknowledged, which also keeps an idle link alive.
    static let keepAliveDelay = Duration.seconds(5)

    private enum State: Sendable {
        case awaitingRequest(until: Instant)
        case awaitingSubscription(response: [UInt8], BTPWindow, until: Instant)
        case open(BTPWindow)
        case closed
    }

    private let idleLimit: Duration
    private var state: State
    private var isSubscribed = false
    private var segmentSize = 20
    private var isAwaitingConfirmation = false
    /// The messages to send, and the number of sent octets of the first.
    private var queue: [[UInt8]] = []
    private var sentCount = 0
    /// The octets of an incoming message, and its announced length.
    private var received: [UInt8] = []
    private var expectedCount: Int?
    /// The time at which received data is acknowledged.
    private var acknowledgementDue: Instant?
    /// The time by which sent data has to be acknowledged.
    private var acknowledgementEnds: Instant?
    private var idleEnds: Instant

    /// A link without a session.
    ///
    /// - Parameter idleLimit: the time without a segment after which the link closes.
    public init(at now: Instant, idleLimit: Duration = .seconds(60)) {
        self.idleLimit = idleLimit
        state = .awaitingRequest(until: now + BTPLink.handshakeLimit)
        idleEnds = now + idleLimit
    }

    /// The next time at which `advance` is due.
    public var deadline: Instant? {
        switch state {
        case .awaitingRequest(let until), .awaitingSubscription(_, _, let until): until
        case .open(let window):
            // The remaining segments follow when the central confirms or acknowledges.
            Instant.earlier(
                Instant.earlier(acknowledgementEnds, idleEnds),
                isAwaitingConfirmation || window.free == 0 ? nil : acknowledgementDue)
        case .closed: nil
        }
    }

    // MARK: Input

    /// Handles a value that the central wrote to C1.
    ///
    /// - Parameter attMTU: the ATT MTU of the link.
    public mutating func receive(_ value: [UInt8], attMTU: Int, at now: Instant, effects: inout [BTPEffect]) {
        do throws(BTPFault) {
            switch state {
            case .awaitingRequest: try receiveRequest(value, attMTU: attMTU, at: now, effects: &effects)
            case .awaitingSubscription: throw .unexpectedHandshake
            case .open(let window): try receiveSegment(value, window, at: now, effects: &effects)
            case .closed: break
            }
        } catch {
            close(error, effects: &effects)
        }
    }

    /// Handles the central's subscription to indications of C2, for which the handshake response waits.
    public mutating func subscribed(at now: Instant, effects: inout [BTPEffect]) {
        isSubscribed = true
        open(at: now, effects: &effects)
    }

    /// Handles the confirmation of an indication.
    public mutating func confirmed(at now: Instant, effects: inout [BTPEffect]) {
        isAwaitingConfirmation = false
        flush(at: now, effects: &effects)
    }

    /// Sends a message when the link has room.
    public mutating func send(_ message: [UInt8], at now: Instant, effects: inout [BTPEffect]) {
        guard case .open = state else { return }
        guard !message.isEmpty, message.count <= BTPLink.messageLimit else {
            return close(.messageLength, effects: &effects)
        }
        guard queue.count < BTPLink.queueLimit else { return close(.queue, effects: &effects) }
        queue.append(message)
        flush(at: now, effects: &effects)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant, effects: inout [BTPEffect]) {
        switch state {
        case .awaitingRequest(let until) where until <= now, .awaitingSubscription(_, _, let until) where until <= now:
            close(.handshakeTimeout, effects: &effects)
        case .open:
            if let acknowledgementEnds, acknowledgementEnds <= now {
                return close(.acknowledgementTimeout, effects: &effects)
            }
            if idleEnds <= now { return close(.idle, effects: &effects) }
            flush(at: now, effects: &effects)
        default: break
        }
    }

    // MARK: Handshake

    private mutating func receiveRequest(
        _ value: [UInt8], attMTU: Int, at now: Instant, effects: inout [BTPEffect]
    ) throws(BTPFault) {
        let request = try BTPHandshakeRequest(value.span)
        guard request.versions.contains(BTPLink.version) else { throw .noCommonVersion }
        guard request.window > 1 else { throw .window }
        var size = attMTU - 3
        if request.mtu > 0 { size = min(size, Int(request.mtu) - 3) }
        segmentSize = min(max(size, BTPLink.segmentSizes.lowerBound), BTPLink.segmentSizes.upperBound)
        let window = BTPWindow(size: min(request.window, BTPLink.window))
        let response =
            BTPHandshakeRequest.start + [
                BTPLink.version, UInt8(segmentSize & 0xFF), UInt8(segmentSize >> 8), window.size,
            ]
        state = .awaitingSubscription(response: response, window, until: now + BTPLink.handshakeLimit)
        open(at: now, effects: &effects)
    }

    private mutating func open(at now: Instant, effects: inout [BTPEffect]) {
        guard isSubscribed, case .awaitingSubscription(let response, let window, _) = state else { return }
        state = .open(window)
        isAwaitingConfirmation = true
        acknowledgementEnds = now + BTPLink.acknowledgementLimit
        idleEnds = now + idleLimit
        effects.append(.indicate(response))
    }

    // MARK: Reception

    private mutating func receiveSegment(
        _ value: [UInt8], _ window: BTPWindow, at now: Instant, effects: inout [BTPEffect]
    ) throws(BTPFault) {
        guard value.count <= segmentSize + BTPLink.segmentTolerance else { throw .segmentLength }
        let segment = try BTPSegment(value.span)
        var window = window
        let wasUnacknowledged = window.unacknowledgedSent
        try window.receive(segment)
        state = .open(window)
        idleEnds = now + idleLimit
        if window.unacknowledgedSent == 0 {
            acknowledgementEnds = nil
        } else if window.unacknowledgedSent < wasUnacknowledged, acknowledgementEnds != nil {
            acknowledgementEnds = now + BTPLink.acknowledgementLimit
        }
        let delay = segment.part == .none ? BTPLink.keepAliveDelay : BTPLink.acknowledgementDelay
        acknowledgementDue = Instant.earlier(acknowledgementDue, now + delay)
        try assemble(segment, count: value.count, effects: &effects)
        flush(at: now, effects: &effects)
    }

    private mutating func assemble(
        _ segment: BTPSegment, count: Int, effects: inout [BTPEffect]
    ) throws(BTPFault) {
        switch segment.part {
        case .none: return
        case .begin(let length):
            guard expectedCount == nil else { throw .brokenMessage }
            guard length <= BTPLink.messageLimit else { throw .messageLength }
            expectedCount = Int(length)
        case .continue: break
        }
        guard let expected = expectedCount else { throw .brokenMessage }
        guard segment.isEnd || count >= segmentSize else { throw .segmentLength }
        received += segment.payload
        guard segment.isEnd ? received.count == expected : received.count < expected else { throw .messageLength }
        guard segment.isEnd else { return }
        effects.append(.message(received))
        received = []
        expectedCount = nil
    }

    // MARK: Transmission

    /// Sends the next segment, or an urgent acknowledgement, unless an indication is unconfirmed.
    private mutating func flush(at now: Instant, effects: inout [BTPEffect]) {
        guard case .open(var window) = state, !isAwaitingConfirmation else { return }
        let segment: BTPSegment
        if let message = queue.first, window.isOpen {
            segment = nextSegment(of: message, &window)
            if acknowledgementEnds == nil { acknowledgementEnds = now + BTPLink.acknowledgementLimit }
        } else if isAcknowledgementDue(window, at: now) {
            let numbers = window.send()
            segment = BTPSegment(part: .none, acknowledged: numbers.acknowledged, sequence: numbers.sequence)
        } else {
            return
        }
        acknowledgementDue = nil
        state = .open(window)
        isAwaitingConfirmation = true
        idleEnds = now + idleLimit
        effects.append(.indicate(segment.octets))
    }

    private func isAcknowledgementDue(_ window: BTPWindow, at now: Instant) -> Bool {
        guard window.free > 0, window.unacknowledgedReceived > 0, let acknowledgementDue else { return false }
        return window.isNearlyFull || acknowledgementDue <= now
    }

    private mutating func nextSegment(of message: [UInt8], _ window: inout BTPWindow) -> BTPSegment {
        let numbers = window.send()
        let part = sentCount == 0 ? BTPSegment.Part.begin(length: UInt16(message.count)) : .continue
        let room =
            segmentSize - BTPSegment.headerCount(of: part, isAcknowledging: numbers.acknowledged != nil)
        let end = min(sentCount + room, message.count)
        let segment = BTPSegment(
            part: part, isEnd: end == message.count, acknowledged: numbers.acknowledged, sequence: numbers.sequence,
            payload: Array(message[sentCount..<end]))
        sentCount = segment.isEnd ? 0 : end
        if segment.isEnd { queue.removeFirst() }
        return segment
    }

    private mutating func close(_ fault: BTPFault, effects: inout [BTPEffect]) {
        state = .closed
        queue = []
        received = []
        effects.append(.close(fault))
    }
}
