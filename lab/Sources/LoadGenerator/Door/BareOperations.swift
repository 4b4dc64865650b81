// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto

/// The operations of libcrypto between the last octet of a token and the opening: key agreement, key derivation, tag
/// verification, decryption, signature verification. They use octets of the same lengths as in the session, and
/// nothing else.
struct BareOperations {
    private let terminal: P256PrivateKey
    private let phone: P256Point
    private let signer: P256PublicKey
    private let signed: [UInt8]
    private let signature: [UInt8]
    private var body: [UInt8]
    private let salt = [UInt8](repeating: 0x5A, count: 16)
    private let label = [UInt8](repeating: 0x4C, count: 23)
    private var agreed = [UInt8](repeating: 4, count: 65 + 32)

    /// The operations for this token.
    init(_ token: DoorTokens.Token) throws(CryptoError) {
        try self.init(tokenCount: token.octets.count, signed: token.signedCount)
    }

    /// The operations for a command token.
    static func ofPhone(_ tokens: DoorTokens) throws(LoadFault) -> BareOperations {
        do throws(CryptoError) { return try BareOperations(tokens.token(.command, 0)) } catch {
            throw .door("libcrypto refuses its work")
        }
    }

    /// The operations for a token of `count` octets, padding included, with `signed` signed octets.
    init(tokenCount count: Int, signed signedCount: Int) throws(CryptoError) {
        terminal = try P256PrivateKey.generate()
        phone = try P256PrivateKey.generate().publicPoint
        let backend = try P256PrivateKey.generate()
        signer = backend.publicKey
        let octets = [UInt8](repeating: 0x41, count: signedCount)
        var signature: [UInt8] = []
        try backend.sign(octets.span, into: &signature)
        (signed, self.signature) = (octets, signature)
        body = [UInt8](repeating: 0, count: (count + 15) / 16 * 16)
    }

    /// Performs the operations once. False if one failed, so that the measurement is invalid.
    mutating func run() -> Bool {
        do throws(CryptoError) {
            let secret = try terminal.sharedSecret(with: phone.octets.span)
            for index in secret.indices { agreed[phone.octets.count + index] = secret[index] }
            let keys: [96 of UInt8] = try HKDFSHA256.derive(inputKey: agreed.span, salt: salt.span, info: label.span)
            let tag = try HMACSHA256.authenticate(
                key: keys.span.extracting(16..<48), body.span, salt.span)
            var octets = body.mutableSpan
            try AES128CBC.decrypt(inPlace: &octets, key: keys.span.extracting(0..<16))
            return signer.isValid(signature: signature.span, for: signed.span) && tag.count == 32
        } catch {
            return false
        }
    }
}
