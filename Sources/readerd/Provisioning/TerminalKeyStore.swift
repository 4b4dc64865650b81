// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The store of a reader's terminal key.
///
/// A store in a TPM or behind PKCS#11 would generate the key there, and put a reference to it into the identity. The
/// only implementation is the file.
protocol TerminalKeyStore {
    /// The identity's file with the key or the reference to it.
    var file: IdentityFiles.File { get }

    /// Returns the key for `contents`, read from the file at `path`.
    func key(in contents: FileContents, path: String) throws(ReaderdError) -> any HeldPrivateKey

    /// Generates a key. Returns it with the file's contents, which the caller has to wipe.
    func make() throws(ReaderdError) -> (key: any HeldPrivateKey, contents: [UInt8])
}

/// A store that keeps the key in a file, unencrypted.
struct FileKeyStore: TerminalKeyStore {
    var file: IdentityFiles.File { .terminalKey }

    func key(in contents: FileContents, path: String) throws(ReaderdError) -> any HeldPrivateKey {
        let octets = contents.octets
        let key = try FileKeyStore.key(octets.span, path: path)
        return key
    }

    private static func key(_ pem: Span<UInt8>, path: String) throws(ReaderdError) -> P256PrivateKey {
        do throws(CryptoError) { return try P256PrivateKey(pem: pem) } catch {
            throw .damaged(path, "is not a private key on P-256 in unencrypted PEM (\(error))")
        }
    }

    func make() throws(ReaderdError) -> (key: any HeldPrivateKey, contents: [UInt8]) {
        do throws(CryptoError) {
            let key = try P256PrivateKey.generate()
            return (key, try key.pem())
        } catch {
            throw .failed("libcrypto cannot generate a key: install a libcrypto with P-256")
        }
    }
}

/// The store of terminal keys in this firmware.
enum TerminalKeys {
    /// The only store.
    static var store: any TerminalKeyStore { FileKeyStore() }
}
