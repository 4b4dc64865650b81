public import AccessProtocol
public import Crypto
internal import Protobuf
public import Timekeeping

/// The terminal's half of the access protocol on one link (access protocol, 4 to 6.1), as a value: frames, the wall
/// clock and random octets go in, steps and frames come out.
///
/// One exchange is a handshake and a request; after its answer, good or bad, the next one begins with a handshake.
/// What is wrong with a frame, a message or a handshake is answered by silence, what is wrong with a request by a
/// status message in clear.
///
/// One message at a time: a frame that arrives while a command is being executed, or while frames of an answer are
/// left to be sent, is dropped (`silent(.unavailable)`) and changes nothing. No phone that waits for its answer,
/// as the protocol has it, ever sends such a frame; one that does loses its own message and starts over.
///
/// ```
/// awaitingHandshake ── handshake, reply ──▶ awaitingRequest ── good token ──▶ executing
///        ▲                                        │ anything else                │ finish
///        └────────────────────────────────────────┴──────────────────────────────┘
/// ```
///
/// The buffers (about 6 KB) are allocated once per session.
public struct AccessSession: ~Copyable, Sendable {
    private enum State {
        case awaitingHandshake
        case awaitingRequest(EnvelopeSalts)
        case executing
    }

    private var state = State.awaitingHandshake
    /// The exchange's, with its secret, in one place: a value that is moved about leaves the secret where it was.
    private var envelope = Envelope()
    private var assembler = MessageAssembler()
    private var framer = MessageFramer()
    private var tokens = TokenVerifier()
    /// Plaintext on its way in or out.
    private var plaintext: [UInt8] = []

    /// A session that waits for a handshake.
    public init() {
        plaintext.reserveCapacity(Envelope.plaintextLimit)
    }

    /// Whether frames are left for `nextFrame`.
    public var isSending: Bool { framer.isSending }

    /// Whether a command or a credential was handed out and `finish` is due.
    public var isExecuting: Bool {
        if case .executing = state { true } else { false }
    }

    private var isAwaitingRequest: Bool {
        if case .awaitingRequest = state { true } else { false }
    }

    /// Forgets everything, and overwrites what is secret, for the next link in the same slot.
    public mutating func reset() {
        endExchange()
        assembler.reset()
        framer.reset()
    }

    /// Takes one frame that the phone wrote.
    ///
    /// `clock` is the reader's local time, nil while it is not known: then only a command that sets the clock is
    /// let through, and everything else ends in silence (−157). `latest` is the latest that it has shown, for what had
    /// ended by then; nil for a clock that was never put back.
    public mutating func receive(
        _ frame: Span<UInt8>, identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime? = nil,
        random: inout some RandomSource
    ) -> SessionStep {
        guard !isExecuting, !isSending else { return .silent(.unavailable) }
        let wasAwaitingRequest = isAwaitingRequest
        let step = take(frame, identity: identity, clock: clock, latest: latest, random: &random)
        // The token and the secret have gone through hands that left them on the stack. Where somebody waits at the door,
        // `finish` sees to that.
        if wasAwaitingRequest, !isAwaitingRequest, !isExecuting { wipeStack() }
        return step
    }

    /// Not inlined, so that its stack is free when it returns.
    @inline(never)
    private mutating func take(
        _ frame: Span<UInt8>, identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime?,
        random: inout some RandomSource
    ) -> SessionStep {
        switch assembler.receive(frame) {
        case .incomplete:
            return .incomplete
        case .rejected(let status):
            return stop(status)
        case .message(let status):
            guard status == .ok else { return stop(.peerStatus) }
            return take(identity: identity, clock: clock, latest: latest, random: &random)
        }
    }

    /// Answers the command or the credential that was handed out: with `result` if `status` is `ok`, else with the status alone.
    ///
    /// Returns what the phone is told: `status`, or −30 for a result of more than 1792 octets, −155 if it cannot be
    /// sealed, −4 (and nothing is sent) if nothing was handed out.
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
            framer.begin(status: answer)
        }
        return answer
    }

    /// Replaces `frame` by the next frame to notify, of at most `limit` octets (ATT MTU − 3; never above 512).
    /// False if none is left.
    public mutating func nextFrame(limit: Int, into frame: inout [UInt8]) -> Bool {
        framer.next(limit: limit, into: &frame)
    }

    /// A complete message with status `ok` is in the assembler.
    private mutating func take(
        identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime?, random: inout some RandomSource
    ) -> SessionStep {
        // Not `executing`: `receive` drops frames then.
        if case .awaitingRequest(let salts) = state {
            state = .awaitingHandshake
            return takeRequest(salts, identity: identity, clock: clock, latest: latest)
        }
        return takeHandshake(identity: identity, random: &random)
    }

    private mutating func takeHandshake(
        identity: ReaderIdentity, random: inout some RandomSource
    ) -> SessionStep {
        guard let handshake = try? SessionHandshake(decodingDelimited: assembler.payload.span) else {
            return stop(.decode)
        }
        let transponder = SessionSalt(handshake.transponderSalt)
        guard transponder.isStrong else { return refuse(.salt) }
        do throws(StatusCode) {
            let terminal = try SessionSalt(from: &random)
            let reply = SessionHandshakeReply(
                terminalSalt: FixedBytes(terminal.octets),
                terminalSignature: try sign(transponder, with: identity.terminalKey))
            try framer.begin { (message) throws(StatusCode) in reply.encodeDelimited(into: &message) }
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
        // The plaintext's buffer is free now, and saves one for the signature.
        plaintext.removeAll(keepingCapacity: true)
        guard (try? key.sign(transponder.octets.span, into: &plaintext)) != nil,
            let signature = BoundedBytes<74>(copying: plaintext.span)
        else { throw .signing }
        return signature
    }

    private mutating func takeRequest(
        _ salts: EnvelopeSalts, identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime?
    ) -> SessionStep {
        do throws(EnvelopeError) {
            envelope = try AccessSession.open(assembler, identity.terminalKey, salts, into: &plaintext)
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
            framer.begin(status: refusal.status)
            return .refused(refusal)
        case .silent(let status): return stop(status)
        }
    }

    /// Buffers as parameters, so that one can be read while the other is written.
    private static func open(
        _ assembler: borrowing MessageAssembler, _ key: any HeldPrivateKey, _ salts: EnvelopeSalts,
        into plaintext: inout [UInt8]
    ) throws(EnvelopeError) -> Envelope {
        try Envelope.open(request: assembler.payload.span, terminalKey: key, salts: salts, into: &plaintext)
    }

    private mutating func seal(
        _ result: Span<UInt8>, as identity: ReaderIdentity
    ) throws(StatusCode) {
        guard let data = BoundedBytes<1792>(copying: result) else { throw .encode }
        wipeSecret(&plaintext)
        SessionResult(data: data).encodeDelimited(into: &plaintext)
        try AccessSession.seal(envelope, identity.terminalKey.publicPoint, &plaintext, &framer)
    }

    private static func seal(
        _ envelope: borrowing Envelope, _ sender: P256Point, _ plaintext: inout [UInt8], _ framer: inout MessageFramer
    ) throws(StatusCode) {
        try framer.begin { (message) throws(StatusCode) in
            try envelope.seal(.response, sender: sender, plaintext: &plaintext, into: &message)
        }
    }

    private mutating func stop(_ status: StatusCode) -> SessionStep {
        endExchange()
        return .silent(status)
    }

    private mutating func refuse(_ status: StatusCode) -> SessionStep {
        endExchange()
        framer.begin(status: status)
        return .refused(SessionRefusal(status: status))
    }

    private mutating func endExchange() {
        state = .awaitingHandshake
        envelope.wipe()
        wipeToken()
    }

    /// What was decided about is not needed any more: whoever has it opens the door.
    private mutating func wipeToken() {
        wipeSecret(&plaintext)
        assembler.reset()
        tokens.wipe()
    }
}
