public import Crypto
internal import Octets

/// What went wrong with an envelope; the two sides answer it by different codes (−156 the device, −14 the phone).
public enum EnvelopeError: Error, Hashable, Sendable {
    /// Too short, or a body that is no multiple of 16 octets.
    case length
    /// The public key in front is no point of the curve, or not the one that was expected.
    case point
    /// The tag does not fit: the octets were changed, or sealed for somebody else.
    case authentication
    /// More plaintext than a message holds.
    case overflow
    /// The cryptographic library refused.
    case cryptography
}

/// The encryption of one exchange, both ways: ECIES on P-256 in its request/response form, with HKDF-SHA256,
/// AES-128-CBC and HMAC-SHA256.
///
/// On the wire an envelope is `P ‖ ciphertext ‖ tag`: the sender's public point (65 octets; in a response the
/// device's own key), the zero-padded plaintext under a key of its own, and 32 octets over the ciphertext and half
/// of both salts. The tag is compared in constant time, before anything is decrypted. The value holds the shared
/// secret: its owner calls `wipe()` when the exchange is over.
public struct Envelope: ~Copyable, Sendable {
    /// Which of the two envelopes of an exchange; each has its own half of the derived keys.
    public enum Direction: Sendable {
        /// Phone to device.
        case request
        /// Device to phone.
        case response
    }

    /// The octets of the public point in front.
    public static let pointCount = P256Point.count
    /// The octets of the tag at the end.
    public static let tagCount = 32
    /// The plaintext is filled with zeros to a multiple of this.
    public static let blockCount = 16
    /// The plaintext that fits a message, 1936 octets: 2048 less point and tag, in whole blocks.
    public static let plaintextLimit = (MessageLimit.payload - pointCount - tagCount) / blockCount * blockCount

    private var secret = [32 of UInt8](repeating: 0)
    private let salts: EnvelopeSalts

    /// What stands for an envelope while there is no exchange: nobody else has a secret of zeroes, nor shall.
    public init() {
        salts = EnvelopeSalts(
            transponder: SessionSalt([16 of UInt8](repeating: 0)), terminal: SessionSalt([16 of UInt8](repeating: 0)))
    }

    /// Agrees on the secret of an exchange. `point` is the peer's, uncompressed; throws `point` unless it is one.
    public init(
        ownKey: any HeldPrivateKey, peerPoint: Span<UInt8>, salts: EnvelopeSalts
    ) throws(EnvelopeError) {
        do {
            secret = try ownKey.sharedSecret(with: peerPoint)
        } catch {
            throw error == .invalidPoint ? .point : .cryptography
        }
        self.salts = salts
    }

    /// Opens a request with the device's key: agrees on the secret with the key in front of it, and replaces
    /// `plaintext` by what is inside, padding included.
    public static func open(
        request wire: Span<UInt8>, terminalKey: any HeldPrivateKey, salts: EnvelopeSalts,
        into plaintext: inout [UInt8]
    ) throws(EnvelopeError) -> Envelope {
        _ = try body(of: wire)
        let envelope = try Envelope(
            ownKey: terminalKey, peerPoint: wire.extracting(0..<pointCount), salts: salts)
        try envelope.decrypt(wire, .request, into: &plaintext)
        return envelope
    }

    /// Overwrites the shared secret. To be called when the exchange is over; nothing opens afterwards.
    public mutating func wipe() {
        var span = secret.mutableSpan
        wipeSecret(&span)
    }

    /// Opens the device's response, which must carry `terminalPoint`, and replaces `plaintext` by what is inside,
    /// padding included.
    ///
    /// Comparing the point is ours: without it anybody who relayed the handshake can forge a result.
    public borrowing func open(
        response wire: Span<UInt8>, terminalPoint: P256Point, into plaintext: inout [UInt8]
    ) throws(EnvelopeError) {
        _ = try Envelope.body(of: wire)
        guard constantTimeEqual(wire.extracting(0..<Envelope.pointCount), terminalPoint.octets.span) else {
            throw .point
        }
        try decrypt(wire, .response, into: &plaintext)
    }

    /// Appends an envelope around `plaintext`, which is padded and encrypted where it stands and is ciphertext
    /// afterwards. `sender` is the own public point.
    ///
    /// Throws −7 for more plaintext than `plaintextLimit`, and −155 if encryption fails; `output` may then end in
    /// something unfinished, to be discarded.
    public borrowing func seal(
        _ direction: Direction, sender: P256Point, plaintext: inout [UInt8], into output: inout [UInt8]
    ) throws(StatusCode) {
        guard plaintext.count <= Envelope.plaintextLimit else { throw .overflow }
        while plaintext.count % Envelope.blockCount != 0 {
            plaintext.append(0)
        }
        do {
            var keys = try EnvelopeKeys.derive(
                direction, point: sender.octets.span, secret: secret.span, salt: salts.kdf.span)
            defer { keys.wipe() }
            var octets = plaintext.mutableSpan
            try AES128CBC.encrypt(inPlace: &octets, key: keys.encryption.span)
            let tag = try HMACSHA256.authenticate(
                key: keys.authentication.span, plaintext.span, salts.mac.span)
            output.append(sender.octets.span)
            output.append(plaintext.span)
            output.append(tag.span)
        } catch {
            throw .encrypt
        }
    }

    private borrowing func decrypt(
        _ wire: Span<UInt8>, _ direction: Direction, into plaintext: inout [UInt8]
    ) throws(EnvelopeError) {
        let body = try Envelope.body(of: wire)
        wipeSecret(&plaintext)
        do {
            var keys = try EnvelopeKeys.derive(
                direction, point: wire.extracting(0..<Envelope.pointCount), secret: secret.span, salt: salts.kdf.span)
            defer { keys.wipe() }
            let tag = try HMACSHA256.authenticate(
                key: keys.authentication.span, wire.extracting(body), salts.mac.span)
            guard constantTimeEqual(tag.span, wire.extracting(body.upperBound..<wire.count)) else {
                throw EnvelopeError.authentication
            }
            plaintext.append(wire.extracting(body))
            var octets = plaintext.mutableSpan
            try AES128CBC.decrypt(inPlace: &octets, key: keys.encryption.span)
        } catch let error as EnvelopeError {
            throw error
        } catch {
            wipeSecret(&plaintext)
            throw .cryptography
        }
    }

    /// Where the ciphertext is in an envelope: at least one block, in whole blocks, and no more than a message holds.
    private static func body(of wire: Span<UInt8>) throws(EnvelopeError) -> Range<Int> {
        let count = wire.count - pointCount - tagCount
        guard count >= blockCount, count % blockCount == 0 else { throw .length }
        guard count <= plaintextLimit else { throw .overflow }
        return pointCount..<pointCount + count
    }
}
