// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
import Peripheral
public import Timekeeping

/// A phone that touches a reader: it selects the access application, makes its requests and leaves.
///
/// A value without I/O: responses of the card and the time go in; commands and notices come out. The chip activates
/// the card, and is reported in which field.
public struct PhoneTouch<Random: RandomSource>: ~Copyable {
    private enum State { case away, selecting, exchanging, over }

    private let plan: PhoneVisitPlan
    private let clock: PhoneClock
    private var random: Random
    private var session = PhoneSession()
    private var messages = CardMessages()
    private var state = State.away
    private var stage = VisitStage.looking
    private var credential: PhoneCredential?
    private var request: PhoneRequest?
    private let began: Instant
    private var mark: Instant
    private var notices: [VisitNotice]
    private var command: [UInt8]?

    /// The task, with its results so far.
    public private(set) var task: PhoneTask
    /// The deadline of the card, or of the present answer.
    public private(set) var deadline: Instant

    /// Touch `number`, from 1, which begins without a card.
    public init(_ plan: PhoneVisitPlan, number: Int = 1, clock: PhoneClock, random: Random, at now: Instant) {
        self.plan = plan
        self.clock = clock
        self.random = random
        task = plan.task
        (began, mark, deadline) = (now, now, now + plan.timeout)
        notices = [.began(number: number)]
    }

    /// A card is activated in the field: begins with its selection.
    public mutating func activated(at now: Instant) {
        guard state == .away else { return }
        isActivated = true
        step(.touched, at: now)
        (state, stage) = (.selecting, .discovering)
        deadline = now + plan.timeout
        command = CardSelection.command(plan.application)
    }

    /// Removes and returns the next command APDU; nil if none has to be sent.
    public mutating func takeCommand() -> [UInt8]? {
        defer { command = nil }
        return command
    }

    /// Handles the response to the command.
    public mutating func receive(_ octets: [UInt8], at now: Instant) {
        guard let response = CardResponse(octets) else {
            return end(.unusable("a response without status word"), at: now)
        }
        switch state {
        case .selecting: selected(response, at: now)
        case .exchanging where now >= deadline: end(.silence, at: now)
        case .exchanging: receive(response, at: now)
        case .away, .over: break
        }
    }

    /// Ends the touch with a failure: none is in the field, the card has left, or the user has interrupted.
    public mutating func end(_ cause: VisitFailure.Cause, at now: Instant) {
        finish(
            VisitFailure(
                cause, at: stage, request: request,
                isDemo: credential?.isDemo ?? plan.credentials.contains(where: \.isDemo),
                period: credential?.period, localTime: clock.localTime(at: now)), at: now)
    }

    /// The failure; nil if the task is done, or before the end.
    public private(set) var failure: VisitFailure?
    /// True if a card was activated, which has to be deselected at the end.
    public private(set) var isActivated = false

    /// Removes and returns the notices so far.
    public mutating func takeNotices() -> [VisitNotice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Selection

    private mutating func selected(_ response: CardResponse, at now: Instant) {
        guard response.status == CardResponse.ok else { return end(.refusedByCard(response.status), at: now) }
        guard let id = CardSelection.deviceID(in: response.data) else {
            return end(.unusable("its selection contains no device id"), at: now)
        }
        guard let credential = plan.credential(forReader: id) else { return end(.otherReader(id), at: now) }
        self.credential = credential
        state = .exchanging
        step(.selected(id), at: now)
        ask(at: now)
    }

    // MARK: Exchanges

    /// Begins the next exchange; without a further request the touch is done.
    private mutating func ask(at now: Instant) {
        guard let credential, let request = task.request(credential) else { return finish(nil, at: now) }
        self.request = request
        stage = .handshake
        deadline = now + plan.timeout
        do throws(StatusCode) {
            let token = try credential.token(for: request, epochSeconds: clock.epochSeconds(at: now))
            follow(session.start(token: token.span, terminal: credential.terminal, random: &random), at: now)
        } catch {
            end(.noToken(error), at: now)
        }
    }

    private mutating func receive(_ response: CardResponse, at now: Instant) {
        switch messages.receive(response) {
        case .command(let next): command = next
        case .refused(let status): end(.refusedByCard(status), at: now)
        case .answer(let message): received(message, at: now)
        }
    }

    /// Passes a message to the session, in frames as it takes them.
    private mutating func received(_ message: [UInt8], at now: Instant) {
        var result = PhoneStep.incomplete
        for start in stride(from: 0, to: message.count, by: MessageLimit.frame) {
            guard result == .incomplete else { return end(.unusable("its answer is too long"), at: now) }
            let frame = Array(message[start..<min(start + MessageLimit.frame, message.count)])
            result = session.receive(frame.span, random: &random)
        }
        if result == .send {
            step(.handshake, at: now)
            stage = .token
        }
        follow(result, at: now)
    }

    private mutating func follow(_ result: PhoneStep, at now: Instant) {
        switch result {
        case .send:
            var (message, frame): ([UInt8], [UInt8]) = ([], [])
            while session.nextFrame(limit: MessageLimit.frame, into: &frame) { message += frame }
            command = messages.send(message)
        case .completed(let data): answered(data, at: now)
        case .failed(let failure): end(.session(failure), at: now)
        case .incomplete, .ignored: end(.unusable("its answer is not whole"), at: now)
        }
    }

    private mutating func answered(_ data: [UInt8], at now: Instant) {
        guard let request, let answer = ReaderAnswer(data, of: request) else { return end(.answer, at: now) }
        step(.answer(request, answer), at: now)
        if let denial = answer.denial { return end(.denied(denial), at: now) }
        task.receive(answer)
        ask(at: now)
    }

    // MARK: Notices

    private mutating func step(_ step: VisitStep, at now: Instant) {
        notices.append(.step(step, sinceStart: now - began, took: now - mark))
        mark = now
    }

    private mutating func finish(_ failure: VisitFailure?, at now: Instant) {
        guard state != .over else { return }
        state = .over
        self.failure = failure
        command = nil
        notices.append(.ended(failure, sinceStart: now - began))
    }
}
