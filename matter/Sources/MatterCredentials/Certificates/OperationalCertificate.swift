// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import Octets

/// An operational certificate: TLV on the wire, signed as X.509.
///
/// The signature covers the TBSCertificate of the fields, which is never transmitted, so the DER is exact to the bit.
public struct OperationalCertificate: Equatable, Sendable {
    /// The maximum number of octets of the TLV.
    public static let longest = 400

    /// The certificate as transmitted.
    public let tlv: [UInt8]
    /// The content of the INTEGER.
    public let serialNumber: [UInt8]
    /// The name of the signer.
    public let issuer: DistinguishedName
    /// The first moment of validity.
    public let notBefore: MatterTime
    /// The last moment of validity; 0 for no end.
    public let notAfter: MatterTime
    /// The name of the holder.
    public let subject: DistinguishedName
    /// The holder's point on P-256, 65 octets.
    public let publicKey: [UInt8]
    /// The extensions.
    public let extensions: CertificateExtensions
    /// r ‖ s, 64 octets.
    public let signature: [UInt8]

    /// Reads all fields. Neither the signature nor the profile is verified, which `OperationalChain` does.
    public init(tlv: [UInt8]) throws(CertificateError) {
        guard tlv.count <= OperationalCertificate.longest else { throw .tooLong(tlv.count) }
        let fields = try reading { () throws(TLVError) in try CertificateFields(tlv) }
        guard fields.algorithms == [1, 1, 1] else { throw .unsupportedAlgorithm }
        guard !fields.serialNumber.isEmpty else { throw .malformed(.outOfRange(1)) }
        guard fields.publicKey[0] == 0x04 else { throw .malformed(.outOfRange(9)) }
        self.tlv = tlv
        serialNumber = fields.serialNumber
        issuer = try DistinguishedName(fields.issuer)
        notBefore = MatterTime(rawValue: fields.notBefore)
        notAfter = MatterTime(rawValue: fields.notAfter)
        subject = try DistinguishedName(fields.subject)
        publicKey = fields.publicKey
        extensions = try CertificateExtensions(fields.extensions)
        signature = fields.signature
    }

    /// The DER of the TBSCertificate (RFC 5280, 4.1), the octets that the issuer signed.
    public func toBeSigned() -> [UInt8] {
        DER.element(
            .sequence, DER.element(.explicit0, DER.element(.integer, [2])), DER.element(.integer, serialNumber),
            DER.element(.sequence, DER.identifier(ObjectIdentifier.ecdsaWithSHA256)), issuer.der,
            DER.element(.sequence, notBefore.der, notAfter.der), subject.der,
            P256PublicKey.subjectPublicKeyInfo(point: publicKey), extensions.der)
    }

    /// Returns true if the holder of `publicKey` (65 octets) signed this certificate.
    public func isSigned(by publicKey: [UInt8]) -> Bool {
        guard let key = try? P256PublicKey(point: publicKey.span) else { return false }
        let octets = toBeSigned()
        return key.isValid(rawSignature: signature.span, for: octets.span)
    }
}

/// The fields of a certificate in TLV.
private struct CertificateFields {
    let serialNumber: [UInt8]
    /// Of the signature and of the public key, and the curve.
    let algorithms: [UInt8]
    let issuer: TLVElement
    let notBefore: UInt32
    let notAfter: UInt32
    let subject: TLVElement
    let publicKey: [UInt8]
    let extensions: TLVElement
    let signature: [UInt8]

    init(_ tlv: [UInt8]) throws(TLVError) {
        let certificate = try TLVElement(tlv)
        let fields = try certificate.structure()
        serialNumber = try fields.required(1).octets(upTo: 20)
        algorithms = [
            try fields.required(2).unsigned(), try fields.required(7).unsigned(), try fields.required(8).unsigned(),
        ]
        issuer = try fields.required(3)
        notBefore = try fields.required(4).unsigned()
        notAfter = try fields.required(5).unsigned()
        subject = try fields.required(6)
        publicKey = try fields.required(9).octets(exactly: P256Point.count)
        extensions = try fields.required(10)
        signature = try fields.required(11).octets(exactly: 64)
        // Only the eleven known fields, control octet and end are permitted.
        let known = (1...11).reduce(2) { $0 + (fields[UInt8($1)]?.encoding.count ?? 0) }
        guard known == tlv.count else { throw .trailing(count: tlv.count - known) }
    }
}
