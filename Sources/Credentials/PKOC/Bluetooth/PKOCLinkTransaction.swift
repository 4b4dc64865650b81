// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A transaction with a phone that has a PKOC credential, over Bluetooth LE, from the reader's side.
///
/// ```
/// new ── start ──▶ greeted ── 01, 03 ──────────────▶ deciding ── conclude ──▶ over
///                     └─ 07 ──▶ keyed ── 40 ────────────▲
/// ```
///
/// In the normal flow the phone signs the reader's ephemeral key, which is fresh on each link, and shows its own key to
/// anyone. With ECDHE the site's key proves the reader to the phone, the phone's signature covers site, location and
/// both ephemeral keys, and its key is encrypted. In neither is a relay noticed.
public struct PKOCLinkTransaction: LinkTransaction {
    private enum State: Equatable { case new, greeted, keyed, deciding, over }

    /// The reason for the log, and the answer to the phone.
    private struct Fault: Error {
        var refusal: CardRefusal
        var response: PKOCLinkMessage.Response

        init(_ refusal: CardRefusal, _ response: PKOCLinkMessage.Response) {
            (self.refusal, self.response) = (refusal, response)
        }

        init(_ refusal: CardRefusal) {
            self.init(refusal, refusal == .proof ? .signature : refusal == .unavailable ? .denied : .security)
        }
    }

    /// The first four octets of the phone's nonces, then its counter; the reader sends nothing encrypted.
    private static let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]

    private var state = State.new
    private let reader: PKOCReaderID
    private let site: (any HeldPrivateKey)?
    /// nil once it was used.
    private var ephemeral: P256PrivateKey?
    /// The octets that the phone's signature covers.
    private var signed: [UInt8] = []
    /// The key of the encrypted fields.
    private var key: [UInt8] = []

    /// A transaction with a new ephemeral key.
    ///
    /// - Parameter site: the site's key; without one phones that require it are refused.
    /// - Throws: `libraryFailure` if there is no key.
    public init(reader: PKOCReaderID, site: (any HeldPrivateKey)?) throws(CryptoError) {
        self.init(reader: reader, site: site, ephemeral: try .generate())
    }

    /// A transaction with this ephemeral key, which is used once.
    public init(reader: PKOCReaderID, site: (any HeldPrivateKey)?, ephemeral: P256PrivateKey) {
        (self.reader, self.site, self.ephemeral) = (reader, site, ephemeral)
    }

    /// Sends version, ephemeral key, location and site.
    public mutating func start() -> LinkStep {
        guard state == .new, let ephemeral else { return end(Fault(.outOfOrder)) }
        state = .greeted
        signed = PKOCLinkMessage.compressed(ephemeral.publicPoint)
        return .send(
            PKOCLinkMessage.field(.version, PKOCLinkMessage.version)
                + PKOCLinkMessage.field(.readerEphemeral, signed)
                + PKOCLinkMessage.field(.location, Array(reader.octets[16...]))
                + PKOCLinkMessage.field(.site, Array(reader.octets[..<16])))
    }

    /// Handles the phone's credential, or its ephemeral key and then its encrypted credential. After a valid signature
    /// its key is the evidence.
    public mutating func receive(_ message: Span<UInt8>) -> LinkStep {
        do throws(Fault) {
            switch state {
            case .greeted:
                let fields = try Self.fields(message, [.key, .signature, .lastUpdate, .version, .ephemeral])
                guard let place = fields[.ephemeral] else { return try prove(fields, in: message) }
                guard fields[.key] == nil, fields[.signature] == nil, fields[.lastUpdate] == nil else {
                    throw Fault(.malformed)
                }
                if let version = fields[.version], message[version.upperBound - 1] & PKOCLinkMessage.ccm == 0 {
                    throw Fault(.version)
                }
                return try agree(message.extracting(place))
            case .keyed: return try unseal(message)
            case .new, .deciding, .over: throw Fault(.outOfOrder)
            }
        } catch {
            return end(error)
        }
    }

    /// Sends the decision.
    public mutating func conclude(_ decision: CardDecision) -> LinkStep {
        guard state == .deciding else { return end(Fault(.outOfOrder)) }
        wipe()
        let response: PKOCLinkMessage.Response =
            switch decision {
            case .opened: .granted
            case .handedOn: .completed
            case .refused: .denied
            }
        return .end(.concluded, last: response.message)
    }

    /// Wipes the ephemeral key and the key of the encrypted fields.
    public mutating func wipe() {
        state = .over
        ephemeral = nil
        wipeSecret(&key)
        key = []
    }

    private static func fields(
        _ message: Span<UInt8>, _ allowed: [PKOCLinkMessage.Tag]
    ) throws(Fault) -> PKOCLinkMessage.Fields {
        do throws(CardRefusal) { return try PKOCLinkMessage.Fields(message, allowed) } catch { throw Fault(error) }
    }

    /// Verifies the signature of the credential.
    private mutating func prove(_ fields: PKOCLinkMessage.Fields, in message: Span<UInt8>) throws(Fault) -> LinkStep {
        guard let place = fields[.key], let signature = fields[.signature] else { throw Fault(.malformed) }
        let key: P256PublicKey
        do throws(CryptoError) { key = try P256PublicKey(point: message.extracting(place)) } catch { throw Fault(.key) }
        guard key.isValid(rawSignature: message.extracting(signature), for: signed.span) else { throw Fault(.proof) }
        state = .deciding
        return .decide(CardEvidence(kind: .pkoc, identity: place.map { message[$0] }))
    }

    /// Agrees on a key, and proves the reader by the site's.
    private mutating func agree(_ point: Span<UInt8>) throws(Fault) -> LinkStep {
        guard let site, let ephemeral = ephemeral.take() else { throw Fault(.unavailable) }
        let phone: P256PublicKey
        do throws(CryptoError) { phone = try P256PublicKey(point: point) } catch { throw Fault(.key) }
        signed =
            reader.octets + PKOCLinkMessage.coordinate(phone.point) + PKOCLinkMessage.coordinate(ephemeral.publicPoint)
        do throws(CryptoError) {
            var secret = try ephemeral.sharedSecret(with: point)
            defer {
                var octets = secret.mutableSpan
                wipeSecret(&octets)
            }
            var hash = try SHA256.hash(secret.span)
            key = hash.indices.map { hash[$0] }
            var octets = hash.mutableSpan
            wipeSecret(&octets)
            let signature = try site.rawSignature(signed.span)
            state = .keyed
            return .send(PKOCLinkMessage.field(.signature, signature))
        } catch {
            throw Fault(.unavailable)
        }
    }

    private mutating func unseal(_ message: Span<UInt8>) throws(Fault) -> LinkStep {
        guard let place = try Self.fields(message, [.sealed])[.sealed] else { throw Fault(.malformed) }
        var plaintext: [UInt8] = []
        defer { wipeSecret(&plaintext) }
        do throws(CryptoError) {
            try AES256CCM.open(
                message.extracting(place), key: key.span, nonce: Self.nonce.span, authenticating: [UInt8]().span,
                into: &plaintext)
        } catch { throw Fault(.proof, .ccm) }
        let fields = try Self.fields(plaintext.span, [.key, .signature, .lastUpdate, .version])
        return try prove(fields, in: plaintext.span)
    }

    private mutating func end(_ fault: Fault) -> LinkStep {
        wipe()
        return .end(.refused(fault.refusal), last: fault.response.message)
    }
}
