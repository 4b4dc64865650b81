// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// An issuer's documents, right ones and others: a signed list of digests of elements (ISO/IEC 18013-5, 9.1.2.4, with
/// the short names of Aliro 1.0).
public struct AliroDocumentMaker: Sendable {
    /// The issuer's key.
    public var issuer: P256PrivateKey
    /// `aliro-a` or `aliro-r`.
    public var type = "aliro-a"
    /// The type in the signed object, if it is another.
    public var signedType: String?
    /// The type of the document, if it is another.
    public var outerType: String?
    /// The identifier of the element.
    public var element = "matter1"
    /// The value of the element.
    public var value = EncodedItem.map([(0, 1)])
    /// False for a document without an element.
    public var hasElements = true
    /// The point of the credential that an access document is for; nil for none.
    public var device: [UInt8]?
    /// The time of the signature.
    public var signed = "2026-01-01T00:00:00Z"
    /// The first second of the validity.
    public var validFrom = "2026-01-01T00:00:00Z"
    /// The last second of the validity.
    public var validUntil = "2036-01-01T00:00:00Z"
    /// The iteration; nil for none.
    public var iteration: Int?
    /// True if only a reader with a clock may accept the document.
    public var needsTime = false
    /// The identifier of the issuer's key; nil for none.
    public var keyIdentifier: [UInt8]?
    /// The issuer's certificate in DER; nil for none.
    public var certificate: [UInt8]?
    /// The encoded unprotected header, instead of the identifier and the certificate.
    public var header: [UInt8]?
    /// A change of the signed object before it is signed.
    public var change: (@Sendable (inout [UInt8]) -> Void)?
    /// True for a digest that is not the element's.
    public var hasWrongDigest = false
    /// True for a signature that is not the issuer's.
    public var hasWrongSignature = false

    /// A document of `issuer` for the credential with the point `device`.
    ///
    /// - Throws: a failure of SHA-256.
    public init(_ issuer: P256PrivateKey, for device: [UInt8]?) throws(CryptoError) {
        (self.issuer, self.device) = (issuer, device)
        keyIdentifier = try AliroDocumentMaker.identifier(issuer.publicPoint.list)
    }

    /// The identifier of a key by its point.
    public static func identifier(_ point: [UInt8]) throws(CryptoError) -> [UInt8] {
        Array(try hash(Array("key-identifier".utf8) + point).prefix(8))
    }

    static func hash(_ octets: [UInt8]) throws(CryptoError) -> [UInt8] {
        let digest = try SHA256.hash(octets.span)
        return digest.indices.map { digest[$0] }
    }

    /// The document in CBOR, as a phone delivers it.
    ///
    /// - Throws: a failure of the signature.
    public var document: [UInt8] {
        get throws(CryptoError) {
            let plain = EncodedItem.map([
                ("1", 0), ("2", .octets(.init(repeating: 0x5A, count: 32))), ("3", .text(element)), ("4", value),
            ])
            let item = EncodedItem.tagged(24, .octets(plain.encoding))
            var digest = try AliroDocumentMaker.hash(item.encoding)
            if hasWrongDigest { digest[0] ^= 1 }
            var object = object(digest).encoding
            change?(&object)
            let signed = try signature(EncodedItem.tagged(24, .octets(object)).encoding)
            let elements = EncodedItem.map([(.text(type), .array(hasElements ? [item] : []))])
            let content = EncodedItem.map([("1", elements), ("2", .array(signed))])
            return EncodedItem.map([("1", content), ("5", .text(outerType ?? type))]).encoding
        }
    }

    private func object(_ digest: [UInt8]) -> EncodedItem {
        var validity: [(EncodedItem, EncodedItem)] = [
            ("1", .tagged(0, .text(signed))), ("2", .tagged(0, .text(validFrom))), ("3", .tagged(0, .text(validUntil))),
        ]
        if let iteration { validity.append(("5", .integer(iteration))) }
        var object: [(EncodedItem, EncodedItem)] = [
            ("1", "1.0"), ("2", "SHA-256"), ("3", .map([(.text(type), .map([(0, .octets(digest))]))])),
        ]
        if let device {
            let key = EncodedItem.map([
                (1, 2), (-1, 1), (-2, .octets(Array(device[1..<33]))), (-3, .octets(Array(device[33...]))),
            ])
            object.append((.text("4"), .map([(.text("1"), key)])))
        }
        return .map(object + [("5", .text(signedType ?? type)), ("6", .map(validity)), ("7", .boolean(needsTime))])
    }

    /// COSE_Sign1 (RFC 9052, 4.2).
    private func signature(_ payload: [UInt8]) throws(CryptoError) -> [EncodedItem] {
        let protected = EncodedItem.map([(1, -7)]).encoding
        let structure = EncodedItem.array(["Signature1", .octets(protected), .octets([]), .octets(payload)]).encoding
        var signature = try issuer.rawSignature(structure.span)
        if hasWrongSignature { signature[63] ^= 1 }
        var names: [(EncodedItem, EncodedItem)] = []
        if let keyIdentifier { names.append((4, .octets(keyIdentifier))) }
        if let certificate { names.append((33, .octets(certificate))) }
        return [
            .octets(protected), header.map { .encoded($0) } ?? .map(names), .octets(payload), .octets(signature),
        ]
    }

    /// A phone's answer with documents: a DeviceResponse. Without a document, the list is omitted.
    public static func response(_ documents: [[UInt8]]) -> [UInt8] {
        let list: [(EncodedItem, EncodedItem)] =
            documents.isEmpty ? [] : [("2", .array(documents.map { .encoded($0) }))]
        return EncodedItem.map([("1", "1.0")] + list + [("3", 0)]).encoding
    }

    /// An X.509 certificate (RFC 5280, 4.1) of the issuer's key by `authority`, with times as UTCTime.
    public static func certificate(
        of issuer: P256PrivateKey, by authority: P256PrivateKey, from: String = "250101000000Z",
        until: String = "350101000000Z"
    ) throws(CryptoError) -> [UInt8] {
        // ecdsa-with-SHA256 (RFC 5758, 3.2), commonName.
        let algorithm = DER.element(.sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let attribute = DER.element(
            .sequence, DER.identifier([0x55, 0x04, 0x03]), DER.element(.utf8String, Array("Issuer".utf8)))
        let name = DER.element(.sequence, DER.element(.set, attribute))
        let validity = DER.element(
            .sequence, DER.element(.utcTime, Array(from.utf8)), DER.element(.utcTime, Array(until.utf8)))
        let signedPart = DER.element(
            .sequence, DER.element(.explicit0, DER.integer([2])), DER.integer([1]), algorithm, name, validity, name,
            issuer.publicKey.der())
        var signature: [UInt8] = []
        try authority.sign(signedPart.span, into: &signature)
        return DER.element(.sequence, signedPart, algorithm, DER.bits(signature))
    }
}
