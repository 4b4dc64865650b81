// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import MatterTLV

/// A fabric of this node: certificates, the private key of the node's certificate, and derived values.
public struct OperationalIdentity: Sendable {
    /// The number of octets of an identity protection key.
    public static let groupKeyCount = 16

    /// The fabric in the table of this node.
    public let index: FabricIndex
    /// The trusted root of the fabric.
    public let root: OperationalCertificate
    /// The issuer of `node`; nil if the root issued it.
    public let intermediate: OperationalCertificate?
    /// The certificate of this node.
    public let node: OperationalCertificate
    /// The epoch key of the identity protection key, 16 octets.
    public let groupKey: [UInt8]
    /// The private key of the node's certificate.
    public let key: any HeldPrivateKey
    /// The fabric in the scope of the root.
    public let fabricID: FabricID
    /// This node in the fabric.
    public let nodeID: NodeID
    /// The compressed fabric identifier, 8 octets, which is distinct for fabrics of other roots with the same
    /// identifier.
    public let compressedFabricID: [UInt8]
    /// The operational identity protection key, 16 octets.
    public let operationalGroupKey: [UInt8]

    /// The identity of a verified chain.
    ///
    /// - Throws: `keyMismatch` if `key` does not match `node`; the faults of `node` against its profile.
    public init(
        index: FabricIndex, root: OperationalCertificate, intermediate: OperationalCertificate?,
        node: OperationalCertificate, groupKey: [UInt8], key: any HeldPrivateKey
    ) throws(CertificateError) {
        let identity = try node.nodeIdentity()
        guard let point = try? P256Point(node.publicKey.span), point == key.publicPoint else { throw .keyMismatch }
        guard groupKey.count == OperationalIdentity.groupKeyCount else { throw .groupKeyLength }
        self.index = index
        self.root = root
        self.intermediate = intermediate
        self.node = node
        self.groupKey = groupKey
        self.key = key
        fabricID = identity.fabric
        nodeID = identity.node
        do {
            compressedFabricID = try OperationalIdentity.compressedFabricID(
                rootPublicKey: root.publicKey, fabric: identity.fabric)
            operationalGroupKey = try OperationalIdentity.operationalKey(
                epochKey: groupKey, compressedFabricID: compressedFabricID)
        } catch {
            throw .cryptography(error)
        }
    }

    /// The root's point, 65 octets.
    public var rootPublicKey: [UInt8] { root.publicKey }

    /// The destination that an initiator names in Sigma1 to reach this node: 32 octets; empty, equal to no destination,
    /// if the library fails.
    public func destinationID(initiatorRandom: Span<UInt8>) -> [UInt8] {
        var target = root.publicKey
        for shift in 0..<8 { target.append(UInt8(truncatingIfNeeded: fabricID.rawValue >> (8 * UInt64(shift)))) }
        for shift in 0..<8 { target.append(UInt8(truncatingIfNeeded: nodeID.rawValue >> (8 * UInt64(shift)))) }
        guard
            let tag = try? HMACSHA256.authenticate(key: operationalGroupKey.span, initiatorRandom, target.span)
        else { return [] }
        return tag.indices.map { tag[$0] }
    }

    /// The compressed identifier of a fabric.
    ///
    /// - Parameter rootPublicKey: 65 octets.
    public static func compressedFabricID(
        rootPublicKey: [UInt8], fabric: FabricID
    ) throws(CryptoError) -> [UInt8] {
        let coordinates = Array(rootPublicKey.dropFirst())
        let salt = (0..<8).map { UInt8(truncatingIfNeeded: fabric.rawValue >> (56 - 8 * UInt64($0))) }
        return try derive(8, from: coordinates, salt: salt, info: "CompressedFabric")
    }

    /// The operational key of a group's epoch key.
    public static func operationalKey(
        epochKey: [UInt8], compressedFabricID: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try derive(16, from: epochKey, salt: compressedFabricID, info: "GroupKey v1.0")
    }

    private static func derive(
        _ count: Int, from key: [UInt8], salt: [UInt8], info: String
    ) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        let label = Array(info.utf8)
        try HKDFSHA256.derive(into: &span, inputKey: key.span, salt: salt.span, info: label.span)
        return output
    }
}
