// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The identity of a node in its verified certificate.
public struct NodeIdentity: Equatable, Sendable {
    /// The node in the fabric.
    public let node: NodeID
    /// The fabric in the scope of the root.
    public let fabric: FabricID
    /// The groups of administrators that the node belongs to.
    public let tags: [CASEAuthenticatedTag]
    /// The point on P-256, 65 octets.
    public let publicKey: [UInt8]

    /// The identity with these fields, unverified.
    public init(node: NodeID, fabric: FabricID, tags: [CASEAuthenticatedTag], publicKey: [UInt8]) {
        self.node = node
        self.fabric = fabric
        self.tags = tags
        self.publicKey = publicKey
    }
}

/// Verification of operational certificates up to a root.
public enum OperationalChain {
    /// Verifies a chain up to a trusted root.
    ///
    /// - Parameters:
    ///   - time: the time for checking the validity; nil to skip the check.
    ///   - isSynchronized: false for the last known good time, a lower bound of the time: certificates may begin later,
    ///     but must not have ended before.
    public static func verify(
        node: OperationalCertificate, intermediate: OperationalCertificate?, root: OperationalCertificate,
        at time: MatterTime?, isSynchronized: Bool = false
    ) throws(CertificateError) -> NodeIdentity {
        let identity = try node.nodeIdentity()
        try root.verifyRootProfile()
        if let intermediate {
            try intermediate.verifyIntermediateProfile()
            guard root.extensions.pathLength != 0 else { throw .pathTooLong }
            try node.verify(.node, issuedBy: intermediate)
            try intermediate.verify(.intermediate, issuedBy: root)
        } else {
            try node.verify(.node, issuedBy: root)
        }
        let chain = [(node, CertificateRole.node), (root, .root)] + (intermediate.map { [($0, .intermediate)] } ?? [])
        for (certificate, role) in chain {
            guard certificate.subject.fabricID.map({ $0 == identity.fabric }) ?? true else { throw .fabric(role) }
            if let time { try certificate.verifyValidity(role, at: time, isSynchronized: isSynchronized) }
        }
        guard node.isSigned(by: (intermediate ?? root).publicKey) else { throw .signature(.node) }
        guard intermediate?.isSigned(by: root.publicKey) ?? true else { throw .signature(.intermediate) }
        return identity
    }

    /// Verifies a root before it is trusted: its profile, and that it signed itself.
    public static func verify(root: OperationalCertificate) throws(CertificateError) {
        try root.verifyRootProfile()
        try root.verify(.root, issuedBy: root)
        guard root.isSigned(by: root.publicKey) else { throw .signature(.root) }
    }
}

extension OperationalCertificate {
    /// The identity of a certificate with the profile of a node.
    func nodeIdentity() throws(CertificateError) -> NodeIdentity {
        guard let node = subject.nodeID, has(onlyIdentifier: .node) else { throw .profile(.node, .identifier) }
        guard node.isOperational else { throw .profile(.node, .nodeRange) }
        guard let fabric = subject.fabricID, fabric != 0 else { throw .profile(.node, .fabric) }
        let tags = subject.authenticatedTags
        guard tags.count <= 3, Set(tags.map(\.identifier)).count == tags.count, tags.allSatisfy({ $0.version > 0 })
        else { throw .profile(.node, .tags) }
        guard extensions.isAuthority == false else { throw .profile(.node, .authority) }
        guard let usage = extensions.keyUsage, usage.contains(.digitalSignature),
            usage.isDisjoint(with: [.certificateSigning, .revocationListSigning])
        else { throw .profile(.node, .keyUsage) }
        let required = [
            CertificateExtensions.Purpose.serverAuthentication, CertificateExtensions.Purpose.clientAuthentication,
        ]
        guard let purposes = extensions.purposes, required.allSatisfy({ purposes.contains($0) }) else {
            throw .profile(.node, .purposes)
        }
        try verifyKeyIdentifiers(.node)
        return NodeIdentity(node: node, fabric: fabric, tags: tags, publicKey: publicKey)
    }

    func verifyRootProfile() throws(CertificateError) {
        guard has(onlyIdentifier: .root) else { throw .profile(.root, .identifier) }
        guard extensions.pathLength ?? 0 <= 1 else { throw .profile(.root, .authority) }
        try verifyAuthorityProfile(.root)
        guard issuer == subject else { throw .profile(.root, .selfIssued) }
    }

    func verifyIntermediateProfile() throws(CertificateError) {
        guard has(onlyIdentifier: .intermediate) else { throw .profile(.intermediate, .identifier) }
        try verifyAuthorityProfile(.intermediate)
    }

    private func verifyAuthorityProfile(_ role: CertificateRole) throws(CertificateError) {
        guard subject.values(.authenticatedTag).isEmpty else { throw .profile(role, .tags) }
        let fabrics = subject.values(.fabric)
        guard fabrics.isEmpty || fabrics.count == 1 && fabrics[0] != 0 else { throw .profile(role, .fabric) }
        guard extensions.isAuthority == true else { throw .profile(role, .authority) }
        guard extensions.keyUsage?.isSuperset(of: [.certificateSigning, .revocationListSigning]) == true else {
            throw .profile(role, .keyUsage)
        }
        try verifyKeyIdentifiers(role)
    }

    private func verifyKeyIdentifiers(_ role: CertificateRole) throws(CertificateError) {
        guard extensions.subjectKeyIdentifier != nil, extensions.authorityKeyIdentifier != nil else {
            throw .profile(role, .keyIdentifiers)
        }
    }

    /// True if the subject's only identifier of a role is this one.
    private func has(onlyIdentifier kind: DistinguishedName.Identifier) -> Bool {
        let roles: [DistinguishedName.Identifier] = [
            .node, .firmwareSigning, .intermediate, .root, .vendorVerificationSigner,
        ]
        return roles.allSatisfy { subject.values($0).count == ($0 == kind ? 1 : 0) }
    }

    func verify(_ role: CertificateRole, issuedBy authority: OperationalCertificate) throws(CertificateError) {
        guard issuer == authority.subject,
            extensions.authorityKeyIdentifier == authority.extensions.subjectKeyIdentifier
        else { throw .issuer(role) }
    }

    func verifyValidity(_ role: CertificateRole, at time: MatterTime, isSynchronized: Bool) throws(CertificateError) {
        guard !isSynchronized || notBefore <= time else { throw .notYetValid(role) }
        guard notAfter.rawValue == 0 || time <= notAfter else { throw .expired(role) }
    }
}
