// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Crypto

/// The revocation element of a document.
struct AliroRevocation {
    /// True if the entries replace the list (mode 0), false if they are added to it (mode 1).
    let isReplacing: Bool
    private let added: [[UInt8]]
    private let removed: [[UInt8]]

    init(_ element: [UInt8]) throws(AliroDocumentFault) {
        guard let node = try? CBORNode(decoding: element.span), node.map != nil else { throw .format }
        guard node[0]?.integer == 1, let mode = node[1]?.integer, mode == 0 || mode == 1 else { throw .content }
        isReplacing = mode == 0
        added = try Self.digests(node[2])
        removed = try Self.digests(node[3])
    }

    /// The list after this element: an entry that is added and removed is not in it.
    func applied(to revoked: Set<[UInt8]>) -> Set<[UInt8]> {
        (isReplacing ? [] : revoked).union(added).subtracting(removed)
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
