// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
import TestSupport

/// Makes documents, valid ones and others.
struct DocumentMaker {
    var issuer: P256PrivateKey
    var type = "aliro-a"
    /// The types in the signed object, and of the document.
    var signedType: String?
    var outerType: String?
    var element = "matter1"
    var value = EncodedItem.map([(0, 1)])
    var hasElements = true
    /// The device key; nil without one.
    var device: [UInt8]?
    var signed = "2026-01-01T00:00:00Z"
    var validFrom = "2026-01-01T00:00:00Z"
    var validUntil = "2036-01-01T00:00:00Z"
    var iteration: Int?
    var needsTime = false
    var keyIdentifier: [UInt8]?
    var certificate: [UInt8]?
    var hasWrongDigest = false
    var hasWrongSignature = false

    init(_ issuer: P256PrivateKey, for device: [UInt8]?) {
        self.issuer = issuer
        self.device = device
        keyIdentifier = DocumentMaker.identifier([UInt8](issuer.publicPoint.octets))
    }

    static func identifier(_ point: [UInt8]) -> [UInt8] {
        Array(sha256(Array("key-identifier".utf8) + point).prefix(8))
    }

    var document: EncodedItem {
        let item = EncodedItem.tagged(
            24,
            .octets(
                EncodedItem.map([
                    ("1", 0), ("2", .octets(.init(repeating: 0x5A, count: 32))), ("3", .text(element)),
                    ("4", value),
                ]).encoding))
        var digest = sha256(item.encoding)
        if hasWrongDigest { digest[0] ^= 1 }
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
        object += [("5", .text(signedType ?? type)), ("6", .map(validity)), ("7", .boolean(needsTime))]
        let payload = EncodedItem.tagged(24, .octets(EncodedItem.map(object).encoding)).encoding
        return .map([
            (
                "1",
                .map([
                    ("1", .map([(.text(type), .array(hasElements ? [item] : []))])), ("2", .array(signature(payload))),
                ])
            ), ("5", .text(outerType ?? type)),
        ])
    }

    private func signature(_ payload: [UInt8]) -> [EncodedItem] {
        let protected = EncodedItem.map([(1, -7)]).encoding
        let structure = EncodedItem.array(["Signature1", .octets(protected), .octets([]), .octets(payload)]).encoding
        var signature = (try? issuer.rawSignature(structure.span)) ?? []
        if hasWrongSignature { signature[63] ^= 1 }
        var header: [(EncodedItem, EncodedItem)] = []
        if let keyIdentifier { header.append((4, .octets(keyIdentifier))) }
        if let certificate { header.append((33, .octets(certificate))) }
        return [.octets(protected), .map(header), .octets(payload), .octets(signature)]
    }

    /// An X.509 certificate of the issuer by `authority`.
    static func certificate(
        of issuer: P256PrivateKey, by authority: P256PrivateKey, from: String = "250101000000Z",
        until: String = "350101000000Z"
    ) -> [UInt8] {
        let algorithm = DER.element(.sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let name = DER.element(
            .sequence,
            DER.element(
                .set,
                DER.element(
                    .sequence, DER.identifier([0x55, 0x04, 0x03]), DER.element(.utf8String, Array("Issuer".utf8)))))
        let signedPart = DER.element(
            .sequence, DER.element(.explicit0, DER.integer([2])), DER.integer([1]), algorithm, name,
            DER.element(
                .sequence, DER.element(.utcTime, Array(from.utf8)), DER.element(.utcTime, Array(until.utf8))), name,
            issuer.publicKey.der())
        var signature: [UInt8] = []
        try? authority.sign(signedPart.span, into: &signature)
        return DER.element(.sequence, signedPart, algorithm, DER.bits(signature))
    }
}
