// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
public import Timekeeping

/// A phone that plays the card for a reader that polls: it makes one request in a touch
/// (docs/protocol/nfc-profile.md, 7).
///
/// A value without I/O: commands of the reader and the time go in; responses and notices come out.
public struct PhoneCard<Random: RandomSource>: ~Copyable {
    private enum State { case away, activated, selected, exchanging, over }

    /// The version of section 7.
    private static var version: [UInt8] { [0x80, 0x01, 0x01] }
    private static var responseLimit: Int { 240 }
    private static var messageLimit: Int { MessageHeader.octetCount + MessageLimit.payload }
    private static var ok: [UInt8] { [0x90, 0x00] }
    private static var wrongLength: [UInt8] { [0x67, 0x00] }
    private static var outOfOrder: [UInt8] { [0x69, 0x85] }
    private static var wrongData: [UInt8] { [0x6A, 0x80] }
    private static var notFound: [UInt8] { [0x6A, 0x82] }
    private static var unknownInstruction: [UInt8] { [0x6D, 0x00] }

    private let plan: PhoneVisitPlan
    private let clock: PhoneClock
    private var random: Random
    private var session = PhoneSession()
    private var state = State.away
    private var stage = VisitStage.looking
    private var credential: PhoneCredential?
    private var request: PhoneRequest?
    private var received: [UInt8] = []
    private var outgoing: [UInt8] = []
    private let began: Instant
    private var mark: Instant
    private var notices: [VisitNotice]

    /// The task, with its results so far.
    public private(set) var task: PhoneTask
    /// The failure; nil if the task is done, or before the end.
    public private(set) var failure: VisitFailure?

    /// Touch `number`, from 1, which begins away from readers.
    public init(_ plan: PhoneVisitPlan, number: Int = 1, clock: PhoneClock, random: Random, at now: Instant) {
        self.plan = plan
        self.clock = clock
        self.random = random
        task = plan.task
        (began, mark) = (now, now)
        notices = [.began(number: number)]
    }

    /// True once the touch has ended.
    public var isOver: Bool { state == .over }

    /// True once the reader has proven its key: a released phone has been served in part.
    public var isExchanging: Bool { state == .exchanging }

    /// A reader has activated the phone.
    public mutating func activated(at now: Instant) {
        guard state != .over else { return }
        if state == .away { step(.touched, at: now) }
        restart()
    }

    /// The reader has released the phone, or the phone has left. A lost phone is looked for again, from the beginning.
    public mutating func released(at now: Instant) {
        guard state != .over, state != .away else { return }
        if state == .exchanging { return end(.cardLost, at: now) }
        restart()
    }

    /// The response to a command APDU.
    public mutating func respond(to command: [UInt8], at now: Instant) -> [UInt8] {
        guard command.count >= 5 else { return Self.wrongLength }
        let length = command.count > 5 ? Int(command[4]) : 0
        guard command.count <= 5 || command.count == 5 + length || command.count == 6 + length else {
            return Self.wrongLength
        }
        let data = Array(command.dropFirst(5).prefix(length))
        switch (command[0], command[1]) {
        case (0x00, CardInstruction.select): return select(data)
        case (0x80, CardInstruction.begin): return begin(data, at: now)
        case (0x90, CardInstruction.deliver), (0x80, CardInstruction.deliver):
            return deliver(data, isLast: command[0] == 0x80, at: now)
        case (0x80, CardInstruction.fetch), (0x00, CardInstruction.getResponse): return next()
        default: return Self.unknownInstruction
        }
    }

    /// Ends the touch with a failure.
    public mutating func end(_ cause: VisitFailure.Cause, at now: Instant) {
        finish(
            VisitFailure(
                cause, at: stage, request: request,
                isDemo: credential?.isDemo ?? plan.credentials.contains(where: \.isDemo),
                period: credential?.period, localTime: clock.localTime(at: now)), at: now)
    }

    /// Removes and returns the notices so far.
    public mutating func takeNotices() -> [VisitNotice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Commands

    private mutating func restart() {
        session.reset()
        (received, outgoing, state, stage) = ([], [], .activated, .discovering)
    }

    private mutating func select(_ name: [UInt8]) -> [UInt8] {
        guard state != .over, name == plan.application else { return Self.notFound }
        restart()
        state = .selected
        return Self.version + Self.ok
    }

    /// BEGIN: 80 01 and the version, 82, the length and the reader's id.
    private mutating func begin(_ data: [UInt8], at now: Instant) -> [UInt8] {
        guard state == .selected else { return Self.outOfOrder }
        guard data.starts(with: Self.version), data.count > 5, data[3] == 0x82, data.count == 5 + Int(data[4]) else {
            return Self.wrongData
        }
        let id = String(decoding: data[5...].map { 0x21...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        guard let credential = plan.credential(forReader: id), let request = task.request(credential) else {
            end(.otherReader(id), at: now)
            return Self.notFound
        }
        (self.credential, self.request) = (credential, request)
        step(.selected(id), at: now)
        (state, stage) = (.exchanging, .handshake)
        do throws(StatusCode) {
            let token = try credential.token(for: request, epochSeconds: clock.epochSeconds(at: now))
            return follow(session.start(token: token.span, terminal: credential.terminal, random: &random), at: now)
        } catch {
            end(.noToken(error), at: now)
            return Self.outOfOrder
        }
    }

    private mutating func deliver(_ data: [UInt8], isLast: Bool, at now: Instant) -> [UInt8] {
        guard state == .exchanging, outgoing.isEmpty else { return Self.outOfOrder }
        received += data
        guard received.count <= Self.messageLimit else {
            end(.unusable("its message is too long"), at: now)
            return Self.wrongLength
        }
        guard isLast else { return Self.ok }
        let message = received
        received = []
        var result = PhoneStep.incomplete
        for start in stride(from: 0, to: message.count, by: MessageLimit.frame) where result == .incomplete {
            let frame = Array(message[start..<min(start + MessageLimit.frame, message.count)])
            result = session.receive(frame.span, random: &random)
        }
        if result == .send {
            step(.handshake, at: now)
            stage = .token
        }
        return follow(result, at: now)
    }

    private mutating func follow(_ result: PhoneStep, at now: Instant) -> [UInt8] {
        switch result {
        case .send:
            var frame: [UInt8] = []
            outgoing = []
            while session.nextFrame(limit: MessageLimit.frame, into: &frame) { outgoing += frame }
            return next()
        case .completed(let data): answered(data, at: now)
        case .failed(let failure): end(.session(failure), at: now)
        case .incomplete, .ignored: end(.unusable("its answer is not whole"), at: now)
        }
        return Self.ok
    }

    /// The next part of the phone's message; none after the last message.
    private mutating func next() -> [UInt8] {
        let part = Array(outgoing.prefix(Self.responseLimit))
        outgoing.removeFirst(part.count)
        let left = min(outgoing.count, Self.responseLimit)
        return part + (left == 0 ? Self.ok : [0x61, UInt8(left)])
    }

    /// One touch is one request.
    private mutating func answered(_ data: [UInt8], at now: Instant) {
        guard let request, let answer = ReaderAnswer(data, of: request) else { return end(.answer, at: now) }
        step(.answer(request, answer), at: now)
        if let denial = answer.denial { return end(.denied(denial), at: now) }
        task.receive(answer)
        finish(nil, at: now)
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
        notices.append(.ended(failure, sinceStart: now - began))
    }
}

/// The instructions of section 7.1.
private enum CardInstruction {
    static let select: UInt8 = 0xA4
    static let begin: UInt8 = 0x14
    static let deliver: UInt8 = 0x16
    static let fetch: UInt8 = 0x18
    static let getResponse: UInt8 = 0xC0
}
