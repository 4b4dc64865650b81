// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Crypto
internal import Timekeeping

/// A COSE_Sign1 object (RFC 9052, 4.2) with ECDSA on P-256 and SHA-256.
struct AliroSignedObject {
    private let protected: [UInt8]
    private let signature: [UInt8]
    let payload: [UInt8]
    /// The identifier of the issuer's key (label 4).
    let keyIdentifier: [UInt8]?
    /// The issuer's certificate, the first of the chain (label 33; RFC 9360, 2).
    let certificate: [UInt8]?

    init(_ node: CBORNode) throws(AliroDocumentFault) {
        // Tag 18 is optional.
        guard let fields = (node.tagged(18) ?? node).array, fields.count == 4, let protected = fields[0].octets,
            let unprotected = fields[1].map, let payload = fields[2].octets, let signature = fields[3].octets
        else { throw .format }
        guard let header = try? CBORNode(decoding: protected.span), header.map?.count == 1, header[1]?.integer == -7
        else { throw .content }
        self.protected = protected
        self.payload = payload
        self.signature = signature
        if let node = unprotected[.integer(4)] {
            guard let octets = node.octets else { throw .format }
            keyIdentifier = octets
        } else {
            keyIdentifier = nil
        }
        if let node = unprotected[.integer(33)] {
            guard let octets = node.octets ?? node.array?.first?.octets else { throw .format }
            certificate = octets
        } else {
            certificate = nil
        }
    }

    func isSigned(by key: P256PublicKey) -> Bool {
        let structure = CBORValue.array([.text("Signature1"), .octets(protected), .octets([]), .octets(payload)])
        var octets: [UInt8] = []
        // Both are parts of a bounded response.
        guard (try? structure.encode(limit: 2 * AliroExchange.maximumResponse, into: &octets)) != nil else {
            return false
        }
        return key.isValid(rawSignature: signature.span, for: octets.span)
    }
}

/// The trusted issuer of a document.
struct AliroIssuer {
    let key: P256PublicKey
    /// The trusted point: the issuer's, or its certificate's authority's.
    let anchor: [UInt8]
    let certificate: AliroIssuerCertificate?

    var point: [UInt8] { [UInt8](inline: key.point.octets) }

    /// The issuer that the key identifier, the certificate, or both name.
    init(_ object: AliroSignedObject, trusting store: AliroStore, at moment: Moment) throws(AliroDocumentFault) {
        var named: AliroAnchor?
        if let identifier = object.keyIdentifier {
            named = store.anchors.first { $0.role == .issuer && $0.keyIdentifier == identifier }
            guard named != nil else { throw .issuer }
        }
        guard let octets = object.certificate else {
            guard let named, let key = try? P256PublicKey(point: named.point.span) else { throw .issuer }
            (self.key, anchor, certificate) = (key, named.point, nil)
            return
        }
        guard let certificate = AliroIssuerCertificate(octets) else { throw .format }
        let authority = store.anchors.first { anchor in
            anchor.role == .authority
                && (try? P256PublicKey(point: anchor.point.span)).map(certificate.isSigned) ?? false
        }
        guard let authority else { throw .issuer }
        key = certificate.key
        anchor = named?.point ?? authority.point
        self.certificate = certificate
        guard named.map({ $0.point == [UInt8](inline: certificate.key.point.octets) }) ?? true else { throw .issuer }
        if let now = moment.epochSeconds {
            guard now >= certificate.notBefore, !moment.isOver(certificate.notAfter) else { throw .time }
        }
    }
}
