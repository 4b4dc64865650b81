// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import Octets
import Reader

/// The files of an Aliro reader in the state directory: its private key, made on the device, and its store.
struct AliroFiles {
    /// The private key in PEM, mode 0600; never shown.
    static let keyName = "aliro.key"
    /// The store, mode 0600; it has the persistent keys of phones.
    static let storeName = "aliro.store"
    /// Their names.
    static let names = [keyName, storeName]
    private static let storedKey = StoredKey(
        name: keyName, remedy: "restore a backup, or remove it and enrol the new key at all phones")

    let state: StateDirectory
    /// The name of the store's file.
    var store = AliroFiles.storeName
    /// The advice for a lost or damaged store.
    var storeRemedy = AliroFiles.localStoreRemedy

    /// The reader of the settings, with its key, which is made if there is none.
    func reader(_ settings: AliroSettings) throws(ReaderdError) -> AliroReader {
        guard let identifier = settings.identifier else { throw .failed("aliro.group and aliro.door are missing") }
        let key = if let key = try key() { key } else { try makeKey() }
        var reader = AliroReader(key: key, identifier: identifier, settings)
        guard let path = settings.certificate else { return reader }
        let certificate: AliroReaderCertificate
        do throws(ReaderdError) {
            certificate = try AliroFiles.certificate(path, issuer: settings.certificateIssuer)
        } catch { throw .failed("aliro.certificate: \(error)") }
        do throws(CardRefusal) { try reader.present(certificate) } catch {
            throw .failed(
                "aliro.certificate: \(path) certifies another key; have the point certified that readerd aliro shows")
        }
        return reader
    }

    /// A point as it is shown and written.
    static func text(_ point: P256Point) -> String {
        Hexadecimal.text(point.octets.indices.map { point.octets[$0] })
    }

    /// The key; nil if there is none.
    func key() throws(ReaderdError) -> P256PrivateKey? {
        try AliroFiles.storedKey.load(from: state)
    }

    /// Makes the key. Not if there is a store: its key was lost, and phones do not know another.
    func makeKey() throws(ReaderdError) -> P256PrivateKey {
        guard !state.has(AliroFiles.storeName) else {
            throw .failed(
                "\(state.file(AliroFiles.keyName)): missing; restore a backup, or remove "
                    + "\(state.file(AliroFiles.storeName)) and enrol a new key at all phones")
        }
        let key = try AliroFiles.storedKey.make(in: state)
        try makeStore(key)
        return key
    }

    /// Writes an empty store, which a reader with this key then binds to its place.
    func makeStore(_ key: P256PrivateKey) throws(ReaderdError) {
        let zeros = [UInt8](repeating: 0, count: AliroReader.Identifier.partCount)
        guard let nowhere = AliroReader.Identifier(group: zeros, sub: zeros) else { return }
        let store = AliroStore(binding: AliroReader(key: key, identifier: nowhere).binding)
        let octets: [UInt8]
        do throws(CryptoError) { octets = try store.octets() } catch {
            throw .failed("libcrypto cannot compute SHA-256")
        }
        try state.replace(AliroFiles.storeName, with: octets)
    }

    /// The store of the reader. A lost or damaged file is not replaced: it has the revocations of issuers, without
    /// which a revoked phone would open again.
    func loadStore() throws(ReaderdError) -> AliroStore {
        let path = state.file(store)
        let contents = try state.contents(of: store, maximumCount: AliroStore.maximumOctets)
        guard let contents else { throw .failed("\(path): missing; \(storeRemedy)") }
        guard contents.permissions & 0o077 == 0 else {
            throw .failed("\(path): accessible to other users; run: chmod 600 \(path)")
        }
        do throws(AliroStore.Damage) { return try AliroStore(octets: contents.octets.span) } catch {
            switch error {
            case .laterVersion: throw .damaged(path, "is of a later version of readerd; install that version again")
            case .damaged:
                throw .damaged(path, "is damaged; \(storeRemedy)")
            }
        }
    }

    private static let localStoreRemedy = """
        restore a backup, or run readerd aliro --empty-store: phones go through the standard phase again, and \
        revocations by documents are lost until a phone brings them
        """

    /// Reads the certificate of the reader's key.
    static func certificate(
        _ path: String, issuer: String?
    ) throws(ReaderdError) -> AliroReaderCertificate {
        guard let contents = try FileContents.read(path, maximumCount: AliroReaderCertificate.maximumCount) else {
            throw .failed("\(path): no such file; put the certificate of the reader there")
        }
        guard let issuer = issuer.flatMap({ AliroPointText($0) }) else {
            throw .failed("\(path): needs aliro.certificate-issuer")
        }
        do throws(CardRefusal) { return try AliroReaderCertificate(contents.octets, authority: issuer.key) } catch {
            throw .failed("\(path): is no reader certificate of profile 0000 (\(error.rawValue))")
        }
    }
}

extension AliroReader {
    /// A reader of this key and place, with the options of the settings.
    init(key: P256PrivateKey, identifier: Identifier, _ settings: AliroSettings) {
        self.init(key: key, identifier: identifier)
        isFastOffered = settings.isFast
        authentication = settings.authentication.requested
        element = settings.element
        mailbox = settings.mailbox
        actions = AliroDoor.actions
    }
}
