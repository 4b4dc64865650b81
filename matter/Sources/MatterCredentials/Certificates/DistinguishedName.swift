// SPDX-License-Identifier: Apache-2.0

public import MatterTLV
import Octets

/// The subject or issuer of an operational certificate: attributes in order, each in a separate set.
public struct DistinguishedName: Equatable, Sendable {
    /// The maximum number of attributes.
    public static let longest = 5

    /// One attribute.
    public enum Attribute: Equatable, Sendable {
        /// A text of X.520 or RFC 4519: TLV tag 1 to 16, 0x81 to 0x8F for a PrintableString.
        case text(tag: UInt8, String)
        /// An identifier of Matter.
        case identifier(Identifier, UInt64)
    }

    /// The identifiers of Matter by their TLV tags.
    public enum Identifier: UInt8, Sendable {
        case node = 17
        case firmwareSigning = 18
        case intermediate = 19
        case root = 20
        case fabric = 21
        case authenticatedTag = 22
        case vendorVerificationSigner = 23

        /// The hexadecimal digits of the value in X.509.
        var digits: Int { self == .authenticatedTag ? 8 : 16 }
    }

    /// The attributes in their order.
    public let attributes: [Attribute]

    init(_ element: TLVElement) throws(CertificateError) {
        var attributes: [Attribute] = []
        for member in try reading({ () throws(TLVError) in try element.orderedList() }) {
            guard attributes.count < DistinguishedName.longest else { throw .nameTooLong }
            attributes.append(try Attribute(member))
        }
        guard !attributes.isEmpty else { throw .emptyName }
        self.attributes = attributes
    }

    /// The values of the attributes of one kind.
    public func values(_ kind: Identifier) -> [UInt64] {
        attributes.compactMap { if case .identifier(kind, let value) = $0 { value } else { nil } }
    }

    /// The node, if there is exactly one attribute for it.
    public var nodeID: NodeID? { only(.node).map(NodeID.init(rawValue:)) }
    /// The fabric, if there is exactly one attribute for it.
    public var fabricID: FabricID? { only(.fabric).map(FabricID.init(rawValue:)) }
    /// The CASE authenticated tags in their order.
    public var authenticatedTags: [CASEAuthenticatedTag] {
        values(.authenticatedTag).map { CASEAuthenticatedTag(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    private func only(_ kind: Identifier) -> UInt64? {
        let values = values(kind)
        return values.count == 1 ? values[0] : nil
    }

    /// The RDNSequence.
    var der: [UInt8] {
        DER.element(.sequence, attributes.flatMap { DER.element(.set, DER.element(.sequence, $0.der)) })
    }
}

extension DistinguishedName.Attribute {
    /// The last octets of the object identifiers id-at of the texts with tags 1 to 15.
    private static let numbers: [UInt8] = [3, 4, 5, 6, 7, 8, 10, 11, 12, 41, 42, 43, 44, 46, 65]
    private static let domainComponent: UInt8 = 16
    private static let printable: UInt8 = 0x80

    init(_ member: TLVElement) throws(CertificateError) {
        guard case .context(let tag) = member.tag else { throw .unknownAttribute }
        if let identifier = DistinguishedName.Identifier(rawValue: tag) {
            let value = try reading { () throws(TLVError) in try member.unsigned(UInt64.self) }
            guard identifier != .authenticatedTag || value <= UInt32.max else {
                throw .malformed(.outOfRange(member.tag))
            }
            self = .identifier(identifier, value)
        } else {
            guard (1...16).contains(tag) || (0x81...0x8F).contains(tag) else { throw .unknownAttribute }
            self = .text(tag: tag, try reading { () throws(TLVError) in try member.text() })
        }
    }

    /// The type and the value.
    var der: [UInt8] {
        switch self {
        case .identifier(let kind, let value):
            DER.identifier(
                ObjectIdentifier.matter + [1, kind.rawValue - DistinguishedName.Identifier.node.rawValue + 1])
                + DER.element(.utf8String, Array(value.padded(to: kind.digits, radix: 16, uppercase: true).utf8))
        case .text(Self.domainComponent, let text):
            DER.identifier(ObjectIdentifier.domainComponent) + DER.element(.ia5String, Array(text.utf8))
        case .text(let tag, let text):
            DER.identifier(ObjectIdentifier.attribute + [Self.numbers[Int(tag & ~Self.printable) - 1]])
                + DER.element(tag & Self.printable != 0 ? .printableString : .utf8String, Array(text.utf8))
        }
    }
}
