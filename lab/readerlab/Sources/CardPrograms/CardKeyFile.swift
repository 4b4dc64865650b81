// SPDX-License-Identifier: Apache-2.0

import BackEnd
package import Commands
package import Crypto
import Octets
import System

/// Keys of cards in files that no other user may read.
package enum CardKeyFile {
    /// The key pair in a file (PEM); nil if it does not exist.
    private static func existing(_ path: String) throws(CommandError) -> P256PrivateKey? {
        do throws(CredentialError) {
            guard try CredentialStore.octets(path) != nil else { return nil }
            var pem = try CredentialStore.privateOctets(path)
            defer { wipeSecret(&pem) }
            do throws(CryptoError) { return try P256PrivateKey(pem: pem.span) } catch {
                throw CredentialError("\(path): is no key on P-256 in PEM without a passphrase (\(error))")
            }
        } catch { throw .misuse("\(error)") }
    }

    /// The key of an issuer of Aliro documents.
    static func issuer(_ path: String) throws(CommandError) -> P256PrivateKey {
        guard let key = try existing(path) else {
            throw .misuse("\(path): does not exist; make it with readerlab credentials aliro issuer \(path)")
        }
        return key
    }

    /// The key pair in a file (PEM), which is made if it does not exist.
    package static func pair(_ path: String) throws(CommandError) -> P256PrivateKey {
        if let key = try existing(path) { return key }
        var pem: [UInt8] = []
        defer { wipeSecret(&pem) }
        let key: P256PrivateKey
        do throws(CryptoError) {
            key = try P256PrivateKey.generate()
            pem = try key.pem()
        } catch { throw .failed("no key could be made: \(error)") }
        try CommandError.create(path, with: pem)
        return key
    }

    /// 04 ‖ X ‖ Y of a key.
    package static func point(_ key: P256PrivateKey) -> [UInt8] {
        let octets = key.publicPoint.octets
        return octets.indices.map { octets[$0] }
    }

    /// The 16 octets of an AES key: 32 hexadecimal digits in a file.
    package static func symmetric(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(CredentialError) {
            var text = try CredentialStore.privateOctets(path)
            defer { wipeSecret(&text) }
            let digits = text.lazy.filter { $0 != 0x20 && !(0x09...0x0D ~= $0) }
            guard let key = Hexadecimal.octets(digits: digits), key.count == 16 else {
                throw CredentialError("\(path): is no key; it has 32 hexadecimal digits")
            }
            return key
        } catch { throw .misuse("\(error)") }
    }
}
