// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport

/// A fabric of a test: a root that issues certificates to nodes.
struct TestFabric {
    let id: FabricID
    let rootKey: P256PrivateKey
    let root: OperationalCertificate
    let groupKey: [UInt8]
    private let rootName: [(UInt8, UInt64)]

    init(_ id: FabricID = 0xFAB1, key: UInt8 = 7) throws {
        self.id = id
        let scalar = [UInt8](repeating: key, count: 32)
        rootKey = try P256PrivateKey(scalar: scalar.span)
        groupKey = [UInt8](repeating: key, count: 16)
        rootName = [(20, UInt64(key))]
        root = try TestFabric.certificate(
            subject: rootName, issuer: rootName, point: octets(rootKey.publicPoint.octets), signer: rootKey,
            isRoot: true)
    }

    /// A node's certificate.
    func certificate(
        node: NodeID, key: P256PrivateKey, tags: [CASEAuthenticatedTag] = [], fabric: FabricID? = nil,
        notAfter: UInt32 = 0
    ) throws -> OperationalCertificate {
        try certificate(
            node: node, point: octets(key.publicPoint.octets), tags: tags, fabric: fabric, notAfter: notAfter)
    }

    /// A certificate for a node's public key of 65 octets.
    func certificate(
        node: NodeID, point: [UInt8], tags: [CASEAuthenticatedTag] = [], fabric: FabricID? = nil, notAfter: UInt32 = 0
    ) throws -> OperationalCertificate {
        var subject: [(UInt8, UInt64)] = [(17, node.rawValue), (21, (fabric ?? id).rawValue)]
        subject += tags.map { (22, UInt64($0.rawValue)) }
        return try TestFabric.certificate(
            subject: subject, issuer: rootName, point: point, signer: rootKey, isRoot: false,
            notAfter: notAfter)
    }

    /// An identity of the node under test.
    func identity(index: FabricIndex = 1, node: NodeID = 0x1001, key: UInt8 = 0x21) throws -> OperationalIdentity {
        let scalar = [UInt8](repeating: key, count: 32)
        let key = try P256PrivateKey(scalar: scalar.span)
        return try OperationalIdentity(
            index: index, root: root, intermediate: nil, node: certificate(node: node, key: key), groupKey: groupKey,
            key: key)
    }

    private static func certificate(
        subject: [(UInt8, UInt64)], issuer: [(UInt8, UInt64)], point: [UInt8], signer: P256PrivateKey,
        isRoot: Bool, notAfter: UInt32 = 0
    ) throws -> OperationalCertificate {
        func tlv(_ signature: [UInt8]) -> [UInt8] {
            var writer = TLVWriter()
            writer.structure(as: .anonymous) { certificate in
                certificate.octets([1], as: 1)
                certificate.unsigned(1 as UInt8, as: 2)
                certificate.list(as: 3) { for (tag, value) in issuer { $0.unsigned(value, as: .context(tag)) } }
                certificate.unsigned(1 as UInt32, as: 4)
                certificate.unsigned(notAfter, as: 5)
                certificate.list(as: 6) { for (tag, value) in subject { $0.unsigned(value, as: .context(tag)) } }
                certificate.unsigned(1 as UInt8, as: 7)
                certificate.unsigned(1 as UInt8, as: 8)
                certificate.octets(point, as: 9)
                certificate.list(as: 10) { extensions in
                    extensions.structure(as: 1) { $0.bool(isRoot, as: 1) }
                    extensions.unsigned(isRoot ? 0x60 : 1 as UInt8, as: 2)
                    if !isRoot {
                        extensions.array(as: 3) { purposes in
                            purposes.unsigned(2 as UInt8, as: .anonymous)
                            purposes.unsigned(1 as UInt8, as: .anonymous)
                        }
                    }
                    extensions.octets(keyIdentifier(point), as: 4)
                    extensions.octets(keyIdentifier(octets(signer.publicPoint.octets)), as: 5)
                }
                certificate.octets(signature, as: 11)
            }
            return writer.octets
        }
        let draft = try OperationalCertificate(tlv: tlv([UInt8](repeating: 1, count: 64)))
        let signed = draft.toBeSigned()
        return try OperationalCertificate(tlv: tlv(signer.rawSignature(signed.span)))
    }

    private static func keyIdentifier(_ point: [UInt8]) -> [UInt8] { Array(point[1..<21]) }
}
