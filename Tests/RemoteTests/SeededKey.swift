// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A key for tests whose signature is the SHA-256 of a secret and the message: equal in every run, unlike ECDSA's.
struct SeededKey: SignatureKey {
    /// The length of a signature in octets.
    static let count = 32

    let point: P256Point
    private let secret: [UInt8]

    init(_ seed: UInt8) throws {
        point = try P256Point(([4] + [UInt8](repeating: seed, count: P256Point.count - 1)).span)
        secret = [UInt8](repeating: seed, count: SeededKey.count)
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
        let covered = secret + message
        guard let digest = try? SHA256.hash(covered.span) else { return [] }
        return digest.indices.map { digest[$0] }
    }

    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        let own = sign(message.indices.map { message[$0] })
        return signature.count == own.count && own.indices.allSatisfy { own[$0] == signature[$0] }
    }
}
