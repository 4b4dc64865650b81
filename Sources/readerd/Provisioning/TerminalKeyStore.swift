import Crypto

/// The store of a reader's terminal key.
///
/// One that keeps it in a TPM or behind PKCS#11 makes the key there, and puts into the identity only what names it.
/// There is none yet but the file.
protocol TerminalKeyStore {
    /// The identity's file that tells of a key kept so.
    var file: IdentityFiles.File { get }

    /// The key that `contents`, the file at `path`, tells of.
    func key(in contents: FileContents, path: String) throws(ReaderdError) -> any HeldPrivateKey

    /// Makes a key; what is to stand in the file. Whoever takes it wipes it.
    func make() throws(ReaderdError) -> (key: any HeldPrivateKey, contents: [UInt8])
}

/// The key in a file, unencrypted.
struct FileKeyStore: TerminalKeyStore {
    var file: IdentityFiles.File { .terminalKey }

    func key(in contents: FileContents, path: String) throws(ReaderdError) -> any HeldPrivateKey {
        let octets = contents.octets
        let key = try FileKeyStore.key(octets.span, path: path)
        return key
    }

    private static func key(_ pem: Span<UInt8>, path: String) throws(ReaderdError) -> P256PrivateKey {
        do throws(CryptoError) { return try P256PrivateKey(pem: pem) } catch {
            throw .failed("\(path): is not a private key on P-256 in unencrypted PEM (\(error))")
        }
    }

    func make() throws(ReaderdError) -> (key: any HeldPrivateKey, contents: [UInt8]) {
        do throws(CryptoError) {
            let key = try P256PrivateKey.generate()
            return (key, try key.pem())
        } catch {
            throw .failed("libcrypto makes no key: is it built without P-256?")
        }
    }
}

/// The store of terminal keys in this firmware.
enum TerminalKeys {
    /// The one store that there is.
    static var store: any TerminalKeyStore { FileKeyStore() }
}
