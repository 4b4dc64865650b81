// SPDX-License-Identifier: Apache-2.0

public import Commands
import Crypto
public import Fleet
import Glibc
import Octets
import System

/// A key that signs orders to readers: the private half in one file, and next to it the public half for readers.
public struct OrderKey {
    /// The name of the private file in its directory.
    static let privateName = "command-key.pem"
    /// The name of the public file in its directory.
    static let publicName = "command-key.pub.pem"

    private let key: P256PrivateKey
    /// The first octets of the SHA-256 of its SubjectPublicKeyInfo, DER.
    public let id: [UInt8]

    /// This key.
    init(_ key: P256PrivateKey) throws(CryptoError) {
        self.key = key
        let der = key.publicKey.der()
        let hash = try SHA256.hash(der.span)
        id = (0..<RemoteOrder.keyCount).map { hash[$0] }
    }

    /// The key in a private PEM file.
    init(path: String) throws(CommandError) {
        var pem = try FleetAuthority.read(path, isPrivate: true)
        defer { wipeSecret(&pem) }
        do throws(CryptoError) { try self.init(P256PrivateKey(pem: pem.span)) } catch {
            throw .misuse("\(path): is no key on P-256 in PEM without a passphrase (\(error))")
        }
    }

    /// Creates a key and its two files in a directory. Throws if a key exists, since readers have its public half.
    ///
    /// - Returns: the paths of the private and the public file.
    public static func make(in directory: String) throws(CommandError) -> (private: String, public: String) {
        let paths = ("\(directory)/\(privateName)", "\(directory)/\(publicName)")
        mkdir(directory, 0o700)
        for path in [paths.0, paths.1] where access(path, F_OK) == 0 {
            throw .misuse("\(path): there is a key already; name another directory")
        }
        var pem: [UInt8]
        let publicPEM: [UInt8]
        do throws(CryptoError) {
            let made = try P256PrivateKey.generate()
            (pem, publicPEM) = (try made.pem(), try made.publicKey.pem())
        } catch {
            throw .failed("no key could be made: \(error)")
        }
        defer { wipeSecret(&pem) }
        try CommandError.create(paths.0, with: pem)
        try CommandError.create(paths.1, with: publicPEM)
        chmod(paths.1, 0o644)
        return paths
    }

    /// An order's message: its body and the signature.
    public func message(_ order: RemoteOrder) throws(CommandError) -> [UInt8] {
        do {
            let body = try order.body()
            var signature: [UInt8] = []
            try key.sign(RemoteOrder.Signed.signedOctets(body).span, into: &signature)
            return try RemoteOrder.Signed.message(body, signature: signature)
        } catch {
            throw .failed("the order could not be signed: \(error)")
        }
    }
}
