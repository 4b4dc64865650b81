// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Octets

/// The extensions of an operational certificate in their order.
public struct CertificateExtensions: Equatable, Sendable {
    /// One extension.
    public enum Extension: Equatable, Sendable {
        case basicConstraints(isAuthority: Bool, pathLength: UInt8?)
        case keyUsage(KeyUsage)
        /// Purposes by their TLV numbers, 1 to 6.
        case extendedKeyUsage([UInt8])
        case subjectKeyIdentifier([UInt8])
        case authorityKeyIdentifier([UInt8])
        /// The DER of an unknown extension.
        case future([UInt8])

        /// The TLV tag.
        var tag: UInt8 {
            switch self {
            case .basicConstraints: 1
            case .keyUsage: 2
            case .extendedKeyUsage: 3
            case .subjectKeyIdentifier: 4
            case .authorityKeyIdentifier: 5
            case .future: 6
            }
        }
    }

    /// The uses of a key (RFC 5280, 4.2.1.3), bit 0 first.
    public struct KeyUsage: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt16
        /// The uses with these bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Signatures other than on certificates.
        public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
        /// Signatures on certificates.
        public static let certificateSigning = KeyUsage(rawValue: 1 << 5)
        /// Signatures on revocation lists.
        public static let revocationListSigning = KeyUsage(rawValue: 1 << 6)
        /// All defined uses.
        static let all = KeyUsage(rawValue: 0x1FF)
    }

    /// The numbers of the purposes of a node's key.
    enum Purpose {
        static let serverAuthentication: UInt8 = 1
        static let clientAuthentication: UInt8 = 2
    }

    /// The number of octets of a key identifier.
    static let keyIdentifierCount = 20

    /// The extensions in their order.
    public let all: [Extension]

    init(_ element: TLVElement) throws(CertificateError) {
        var all: [Extension] = []
        for member in try reading({ () throws(TLVError) in try element.orderedList() }) {
            let one = try Extension(member)
            guard one.tag == 6 || !all.contains(where: { $0.tag == one.tag }) else { throw .extension(one.tag) }
            all.append(one)
        }
        self.all = all
    }

    /// True for an authority; nil without the extension.
    public var isAuthority: Bool? { first { if case .basicConstraints(let value, _) = $0 { value } else { nil } } }
    /// The number of intermediates that may follow; nil for no limit.
    public var pathLength: UInt8? { first { if case .basicConstraints(_, let value?) = $0 { value } else { nil } } }
    /// The uses of the key; nil without the extension.
    public var keyUsage: KeyUsage? { first { if case .keyUsage(let value) = $0 { value } else { nil } } }
    /// The purposes of the key; nil without the extension.
    public var purposes: [UInt8]? { first { if case .extendedKeyUsage(let value) = $0 { value } else { nil } } }
    /// The identifier of the certificate's key.
    public var subjectKeyIdentifier: [UInt8]? {
        first { if case .subjectKeyIdentifier(let value) = $0 { value } else { nil } }
    }
    /// The identifier of the issuer's key.
    public var authorityKeyIdentifier: [UInt8]? {
        first { if case .authorityKeyIdentifier(let value) = $0 { value } else { nil } }
    }

    private func first<Value>(_ value: (Extension) -> Value?) -> Value? {
        for one in all { if let value = value(one) { return value } }
        return nil
    }

    /// The element [3] of the TBSCertificate.
    var der: [UInt8] { DER.element(.explicit3, DER.element(.sequence, all.flatMap(\.der))) }
}

extension CertificateExtensions.Extension {
    init(_ member: TLVElement) throws(CertificateError) {
        guard case .context(let tag) = member.tag else { throw .extension(0) }
        switch tag {
        case 1: self = try Self.basicConstraints(member)
        case 2:
            let usage = CertificateExtensions.KeyUsage(
                rawValue: try reading { () throws(TLVError) in try member.unsigned() })
            guard CertificateExtensions.KeyUsage.all.isSuperset(of: usage) else { throw .extension(tag) }
            self = .keyUsage(usage)
        case 3: self = try Self.extendedKeyUsage(member)
        case 4: self = .subjectKeyIdentifier(try Self.keyIdentifier(member))
        case 5: self = .authorityKeyIdentifier(try Self.keyIdentifier(member))
        case 6: self = .future(try Self.future(member))
        default: throw .extension(tag)
        }
    }

    private static func basicConstraints(_ member: TLVElement) throws(CertificateError) -> Self {
        let (isAuthority, pathLength) = try reading { () throws(TLVError) in
            let fields = try member.structure()
            return (try fields.required(1).bool(), try fields[2]?.unsigned(UInt8.self))
        }
        guard isAuthority || pathLength == nil else { throw .extension(1) }
        return .basicConstraints(isAuthority: isAuthority, pathLength: pathLength)
    }

    private static func extendedKeyUsage(_ member: TLVElement) throws(CertificateError) -> Self {
        let purposes = try reading { () throws(TLVError) in
            var purposes: [UInt8] = []
            for purpose in try member.array() { purposes.append(try purpose.unsigned()) }
            return purposes
        }
        guard !purposes.isEmpty, purposes.allSatisfy({ (1...6).contains($0) }) else { throw .extension(3) }
        return .extendedKeyUsage(purposes)
    }

    private static func keyIdentifier(_ member: TLVElement) throws(CertificateError) -> [UInt8] {
        try reading { () throws(TLVError) in
            try member.octets(exactly: CertificateExtensions.keyIdentifierCount)
        }
    }

    /// An unknown extension; a critical one is refused (RFC 5280, 4.2).
    private static func future(_ member: TLVElement) throws(CertificateError) -> [UInt8] {
        let octets = try reading { () throws(TLVError) in try member.octets() }
        guard let body = DER.content(of: .sequence, in: octets[...]),
            let identifier = DER.content(of: .objectIdentifier, in: body, isPrefix: true)
        else { throw .extension(6) }
        let rest = body[identifier.endIndex...]
        guard rest.first != DER.Tag.boolean.rawValue else { throw .criticalExtension }
        guard DER.content(of: .octetString, in: rest) != nil else { throw .extension(6) }
        return octets
    }

    /// The Extension.
    var der: [UInt8] {
        switch self {
        case .basicConstraints(let isAuthority, let pathLength):
            let path = pathLength.map { DER.element(.integer, $0 < 0x80 ? [$0] : [0, $0]) } ?? []
            return element(19, isCritical: true, DER.element(.sequence, isAuthority ? DER.true : [], path))
        case .keyUsage(let usage): return element(15, isCritical: true, DER.namedBits(usage.rawValue))
        case .extendedKeyUsage(let purposes):
            let identifiers = purposes.flatMap { purpose in
                // Five and six are id-kp 8 and 9.
                DER.identifier(ObjectIdentifier.keyPurpose + [purpose < 5 ? purpose : purpose + 3])
            }
            return element(37, isCritical: true, DER.element(.sequence, identifiers))
        case .subjectKeyIdentifier(let octets):
            return element(14, isCritical: false, DER.element(.octetString, octets))
        case .authorityKeyIdentifier(let octets):
            return element(35, isCritical: false, DER.element(.sequence, DER.element(.implicit0, octets)))
        case .future(let octets): return octets
        }
    }

    private func element(_ number: UInt8, isCritical: Bool, _ value: [UInt8]) -> [UInt8] {
        DER.element(
            .sequence, DER.identifier(ObjectIdentifier.extension + [number]), isCritical ? DER.true : [],
            DER.element(.octetString, value))
    }
}
