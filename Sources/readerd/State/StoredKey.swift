// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A private key in the state directory, made on the device: PEM, mode 0600, never shown.
struct StoredKey {
    /// The maximum size of a key in PEM.
    private static let maximumCount = 4096

    /// The key of the site for PKOC phones over Bluetooth LE. The doors of a site have the same one.
    static let pkocSite = StoredKey(
        name: "pkoc-site.key", remedy: "restore a backup, or copy it from another door of the site")

    let name: String
    /// The remedy for a damaged file.
    let remedy: String

    /// The key; nil if there is none.
    func load(from state: StateDirectory) throws(ReaderdError) -> P256PrivateKey? {
        let path = state.file(name)
        guard let contents = try state.contents(of: name, maximumCount: StoredKey.maximumCount) else { return nil }
        guard contents.permissions & 0o077 == 0 else {
            throw .failed("\(path): key accessible to other users; run: chmod 600 \(path)")
        }
        do throws(CryptoError) { return try P256PrivateKey(pem: contents.octets.span) } catch {
            throw .damaged(path, "is no private key; \(remedy)")
        }
    }

    /// Makes the key, and keeps it.
    func make(in state: StateDirectory) throws(ReaderdError) -> P256PrivateKey {
        let key: P256PrivateKey
        var pem: [UInt8]
        do throws(CryptoError) {
            key = try .generate()
            pem = try key.pem()
        } catch { throw .failed("libcrypto cannot generate a key: install a libcrypto with P-256") }
        defer { wipeSecret(&pem) }
        try state.replace(name, with: pem)
        return key
    }
}
