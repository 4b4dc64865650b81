// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Crypto
internal import Protobuf

/// The result of a frame from the device.
public enum PhoneStep: Hashable, Sendable {
    /// More frames are needed.
    case incomplete
    /// Frames are ready to be written.
    case send
    /// The device executed the command; the data of the result, either a delimited message or empty.
    case completed([UInt8])
    /// The exchange failed.
    case failed(PhoneFailure)
    /// The frame was unexpected: no exchange is in progress.
    case ignored
}

/// The failure of an exchange.
public struct PhoneFailure: Error, Hashable, Sendable {
    /// The phone's own code; −170 if the device sent a status.
    public var code: StatusCode
    /// The status that the device sent, if any.
    public var terminal: StatusCode?

    /// A failure with this code, and the status that the device sent.
    public init(_ code: StatusCode, terminal: StatusCode? = nil) {
        self.code = code
        self.terminal = terminal
    }
}

/// The transponder's side of the access protocol on one link (access protocol, 4 to 6.1), as a value.
///
/// For one exchange call `start`, write the frames, pass in the device's notifications, and write the frames after
/// each `send`, until `completed` or `failed`. Then the next exchange may start. Every request is sealed with a new
/// key.
///
/// It is stricter than the vendor's client in one point: the response must carry the device's own key, so that the
/// relay of a handshake cannot forge the displayed result.
public struct PhoneSession: ~Copyable, Sendable {
    private enum State: ~Copyable {
        case idle
        case awaitingReply(SessionSalt, P256PublicKey)
        case awaitingResult(Envelope, P256Point)

        /// Returns the state and replaces it with `idle`.
        mutating func removeState() -> State {
            let state = consume self
            self = .idle
            return state
        }
    }

    private var state = State.idle
    private var assembler = MessageAssembler()
    private var framer = MessageFramer()
    private var token: [UInt8] = []
    private var plaintext: [UInt8] = []

    /// A session without an exchange.
    public init() {
        token.reserveCapacity(Envelope.plaintextLimit)
        plaintext.reserveCapacity(Envelope.plaintextLimit)
    }

    /// True if frames remain for `nextFrame`.
    public var isSending: Bool { framer.isSending }

    /// True if an exchange is in progress.
    public var isActive: Bool {
        switch state {
        case .idle: false
        default: true
        }
    }

    /// Aborts the exchange, for the next link.
    public mutating func reset() {
        end()
        assembler.reset()
        framer.reset()
    }

    /// Starts an exchange; the handshake's frames are ready afterwards.
    ///
    /// - Parameters:
    ///   - token: the delimited token from the backend, sent unchanged.
    ///   - terminal: the device's public key from the backend.
    /// - Returns: `send`, or `failed` with −4 if an exchange is in progress, −7 for a token above 1936 octets, −153
    ///   if `random` gives no salt.
    public mutating func start(
        token: Span<UInt8>, terminal: P256PublicKey, random: inout some RandomSource
    ) -> PhoneStep {
        guard !isActive else { return .failed(PhoneFailure(.invalidState)) }
        guard token.count <= Envelope.plaintextLimit else { return .failed(PhoneFailure(.overflow)) }
        assembler.reset()
        do throws(StatusCode) {
            let salt = try SessionSalt(from: &random)
            try framer.begin { (message) throws(StatusCode) in
                SessionHandshake(transponderSalt: FixedBytes(salt.octets)).encodeDelimited(into: &message)
            }
            self.token.removeAll(keepingCapacity: true)
            token.withUnsafeBufferPointer { self.token.append(contentsOf: $0) }
            state = .awaitingReply(salt, terminal)
            return .send
        } catch {
            return fail(error)
        }
    }

    /// Handles one frame that the device notified. `random` provides the key that seals the request, once the
    /// handshake is answered.
    public mutating func receive(_ frame: Span<UInt8>, random: inout some RandomSource) -> PhoneStep {
        guard isActive else { return .ignored }
        switch assembler.receive(frame) {
        case .incomplete, .dropped:
            return .incomplete
        case .tooLong:
            return fail(.overflow)
        case .rejected(let status):
            return fail(status)
        case .message(let status):
            guard status == .ok else { return fail(.peerStatus, terminal: status) }
            return sendRequest(random: &random)
        }
    }

    /// Replaces `frame` with the next frame to write, of at most `limit` octets (ATT_MTU − 3; never above 512). False
    /// if none is left.
    public mutating func nextFrame(limit: Int, into frame: inout [UInt8]) -> Bool {
        framer.next(limit: limit, into: &frame)
    }

    private mutating func sendRequest(random: inout some RandomSource) -> PhoneStep {
        switch state.removeState() {
        case .awaitingReply(let salt, let terminal):
            do throws(StatusCode) {
                try request(after: salt, terminal: terminal, random: &random)
                return .send
            } catch {
                return fail(error)
            }
        case .awaitingResult(var envelope, let point):
            let step = result(in: envelope, from: point)
            envelope.wipe()
            return step
        case .idle:
            return .ignored
        }
    }

    /// Verifies the handshake's reply, and seals the token.
    private mutating func request(
        after salt: SessionSalt, terminal: P256PublicKey, random: inout some RandomSource
    ) throws(StatusCode) {
        guard let reply = try? SessionHandshakeReply(decodingDelimited: assembler.payload.span) else {
            throw .decode
        }
        let isSigned = reply.terminalSignature.withSpan { terminal.isValid(signature: $0, for: salt.octets.span) }
        guard isSigned else { throw .signature }
        let terminalSalt = SessionSalt(reply.terminalSalt)
        guard terminalSalt.isStrong else { throw .salt }
        let salts = EnvelopeSalts(transponder: salt, terminal: terminalSalt)
        let key = try P256PrivateKey.drawn(from: &random)
        let point = terminal.point
        var envelope: Envelope
        do throws(EnvelopeError) {
            envelope = try Envelope(ownKey: key, peerPoint: point.octets.span, salts: salts)
        } catch {
            throw .cryptography
        }
        do throws(StatusCode) {
            try framer.begin { (message) throws(StatusCode) in
                try envelope.seal(.request, sender: key.publicPoint, plaintext: &token, into: &message)
            }
        } catch {
            envelope.wipe()
            throw error
        }
        state = .awaitingResult(envelope, point)
    }

    private mutating func result(in envelope: borrowing Envelope, from point: P256Point) -> PhoneStep {
        do throws(EnvelopeError) {
            try PhoneSession.open(assembler, envelope, from: point, into: &plaintext)
        } catch {
            return fail(.cryptography)
        }
        guard let result = try? SessionResult(decodingDelimitedPrefixOf: plaintext.span) else {
            return fail(.decode)
        }
        var data: [UInt8] = []
        result.data.append(to: &data)
        return .completed(data)
    }

    /// Opens the response. The buffers are parameters so that one can be read while the other is written.
    private static func open(
        _ assembler: borrowing MessageAssembler, _ envelope: borrowing Envelope, from point: P256Point,
        into plaintext: inout [UInt8]
    ) throws(EnvelopeError) {
        try envelope.open(response: assembler.payload.span, terminalPoint: point, into: &plaintext)
    }

    private mutating func fail(_ code: StatusCode, terminal: StatusCode? = nil) -> PhoneStep {
        end()
        framer.reset()
        return .failed(PhoneFailure(code, terminal: terminal))
    }

    private mutating func end() {
        if case .awaitingResult(var envelope, _) = state.removeState() {
            envelope.wipe()
        }
    }
}

extension P256PrivateKey {
    /// The maximum number of scalars drawn from a random source. All but about one in 2³² are in range.
    private static let attempts = 4

    /// A new key with a scalar from `random`.
    ///
    /// - Throws: −14 if none is in range.
    static func drawn(from random: inout some RandomSource) throws(StatusCode) -> P256PrivateKey {
        var scalar = [32 of UInt8](repeating: 0)
        for _ in 0..<attempts {
            var span = scalar.mutableSpan
            random.fill(&span)
            let key = try? P256PrivateKey(scalar: scalar.span)
            span = scalar.mutableSpan
            wipeSecret(&span)
            if let key { return key }
        }
        throw .cryptography
    }
}
