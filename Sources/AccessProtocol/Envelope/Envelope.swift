// SPDX-License-Identifier: Apache-2.0

public import Crypto
internal import Octets

/// A failure to open or make an envelope; the device answers with −156, the phone reports −14.
public enum EnvelopeError: Error, Hashable, Sendable {
    /// The envelope is too short, or its ciphertext is not a multiple of 16 octets.
    case length
    /// The public key is not a point of the curve, or not the expected one.
    case point
    /// The tag does not verify: the octets were changed, or sealed for another recipient.
    case authentication
    /// The plaintext exceeds a message.
    case overflow
    /// The cryptographic library failed.
    case cryptography
}

/// The encryption of one exchange in both directions: ECIES on P-256 in its request/response form, with HKDF-SHA256,
/// AES-128-CBC and HMAC-SHA256.
///
/// On the wire an envelope is `P ‖ ciphertext ‖ tag`: the sender's public point (65 octets; in a response the
/// device's own key), the zero-padded plaintext encrypted with a key of its own, and 32 octets computed over the
/// ciphertext and half of both salts. The tag is compared in constant time, before decryption. The value holds the
/// shared secret: its owner calls `wipe()` at the end of the exchange.
public struct Envelope: ~Copyable, Sendable {
    /// The direction of an envelope; each direction has its own half of the derived keys.
    public enum Direction: Sendable {
        /// Phone to device.
        case request
        /// Device to phone.
        case response
    }

    /// The length of the sender's public point in octets.
    public static let pointCount = P256Point.count
    /// The length of the tag in octets.
    public static let tagCount = 32
    /// The block size to which the plaintext is zero-padded.
    public static let blockCount = 16
    /// The maximum plaintext of a message, 1936 octets: 2048 less point and tag, in whole blocks.
    public static let plaintextLimit = (MessageLimit.payload - pointCount - tagCount) / blockCount * blockCount

    private var secret = [32 of UInt8](repeating: 0)
    private let salts: EnvelopeSalts

    /// A placeholder while there is no exchange: its secret is all zeros, which no peer shares.
    public init() {
        salts = EnvelopeSalts(
            transponder: SessionSalt([16 of UInt8](repeating: 0)), terminal: SessionSalt([16 of UInt8](repeating: 0)))
    }

    /// Computes the shared secret of an exchange. `peerPoint` is the peer's uncompressed public point.
    ///
    /// - Throws: `point` if `peerPoint` is not a point of the curve, `cryptography` if the library fails.
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

    /// Opens a request with the device's key and the sender's point, and replaces `plaintext` with its content,
    /// padding included.
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

    /// Overwrites the shared secret. Call this at the end of the exchange; nothing can be opened afterwards.
    public mutating func wipe() {
        var span = secret.mutableSpan
        wipeSecret(&span)
    }

    /// Opens the device's response, which must carry `terminalPoint`, and replaces `plaintext` with its content,
    /// padding included.
    ///
    /// The comparison of the point is an addition of this project: without it, anyone who relayed the handshake could
    /// forge a result.
    public borrowing func open(
        response wire: Span<UInt8>, terminalPoint: P256Point, into plaintext: inout [UInt8]
    ) throws(EnvelopeError) {
        _ = try Envelope.body(of: wire)
        guard constantTimeEqual(wire.extracting(0..<Envelope.pointCount), terminalPoint.octets.span) else {
            throw .point
        }
        try decrypt(wire, .response, into: &plaintext)
    }

    /// Appends an envelope of `plaintext`, which is padded and encrypted in place, so that it is ciphertext
    /// afterwards.
    ///
    /// - Parameter sender: the sender's own public point.
    /// - Throws: −7 for a plaintext above `plaintextLimit`, −155 if encryption fails; `output` may then end with an
    ///   incomplete envelope, which the caller discards.
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

    /// The range of the ciphertext in an envelope: one or more whole blocks, at most `plaintextLimit` octets.
    private static func body(of wire: Span<UInt8>) throws(EnvelopeError) -> Range<Int> {
        let count = wire.count - pointCount - tagCount
        guard count >= blockCount, count % blockCount == 0 else { throw .length }
        guard count <= plaintextLimit else { throw .overflow }
        return pointCount..<pointCount + count
    }
}
