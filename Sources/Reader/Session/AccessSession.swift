// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Crypto
internal import Protobuf
public import Timekeeping

/// The terminal's half of the access protocol with one phone (access protocol, 4 to 6.1), as a value: whole messages,
/// the wall clock and random octets in, steps and whole messages out. It knows neither frames nor APDUs: those are the
/// transport's.
///
/// One exchange is a handshake and a request; after its answer, good or bad, the next one begins with a handshake.
/// An invalid message or handshake is answered by silence, an invalid request by a status message in clear. The
/// transport refuses a message that is too long (`reject`).
///
/// One message at a time: a message that arrives while a command is being executed, or before the transport has taken
/// the answer, is dropped (`silent(.unavailable)`) and changes nothing.
///
/// ```
/// awaitingHandshake ── handshake, reply ──▶ awaitingRequest ── good token ──▶ executing
///        ▲                                        │ anything else                │ finish
///        └────────────────────────────────────────┴──────────────────────────────┘
/// ```
///
/// The buffers (about 4 KB) are allocated once per session.
public struct AccessSession: ~Copyable, Sendable {
    private enum State {
        case awaitingHandshake
        case awaitingRequest(EnvelopeSalts)
        case executing
    }

    private var state = State.awaitingHandshake
    /// The exchange's keys, in one place: a value that is moved leaves copies of the secret behind.
    private var envelope = Envelope()
    private var composer = MessageFramer()
    private var tokens = TokenVerifier()
    /// Plaintext, received or to be sealed.
    private var plaintext: [UInt8] = []

    /// A session that waits for a handshake.
    public init() {
        plaintext.reserveCapacity(Envelope.plaintextLimit)
    }

    /// The answer, a whole message with its header; empty if no answer is ready.
    public var answer: [UInt8] { composer.message }

    /// Removes the answer, which the transport has taken; the next message is accepted.
    public mutating func answerTaken() { composer.reset() }

    /// True if a command or a credential was returned and `finish` is due.
    public var isExecuting: Bool {
        if case .executing = state { true } else { false }
    }

    /// True if the next message has to be a request.
    var isAwaitingRequest: Bool {
        if case .awaitingRequest = state { true } else { false }
    }

    /// Ends the exchange and overwrites its secrets.
    public mutating func reset() {
        endExchange()
        composer.reset()
    }

    /// Handles one message of the phone: the status of its header, and its payload. Length and checksum were checked by
    /// the transport.
    ///
    /// `clock` is the reader's local time, nil while it is not known: then only a command that sets the clock is
    /// accepted, and everything else ends in silence (−157). `latest` is the latest time that the clock has shown, for
    /// the end of validities; nil for a clock that was never put back.
    public mutating func receive(
        _ status: StatusCode, _ payload: Span<UInt8>, identity: ReaderIdentity, clock: CivilTime?,
        latest: CivilTime? = nil, random: inout some RandomSource
    ) -> SessionStep {
        guard !isExecuting, composer.message.isEmpty else { return .silent(.unavailable) }
        guard status == .ok else { return stop(.peerStatus) }
        guard case .awaitingRequest(let salts) = state else {
            return takeHandshake(payload, identity: identity, random: &random)
        }
        state = .awaitingHandshake
        let step = takeRequest(payload, salts, identity: identity, clock: clock, latest: latest)
        // Copies of the token and the secret are left on the stack. For an opening `finish` overwrites most of them,
        // outside the time in which a user waits at the door.
        if isExecuting { wipeNearStack() } else { wipeStack() }
        return step
    }

    /// Answers the command or the credential that `receive` returned: with `result` if `status` is `ok`, else with the
    /// status alone.
    ///
    /// - Returns: the status in the answer: `status`, or −30 for a result of more than 1792 octets, −155 if it cannot
    ///   be sealed, −4 (without an answer) if nothing is being executed.
    @discardableResult
    public mutating func finish(
        _ status: StatusCode, result: Span<UInt8>, identity: ReaderIdentity
    ) -> StatusCode {
        guard isExecuting else { return .invalidState }
        var answer = status
        if status == .ok {
            do throws(StatusCode) {
                try seal(result, as: identity)
            } catch {
                answer = error
            }
        }
        endExchange()
        wipeStack()
        if answer != .ok {
            composer.begin(status: answer)
        }
        return answer
    }

    private mutating func takeHandshake(
        _ payload: Span<UInt8>, identity: ReaderIdentity, random: inout some RandomSource
    ) -> SessionStep {
        guard let handshake = try? SessionHandshake(decodingDelimited: payload) else { return stop(.decode) }
        let transponder = SessionSalt(handshake.transponderSalt)
        guard transponder.isStrong else { return refuse(.salt) }
        do throws(StatusCode) {
            let terminal = try SessionSalt(from: &random)
            let reply = SessionHandshakeReply(
                terminalSalt: FixedBytes(terminal.octets),
                terminalSignature: try sign(transponder, with: identity.terminalKey))
            try composer.begin { (message) throws(StatusCode) in reply.encodeDelimited(into: &message) }
            state = .awaitingRequest(EnvelopeSalts(transponder: transponder, terminal: terminal))
            return .reply
        } catch {
            return refuse(error)
        }
    }

    /// The signature over the phone's salt that proves the reader's key.
    private mutating func sign(
        _ transponder: SessionSalt, with key: any HeldPrivateKey
    ) throws(StatusCode) -> BoundedBytes<74> {
        // The plaintext's buffer is free now, and serves for the signature.
        plaintext.removeAll(keepingCapacity: true)
        guard (try? key.sign(transponder.octets.span, into: &plaintext)) != nil,
            let signature = BoundedBytes<74>(copying: plaintext.span)
        else { throw .signing }
        return signature
    }

    /// Not inlined, so that its stack is free when it returns.
    @inline(never)
    private mutating func takeRequest(
        _ payload: Span<UInt8>, _ salts: EnvelopeSalts, identity: ReaderIdentity, clock: CivilTime?,
        latest: CivilTime?
    ) -> SessionStep {
        do throws(EnvelopeError) {
            envelope = try Envelope.open(
                request: payload, terminalKey: identity.terminalKey, salts: salts, into: &plaintext)
        } catch {
            return refuse(.decrypt)
        }
        let decision = tokens.verify(plaintext, for: identity, clock: clock, latest: latest)
        wipeToken()
        switch decision {
        case .authorized(let command):
            state = .executing
            return .execute(command)
        case .credential(let credential):
            state = .executing
            return .decide(credential)
        case .refused(let refusal):
            endExchange()
            composer.begin(status: refusal.status)
            return .refused(refusal)
        case .silent(let status): return stop(status)
        }
    }

    /// Not inlined, as `takeRequest`.
    @inline(never)
    private mutating func seal(
        _ result: Span<UInt8>, as identity: ReaderIdentity
    ) throws(StatusCode) {
        guard let data = BoundedBytes<1792>(copying: result) else { throw .encode }
        wipeSecret(&plaintext)
        SessionResult(data: data).encodeDelimited(into: &plaintext)
        try AccessSession.seal(envelope, identity.terminalKey.publicPoint, &plaintext, &composer)
    }

    /// The fields as parameters, so that one can be read while the others are written.
    private static func seal(
        _ envelope: borrowing Envelope, _ sender: P256Point, _ plaintext: inout [UInt8], _ composer: inout MessageFramer
    ) throws(StatusCode) {
        try composer.begin { (message) throws(StatusCode) in
            try envelope.seal(.response, sender: sender, plaintext: &plaintext, into: &message)
        }
    }

    private mutating func stop(_ status: StatusCode) -> SessionStep {
        endExchange()
        return .silent(status)
    }

    private mutating func refuse(_ status: StatusCode) -> SessionStep {
        reject(status)
        return .refused(SessionRefusal(status: status))
    }

    /// Ends the exchange and answers with `status`, for octets that the transport refuses.
    public mutating func reject(_ status: StatusCode) {
        endExchange()
        composer.begin(status: status)
    }

    private mutating func endExchange() {
        state = .awaitingHandshake
        envelope.wipe()
        wipeToken()
    }

    /// Overwrites the token, whose possession is sufficient to open the door.
    private mutating func wipeToken() {
        wipeSecret(&plaintext)
        tokens.wipe()
    }
}
