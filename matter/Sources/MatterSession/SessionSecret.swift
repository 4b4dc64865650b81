// SPDX-License-Identifier: Apache-2.0

package import Crypto

/// Secret octets that are stored once in memory, even if the value that holds them is copied, and wiped when the last
/// reference ends.
package final class SessionSecret: Sendable {
    // Written in deinit only, where no other reference exists.
    nonisolated(unsafe) private(set) var octets: [UInt8]

    /// Takes ownership of `octets`. The caller has to wipe any copies.
    package init(_ octets: consuming [UInt8]) { self.octets = octets }

    deinit { wipeSecret(&octets) }

    /// Overwrites a copy on the stack.
    static func wipe<let count: Int>(_ octets: inout InlineArray<count, UInt8>) {
        var span = octets.mutableSpan
        wipeSecret(&span)
    }

    /// The shared secret of a key and a peer's point.
    static func shared(by key: P256PrivateKey, with point: [UInt8]) throws(CryptoError) -> SessionSecret {
        // The call leaves copies of the secret on the stack.
        defer { wipeStack() }
        return try sharedWithResidue(by: key, with: point)
    }

    @inline(never)
    private static func sharedWithResidue(
        by key: P256PrivateKey, with point: [UInt8]
    ) throws(CryptoError) -> SessionSecret {
        var octets = try key.sharedSecret(with: point.span)
        defer { wipe(&octets) }
        return SessionSecret(octets.indices.map { octets[$0] })
    }

    /// Derives `count` octets with HKDF-SHA256.
    static func derive(
        count: Int, from inputKey: [UInt8], salt: [UInt8], info: String
    ) throws(CryptoError) -> SessionSecret {
        var octets = [UInt8](repeating: 0, count: count)
        let info = Array(info.utf8)
        var output = octets.mutableSpan
        try HKDFSHA256.derive(into: &output, inputKey: inputKey.span, salt: salt.span, info: info.span)
        return SessionSecret(octets)
    }
}

/// The keys of a session (Core 4.14.1.2, 4.14.2.6): initiator to responder, responder to initiator, attestation
/// challenge, 16 octets each. This node is the responder of every session.
package struct SessionKeys: Sendable {
    /// The total number of octets of the three.
    static let count = 48

    package let secret: SessionSecret

    /// The key of received messages.
    package var receiving: ArraySlice<UInt8> { secret.octets[0..<16] }
    /// The key of sent messages.
    package var sending: ArraySlice<UInt8> { secret.octets[16..<32] }
    /// The attestation challenge.
    var attestationChallenge: [UInt8] { Array(secret.octets[32..<48]) }

    /// The session keys of `inputKey` and `salt`.
    package init(inputKey: [UInt8], salt: [UInt8], info: String = "SessionKeys") throws(CryptoError) {
        secret = try SessionSecret.derive(count: SessionKeys.count, from: inputKey, salt: salt, info: info)
    }
}
