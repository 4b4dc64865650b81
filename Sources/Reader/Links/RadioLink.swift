// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Proximity
import Timekeeping

/// One phone over Bluetooth LE: frames written to RX are joined to messages, and answers divided into notifications of
/// TX.
final class RadioLink: AccessLink {
    let link: LinkID
    let peer: BluetoothAddress
    /// The time from which the link makes room for another phone while all slots are taken.
    var yieldsAt: Instant
    /// Frames that arrived before the gate opened.
    var held = HeldFrames()
    var assembler = MessageAssembler()
    private var framer = MessageFramer()
    /// The TX characteristic of the service that was written last.
    var answerOn: AttributeHandle?
    /// True if there was a usable reading of the link's RSSI.
    var hasReading = false
    /// The transmit power that the phone's link layer has reported, in dBm.
    var transmitPower: Int8?
    /// True if the gate needs the transmit power.
    let limitsPathLoss: Bool
    /// The readings apart from the gate's; nil without a trace or survey.
    var readings: ReadingSchedule?
    /// The exchange with a client of another service; nil for a phone of the access profile.
    var exchanged: LinkExchange?
    /// The frame to send; kept until the host has accepted it.
    private var frame: [UInt8] = []

    /// True if the host has yet to accept a part of an answer.
    var isAnswering: Bool {
        !frame.isEmpty || framer.isSending || !session.answer.isEmpty || exchanged?.message.isEmpty == false
    }

    init(
        _ link: LinkID, peer: BluetoothAddress, mode: AdvertisingMode?, gate: ProximityGate? = nil,
        limitsPathLoss: Bool = false, times: LinkTimes, at now: Instant
    ) {
        self.link = link
        self.limitsPathLoss = limitsPathLoss
        self.peer = peer
        yieldsAt = now + times.silence
        frame.reserveCapacity(MessageLimit.frame)
        super.init(id: .link(link), mode: mode, gate: gate, times: times, at: now)
    }

    deinit { exchanged?.end() }

    /// Ends the exchange as well. A late decision is not passed to it.
    override func end() {
        super.end()
        exchanged?.end()
    }

    override var evidence: CardEvidence? { exchanged?.transaction?.evidence }

    override func conclude(_ decision: CardDecision) -> Bool {
        switch exchanged?.transaction?.conclude(decision) {
        case .send(let message):
            exchanged?.message = message
            return false
        case .end(_, let last):
            let changes = exchanged?.transaction?.takeEffects() ?? []
            exchanged?.end(last: last)
            exchanged?.storeChanges = changes
        case .wait, .decide, nil: exchanged?.end()
        }
        return true
    }

    override func observe(isUnlocked: Bool?) { exchanged?.transaction?.observe(isUnlocked: isUnlocked) }

    override func takeStoreChanges() -> [AliroEffect] {
        defer { exchanged?.storeChanges = [] }
        return exchanged?.storeChanges ?? []
    }

    /// The next deadline of the link or of its exchange, or its next reading.
    var nextDeadline: Instant? {
        guard !state.isClosing else { return state.nextDeadline }
        let deadline = Instant.earlier(state.nextDeadline, exchanged?.transaction?.deadline)
        guard let readings, !state.isVerifying else { return deadline }
        return Instant.earlier(deadline, readings.next)
    }

    /// True if a reading is due that is not the gate's. While the gate reads, the schedule keeps its pace.
    func takesReading(at now: Instant) -> Bool {
        readings?.consume(at: now) == true && !state.isVerifying && !state.isClosing
    }

    /// True while the gate waits for the transmit power.
    var wantsTransmitPower: Bool { limitsPathLoss && transmitPower == nil && state.isVerifying }

    /// Sends as much of the answer as the host has room for; the rest follows when the link is writable again.
    ///
    /// - Returns: `busy` while a part is left, `accepted` when nothing is left, or the reason why nothing can be sent,
    ///   in which case the answer is discarded.
    func send<Port: ReaderPort & ~Copyable>(port: inout Port, at now: Instant) -> NotificationOutcome {
        if let exchanged { return send(exchanged, port: &port, at: now) }
        guard !state.isClosing, let characteristic = answerOn else { return .busy }
        if !session.answer.isEmpty {
            framer.begin(message: session.answer.span)
            session.answerTaken()
        }
        let limit = port.attMTU(link) - 3
        while !frame.isEmpty || framer.next(limit: limit, into: &frame) {
            let outcome = port.notify(link, characteristic, frame.span, at: now)
            if outcome == .busy { return outcome }
            frame.removeAll(keepingCapacity: true)
            guard outcome == .accepted else {
                framer.reset()
                return outcome
            }
        }
        return .accepted
    }

    /// Sends the message of the exchange in one notification, or one SDU. A notification waits while ATT_MTU is too
    /// small for it, as before the client has asked for a larger one.
    private func send<Port: ReaderPort & ~Copyable>(
        _ exchange: LinkExchange, port: inout Port, at now: Instant
    ) -> NotificationOutcome {
        guard !state.isClosing else { return .busy }
        guard !exchange.message.isEmpty else { return .accepted }
        let outcome: NotificationOutcome
        if let channel = exchange.channel {
            outcome = NotificationOutcome(port.send(link, channel, exchange.message.span, at: now))
        } else if let notified = exchange.service.notified, exchange.message.count <= port.attMTU(link) - 3 {
            outcome = port.notify(link, notified, exchange.message.span, at: now)
        } else {
            outcome = .busy
        }
        if outcome != .busy { exchanged?.message = [] }
        return outcome
    }
}

extension NotificationOutcome {
    fileprivate init(_ outcome: ChannelSendOutcome) {
        self =
            switch outcome {
            case .accepted: .accepted
            case .busy: .busy
            case .gone: .gone
            case .tooLong: .tooLong
            }
    }
}
