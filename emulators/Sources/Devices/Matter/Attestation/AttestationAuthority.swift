// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import MatterCredentials
public import MatterTLV

/// An attestation authority of the lab (PAA), which issues the sets for one product.
///
/// An app trusts it by its certificate; a second authority from the same key has the same name, so that the certificate
/// stays valid.
public struct AttestationAuthority: Sendable {
    /// The certificate of the PAA, X.509, for the trust store of an app.
    public let certificate: [UInt8]

    private let key: P256PrivateKey
    private static let name = AttestationCertificate.Name(commonName: "Lab PAA")

    /// The authority of a key.
    public init(key: P256PrivateKey) throws(CryptoError) {
        self.key = key
        certificate = try AttestationCertificate(
            subject: AttestationAuthority.name, issuer: AttestationAuthority.name, key: key.publicKey, pathLength: 1,
            serialNumber: [1]
        ).der(signedBy: key)
    }

    /// Issues the set for a product with new keys.
    public func issue(
        _ set: AttestationSet, vendor: VendorID, product: ProductID, deviceType: DeviceTypeID,
        random: inout some RandomSource
    ) throws(CryptoError) -> AttestationMaterial {
        let issue = AttestationIssue(
            kind: set, vendor: vendor.rawValue, product: product.rawValue, deviceType: deviceType.rawValue)
        // An unknown authority has the same name, but another key.
        let authorityKey = set == .paaUnknown ? try P256PrivateKey.generate() : key
        let (intermediateKey, deviceKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let namedKey = set == .paiOther ? try P256PrivateKey.generate() : intermediateKey
        var pai = AttestationCertificate(
            subject: issue.intermediateName, issuer: AttestationAuthority.name, key: namedKey.publicKey, pathLength: 0,
            serialNumber: [0x10] + random.octets(7))
        var dac = AttestationCertificate(
            subject: issue.deviceName, issuer: issue.intermediateName, key: deviceKey.publicKey, pathLength: nil,
            serialNumber: [0x10] + random.octets(7))
        if set == .paiExpired {
            pai.notAfter = X509.time("240201000000Z")
            dac.notBefore = X509.time("240301000000Z")
        }
        if set == .dacExpired { dac.notAfter = X509.time("240201000000Z") }
        if set == .dacEarly { dac.notBefore = X509.time("20900101000000Z") }
        var certificate = try dac.der(signedBy: intermediateKey)
        if set == .dacSignature { certificate[certificate.count - 1] ^= 1 }
        let attestation = DeviceAttestation(
            dac: certificate, pai: set == .paiMissing ? [] : try pai.der(signedBy: authorityKey),
            declaration: try issue.declaration(
                authority: X509.identifier(of: authorityKey.publicKey)),
            key: set == .dacKey ? try P256PrivateKey.generate() : deviceKey)
        return AttestationMaterial(
            set: set, attestation: attestation,
            basicInformationProduct: set == .basicProduct ? ProductID(rawValue: issue.otherProduct) : product)
    }
}

/// A device's attestation as issued, with the faults that its certificates do not show.
public struct AttestationMaterial: Sendable {
    /// The chosen set.
    public let set: AttestationSet
    /// The certificates, the declaration and the key.
    public let attestation: DeviceAttestation
    /// The product that Basic Information names.
    public let basicInformationProduct: ProductID

    /// The attestation elements for a request's nonce.
    public func elements(nonce: [UInt8], time: MatterTime?) -> [UInt8] {
        attestation.elements(nonce: set == .elementsNonce ? nonce.map { ~$0 } : nonce, time: time)
    }

    /// The signature over the attestation elements.
    public func signature(over elements: [UInt8], challenge: [UInt8]) throws(CryptoError) -> [UInt8] {
        try attestation.signature(over: elements, challenge: challenge)
    }

    /// The signature over the elements of a signing request.
    public func requestSignature(over elements: [UInt8], challenge: [UInt8]) throws(CryptoError) -> [UInt8] {
        try attestation.signature(over: set == .requestSignature ? elements + [0] : elements, challenge: challenge)
    }
}

/// The identifiers in a set's certificates and declaration.
private struct AttestationIssue {
    let kind: AttestationSet
    let vendor: UInt16
    let product: UInt16
    let deviceType: UInt32

    /// Another vendor for tests.
    private var otherVendor: UInt16 { vendor == 0xFFF2 ? 0xFFF3 : 0xFFF2 }
    /// Another product.
    var otherProduct: UInt16 { product &+ 1 }

    /// The vendor and product of the certificates.
    private var maker: (vendor: UInt16, product: UInt16) {
        kind == .goodOrigin ? (otherVendor, otherProduct) : (vendor, product)
    }

    var intermediateName: AttestationCertificate.Name {
        AttestationCertificate.Name(
            commonName: "Lab PAI", vendor: kind == .paiVendor ? otherVendor : maker.vendor,
            product: kind == .goodPAIProduct ? product : nil, isInCommonName: kind == .goodInName)
    }

    var deviceName: AttestationCertificate.Name {
        AttestationCertificate.Name(
            commonName: "Lab DAC", vendor: kind == .dacVendor ? otherVendor : maker.vendor,
            product: kind == .dacProduct ? otherProduct : maker.product, isInCommonName: kind == .goodInName)
    }

    func declaration(authority: [UInt8]) throws(CryptoError) -> [UInt8] {
        var declaration = CertificationDeclaration(
            vendor: kind == .declarationVendor ? otherVendor : vendor,
            products: [kind == .declarationProduct ? otherProduct : product], deviceType: deviceType)
        switch kind {
        case .goodOrigin: declaration.origin = .init(vendor: maker.vendor, product: maker.product)
        case .declarationOrigin: declaration.origin = .init(vendor: vendor, product: otherProduct)
        case .goodListedPAA: declaration.authorities = [authority]
        case .declarationUnlistedPAA: declaration.authorities = [[UInt8](repeating: 0, count: 20)]
        case .declarationFormat: declaration.formatVersion = 2
        default: break
        }
        var signer = try CertificationDeclaration.Signer.test()
        if kind == .declarationSigner {
            let key = try P256PrivateKey.generate()
            signer = .init(keyIdentifier: try X509.identifier(of: key.publicKey), key: key)
        }
        let signed = try declaration.signed(by: signer, isSpoiled: kind == .declarationSignature)
        return kind == .declarationCut ? signed.dropLast() : signed
    }
}
