// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import MatterTLV

/// The place of a certificate in a chain.
public enum CertificateRole: String, Equatable, Sendable {
    case node = "node"
    case intermediate = "intermediate"
    case root = "root"
}

/// A rule of a role that a certificate breaks.
public enum CertificateRule: String, Equatable, Sendable {
    case identifier = "exactly one identifier of its role in the subject, and none of another"
    case nodeRange = "a node identifier of the operational range"
    case fabric = "a fabric identifier other than 0"
    case tags = "at most three CASE authenticated tags, with different identifiers and versions from 1"
    case authority = "basic constraints of its role"
    case keyUsage = "the key usage of its role"
    case purposes = "server and client authentication as extended key usage"
    case keyIdentifiers = "identifiers of its key and of its issuer's"
    case selfIssued = "itself as issuer"
}

/// The reason to refuse an operational certificate or a chain.
public enum CertificateError: Error, Equatable, Sendable {
    /// The TLV is not a certificate.
    case malformed(TLVError)
    /// More than `OperationalCertificate.longest` octets.
    case tooLong(Int)
    /// Not ecdsa-with-SHA256 on prime256v1.
    case unsupportedAlgorithm
    /// A name with an unknown attribute.
    case unknownAttribute
    /// A name without attributes.
    case emptyName
    /// A name with more than `DistinguishedName.longest` attributes.
    case nameTooLong
    /// An extension that is unknown, repeated or has an invalid value.
    case `extension`(UInt8)
    /// An unknown critical extension.
    case criticalExtension
    /// A certificate that violates the profile of its role.
    case profile(CertificateRole, CertificateRule)
    /// The issuer's name or key identifier is not the next certificate's.
    case issuer(CertificateRole)
    /// The root allows no intermediate.
    case pathTooLong
    /// The fabric differs from the node's.
    case fabric(CertificateRole)
    /// The clock has not reached the validity.
    case notYetValid(CertificateRole)
    /// The validity ended.
    case expired(CertificateRole)
    /// The issuer did not sign it.
    case signature(CertificateRole)
    /// The private key does not match the node's certificate.
    case keyMismatch
    /// The length of the identity protection key is not 16 octets.
    case groupKeyLength
    /// A primitive failed.
    case cryptography(CryptoError)
}

extension CertificateError: CustomStringConvertible {
    /// The reason in one line.
    public var description: String {
        switch self {
        case .malformed(let error): "the certificate's TLV is invalid: \(error)"
        case .tooLong(let count):
            "the certificate has \(count) octets, more than \(OperationalCertificate.longest)"
        case .unsupportedAlgorithm: "the certificate is not for ECDSA with SHA-256 on P-256"
        case .unknownAttribute: "a name of the certificate has an unknown attribute"
        case .emptyName: "a name of the certificate is empty"
        case .nameTooLong: "a name of the certificate has more than \(DistinguishedName.longest) attributes"
        case .extension(let tag): "extension \(tag) of the certificate is unknown, repeated or invalid"
        case .criticalExtension: "the certificate has a critical extension that is unknown"
        case .profile(let role, let rule): "the \(role.rawValue) certificate lacks \(rule.rawValue)"
        case .issuer(let role): "the \(role.rawValue) certificate names another issuer than the next one of the chain"
        case .pathTooLong: "the root certificate allows no intermediate"
        case .fabric(let role): "the \(role.rawValue) certificate is for another fabric than the node's"
        case .notYetValid(let role): "the \(role.rawValue) certificate is not valid yet"
        case .expired(let role): "the \(role.rawValue) certificate has expired"
        case .signature(let role): "the signature of the \(role.rawValue) certificate is wrong"
        case .keyMismatch: "the private key does not belong to the node certificate"
        case .groupKeyLength: "the identity protection key has not 16 octets"
        case .cryptography(let error): "cryptography failed: \(error)"
        }
    }
}

/// The value of `body`, whose TLV error is thrown as `malformed`.
func reading<Value>(_ body: () throws(TLVError) -> Value) throws(CertificateError) -> Value {
    do { return try body() } catch { throw .malformed(error) }
}
