// SPDX-License-Identifier: Apache-2.0

/// The poll role of a PN532: which command comes next, and what its response means. A value: results of steps and the
/// time go in, steps and events come out.
///
/// A round is REQA, the polling frame if there is one, and REQB. A card is served until its release; then the field is
/// reset, and no card is served until two consecutive rounds have found none, so that a card that stays is served once.
public struct PollLoop: Sendable {
    /// The time-out of a command other than an exchange with a card. A chip that does not answer in time is closed and
    /// reopened, unless a card may be the reason (`Prolonged`): a late response would be read as that of the next
    /// command.
    static let commandMilliseconds: Int32 = 500
    /// The maximum time-out of an exchange with a card: more than the chip's own, see `PN532Command.longTimeout`.
    static let exchangeMilliseconds: Int32 = 2500
    /// The time from the field's start to the first request (ISO/IEC 14443-3, 5.1).
    static let guardTime = Duration.milliseconds(5)
    /// The time without a field that resets each card; EMV Contactless has 5.1 ms.
    static let resetTime = Duration.milliseconds(10)
    /// The time-out for the reader's order.
    static let orderTime = Duration.seconds(1)
    /// The maximum duration from a card's discovery to its release.
    static let transactionTime = Duration.seconds(3)
    /// The field counts as empty after so many rounds without a card, and this time since the last one.
    static let emptyRounds = 2
    static let emptyTime = Duration.milliseconds(400)
    /// The maximum number of cards tried while the field is not empty.
    static let cardLimit = 4
    /// The number of attempts with cards that are lost while the field is not empty.
    static let attemptLimit = 2

    /// The position in the loop: the step whose result is expected.
    enum Phase: Equatable, Sendable {
        case settingUp(Int)
        case fieldOn, fieldSettling
        case requestA, pollingFrame(Int), requestB
        case resting
        case asking, exchanging
        case releasing(AfterRelease)
        case fieldReset(AfterRelease), fieldDown(AfterRelease)
        case fieldOffForListening, listening
        /// The chip's version is awaited, for the second time if `again`.
        case aborting(Prolonged, again: Bool)
    }

    /// The action after a card's release.
    enum AfterRelease: Equatable, Sendable {
        /// Request the next card, with the field on.
        case nextCard
        /// Reset the field, and try the lost card again.
        case again
        /// Reset the field, and wait until it is empty.
        case clearing
    }

    private static let setup = [
        PN532Command.firmwareVersion, PN532Command.automaticRATS, PN532Command.noRetries, PN532Command.longTimeout,
    ]

    private(set) var settings: PollSettings
    /// The polling frame from the next round on; nil for the present one.
    public var nextPollingFrame: [UInt8]?
    private(set) var phase = Phase.settingUp(0)
    /// The counts since the start.
    public private(set) var counts: PollCounts
    /// Events to post before the step.
    private(set) var events: [NFCFrontEndEvent] = []

    private var roundStart = Duration.zero
    private var turnStart = Duration.zero
    private var foundInRound = false
    /// Consecutive requests that were aborted.
    var abortedRequests = 0
    /// True until the field is empty after a card.
    private(set) var isClearing = false
    /// True if a card was found since the field was empty.
    private var isOccupied = false
    private var emptyRounds = 0
    private var lastSeen = Duration.zero
    private var tried = 0
    var attempts = 0
    private(set) var transactionEnd = Duration.zero

    /// A loop with these settings, which continues `counts`.
    public init(_ settings: PollSettings, counts: PollCounts = PollCounts()) {
        self.settings = settings
        self.counts = counts
    }

    /// Removes the events to post.
    public mutating func removeEvents() -> [NFCFrontEndEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// The first step with a chip that was opened. `now` is the time since any fixed instant.
    public mutating func start(at now: Duration) -> PollStep {
        (turnStart, phase) = (now, .settingUp(0))
        return chip(PollLoop.setup[0])
    }

    /// Handles the result of the last step, and returns the next.
    public mutating func next(_ result: PollResult, at now: Duration) -> PollStep {
        if case .aborting(let command, let again) = phase { return aborted(command, again: again, result, at: now) }
        if result == .noResponse, let command = prolonged { return abort(command, again: false) }
        return switch (phase, result) {
        case (_, .noResponse): fail("no answer from the chip")
        case (_, .failed): fail("no valid answer from the chip")
        case (.settingUp(let index), .response(let response)): setUp(index, response)
        case (.fieldOn, .response): wait(PollLoop.guardTime, then: .fieldSettling)
        case (.fieldSettling, .elapsed): startRound(at: now)
        case (.requestA, .response(let response)), (.requestB, .response(let response)): listed(response, at: now)
        case (.pollingFrame(let index), .response), (.pollingFrame(let index), .exchangeFailed):
            sendPollingFrame(index + 1)
        case (.resting, .elapsed): startRound(at: now)
        case (.asking, .order(let order)): execute(order, at: now)
        case (.exchanging, .response(let response)): answered(response, at: now)
        case (.exchanging, .exchangeFailed): lose(.left)
        // A card that has left fails the release; the field is reset in any case.
        case (.releasing(let after), .response), (.releasing(let after), .exchangeFailed): released(after)
        case (.fieldReset(let after), .response): wait(timeWithoutField(at: now), then: .fieldDown(after))
        case (.fieldDown(let after), .elapsed): fieldIsDown(after)
        case (.fieldOffForListening, .response): listen()
        case (.listening, .elapsed): start(at: now)
        default: fail("unexpected answer from the chip")
        }
    }

    // MARK: Steps

    private func chip(_ command: [UInt8]) -> PollStep { .command(command, milliseconds: PollLoop.commandMilliseconds) }

    mutating func send(_ command: [UInt8], in next: Phase) -> PollStep {
        phase = next
        return chip(command)
    }

    private mutating func wait(_ duration: Duration, then next: Phase) -> PollStep {
        phase = next
        return .pause(duration)
    }

    mutating func fail(_ reason: String) -> PollStep {
        switch phase {
        case .asking, .exchanging, .aborting(.exchange, _): report(.cardLost(.chip))
        default: break
        }
        return .fail(reason)
    }

    mutating func report(_ event: NFCFrontEndEvent) {
        switch event {
        case .cardRejected: counts.rejected &+= 1
        case .cardLost: counts.lost &+= 1
        default: break
        }
        events.append(event)
    }

    // MARK: Rounds

    private mutating func setUp(_ index: Int, _ response: [UInt8]) -> PollStep {
        // A response to another command shows here.
        if index == 0, response.count != PN532Command.versionCount { return fail("unexpected answer from the chip") }
        guard index + 1 < PollLoop.setup.count else { return send(PN532Command.fieldOn, in: .fieldOn) }
        return send(PollLoop.setup[index + 1], in: .settingUp(index + 1))
    }

    private mutating func startRound(at now: Duration) -> PollStep {
        (roundStart, foundInRound) = (now, false)
        if let frame = nextPollingFrame.take() { settings.pollingFrame = frame }
        return send(PN532Command.listTypeA, in: .requestA)
    }

    private mutating func sendPollingFrame(_ index: Int) -> PollStep {
        let commands = [
            PN532Command.wholeOctets, PN532Command.shortTimeout, PN532Command.raw(settings.pollingFrame),
            PN532Command.longTimeout,
        ]
        guard index < commands.count else { return send(PN532Command.listTypeB, in: .requestB) }
        return send(commands[index], in: .pollingFrame(index))
    }

    /// Handles the response to a request.
    private mutating func listed(_ response: [UInt8], at now: Duration) -> PollStep {
        guard let count = response.first else { return fail("unexpected answer from the chip") }
        abortedRequests = 0
        guard count > 0 else { return nothingListed(at: now) }
        noticeCard(at: now)
        // Before the field is empty, a card is only noticed; the reset of the field releases it.
        if isClearing { return endRound(at: now) }
        let card = phase == .requestA ? FoundCard(typeA: response) : FoundCard(typeB: response)
        guard let card else { return lose(.activation) }
        return found(card, at: now)
    }

    /// The field has a card.
    mutating func noticeCard(at now: Duration) {
        (foundInRound, isOccupied, lastSeen, emptyRounds) = (true, true, now, 0)
    }

    private mutating func nothingListed(at now: Duration) -> PollStep {
        guard phase == .requestA else { return endRound(at: now) }
        // A phone that waits for the frame is awaited only with an empty field.
        if settings.pollingFrame.isEmpty || isClearing || tried > 0 {
            return send(PN532Command.listTypeB, in: .requestB)
        }
        return sendPollingFrame(0)
    }

    mutating func endRound(at now: Duration) -> PollStep {
        counts.rounds &+= 1
        if isClearing {
            if !foundInRound { emptyRounds += 1 }
            if emptyRounds >= PollLoop.emptyRounds, now - lastSeen >= PollLoop.emptyTime {
                (isClearing, tried, attempts) = (false, 0, 0)
                reportEmptyField()
            }
        } else if tried > 0 {
            // Each card of the field has been tried.
            return resetField(.clearing)
        } else if !foundInRound {
            // A lost card did not return.
            attempts = 0
            reportEmptyField()
        }
        if isTurnOver(at: now) { return send(PN532Command.fieldOff, in: .fieldOffForListening) }
        // The reset puts a card that stays back into its first state, in which it answers the next request.
        if isClearing { return resetField(.clearing) }
        return wait(max(.zero, roundStart + settings.roundInterval - now), then: .resting)
    }

    private mutating func reportEmptyField() {
        if isOccupied { report(.fieldEmpty) }
        isOccupied = false
    }

    private func isTurnOver(at now: Duration) -> Bool {
        settings.role == .both && now - turnStart >= settings.polling
    }

    private mutating func listen() -> PollStep {
        phase = .listening
        return .listen(settings.listening)
    }

    // MARK: Cards

    private mutating func found(_ card: FoundCard, at now: Duration) -> PollStep {
        tried += 1
        guard tried <= PollLoop.cardLimit else {
            report(.cardRejected(card, .tooMany))
            return release(.clearing)
        }
        guard card.takesAPDUs else {
            report(.cardRejected(card, .identifierOnly))
            return release(.nextCard)
        }
        counts.cards &+= 1
        transactionEnd = now + PollLoop.transactionTime
        phase = .asking
        return .ask(.card(card), within: PollLoop.orderTime)
    }

    private mutating func execute(_ order: CardOrder?, at now: Duration) -> PollStep {
        switch order {
        case .transmit(let apdu):
            guard 1...PN532Command.apduLimit ~= apdu.count else { return lose(.command) }
            guard now < transactionEnd else { return lose(.slow) }
            phase = .exchanging
            return .command(PN532Command.exchange(apdu), milliseconds: exchangeTime(at: now))
        case .tryNext: return release(.nextCard)
        case .release: return release(.clearing)
        case nil: return lose(.noOrder)
        }
    }

    /// The time-out of an exchange in ms: it ends with the transaction.
    private func exchangeTime(at now: Duration) -> Int32 {
        let left = ((transactionEnd - now) / .milliseconds(1)).rounded(.up)
        return min(PollLoop.exchangeMilliseconds, Int32(left))
    }

    private mutating func answered(_ response: [UInt8], at now: Duration) -> PollStep {
        // Status 00 and an APDU. libnfc reports any other status as a failure.
        guard response.count > 1, response[0] & 0x3F == 0 else { return lose(.left) }
        guard now < transactionEnd else { return lose(.slow) }
        phase = .asking
        return .ask(.response(Array(response.dropFirst())), within: PollLoop.orderTime)
    }

    /// Reports the loss of the card. A card that was moved is tried again from the beginning.
    private mutating func lose(_ loss: CardLoss) -> PollStep {
        report(.cardLost(loss))
        attempts += 1
        let mayReturn = loss == .left || loss == .activation
        return release(mayReturn && attempts < PollLoop.attemptLimit ? .again : .clearing)
    }

    private mutating func release(_ after: AfterRelease) -> PollStep {
        send(PN532Command.deselect, in: .releasing(after))
    }

    private mutating func released(_ after: AfterRelease) -> PollStep {
        // The released card is in state HALT: the next request finds another one.
        after == .nextCard ? send(PN532Command.listTypeA, in: .requestA) : resetField(after)
    }

    mutating func resetField(_ after: AfterRelease) -> PollStep {
        send(PN532Command.fieldOff, in: .fieldReset(after))
    }

    /// While the reader waits for an empty field, the field is off until the next round.
    private func timeWithoutField(at now: Duration) -> Duration {
        isClearing ? max(PollLoop.resetTime, roundStart + settings.roundInterval - now) : PollLoop.resetTime
    }

    private mutating func fieldIsDown(_ after: AfterRelease) -> PollStep {
        if after == .clearing {
            isClearing = true
        } else {
            tried = 0
        }
        return send(PN532Command.fieldOn, in: .fieldOn)
    }
}
