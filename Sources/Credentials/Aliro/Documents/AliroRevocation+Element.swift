// SPDX-License-Identifier: Apache-2.0

internal import CBOR

extension AliroRevocation {
    init(_ element: [UInt8]) throws(AliroDocumentFault) {
        guard let node = try? CBORNode(decoding: element.span), node.map != nil else { throw .format }
        guard node[0]?.integer == 1, let mode = node[1]?.integer, mode == 0 || mode == 1 else { throw .content }
        self.init(isReplacing: mode == 0, added: try Self.digests(node[2]), removed: try Self.digests(node[3]))
    }

    private static func digests(_ node: CBORNode?) throws(AliroDocumentFault) -> [[UInt8]] {
        guard let node else { return [] }
        guard let entries = node.array else { throw .format }
        var digests: [[UInt8]] = []
        for entry in entries {
            guard let digest = entry[0]?.octets, digest.count == 32 else { throw .format }
            digests.append(digest)
        }
        return digests
    }
}

extension AliroIssuerChange {
    /// The content of a verified document.
    init(_ document: AliroDocument, _ revocation: AliroRevocation? = nil) {
        self.init(
            issuer: document.issuer.point, anchor: document.issuer.anchor, signed: document.signed,
            iteration: document.iteration, revocation: revocation)
    }
}
