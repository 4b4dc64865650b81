// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import Glibc
import LockChannel
import Octets

/// The files of an Aliro reader that Matter provisions, in the state directory: its key with its place, the keys of
/// users, and its store. Each is replaced as a whole, mode 0600.
struct MatterAliroFiles {
    /// The private key and the identifiers; never shown.
    static let readerName = "aliro-matter.reader"
    /// The previous one, until it is overwritten.
    static let formerName = "aliro-matter.reader.old"
    /// The keys of users.
    static let keysName = "aliro-matter.keys"
    /// The store; it has the persistent keys of phones.
    static let storeName = "aliro-matter.store"
    /// Their names.
    static let names = [readerName, formerName, keysName, storeName]

    /// `ALIMRDR`, and the version of the format.
    private static let head: [UInt8] = Array("ALIMRDR".utf8) + [1]
    private static let scalarCount = 32
    private static let partCount = AliroReader.Identifier.partCount
    private static let count = head.count + scalarCount + 2 * partCount + 32

    let state: StateDirectory

    /// The files with the store.
    var files: AliroFiles {
        AliroFiles(
            state: state, store: MatterAliroFiles.storeName,
            storeRemedy: "restore a backup, or have the lock's app clear and set the reader's configuration: "
                + "revocations by documents are lost until a phone brings them")
    }

    // MARK: - The reader

    /// True if there is a configuration, also a damaged one.
    var hasReader: Bool { state.has(MatterAliroFiles.readerName) }

    /// The configured reader; nil before a configuration.
    func reader(_ settings: AliroSettings) throws(ReaderdError) -> AliroReader? {
        let path = state.file(MatterAliroFiles.readerName)
        guard
            let contents = try state.contents(of: MatterAliroFiles.readerName, maximumCount: MatterAliroFiles.count)
        else { return nil }
        guard contents.permissions & 0o077 == 0 else {
            throw .failed("\(path): key accessible to other users; run: chmod 600 \(path)")
        }
        guard let reader = MatterAliroFiles.reader(contents.octets, settings) else {
            throw .damaged(
                path, "is damaged; restore a backup, or have the lock's app clear and set the reader's configuration")
        }
        return reader
    }

    private static func reader(_ octets: [UInt8], _ settings: AliroSettings) -> AliroReader? {
        guard octets.count == count, octets.starts(with: head),
            let digest = try? SHA256.hash(octets.span.extracting(0..<count - 32)),
            constantTimeEqual(digest.span, octets.span.extracting(count - 32..<count))
        else { return nil }
        let (scalar, group) = (head.count, head.count + scalarCount)
        let (sub, end) = (group + partCount, group + 2 * partCount)
        guard let key = try? P256PrivateKey(scalar: octets.span.extracting(scalar..<group)),
            let identifier = AliroReader.Identifier(
                group: Array(octets[group..<sub]), sub: Array(octets[sub..<end]))
        else { return nil }
        return AliroReader(key: key, identifier: identifier, settings)
    }

    /// The octets of the file of a configuration.
    static func octets(of reader: LockAliroReader) throws(CryptoError) -> SecretOctets {
        // Written once into octets that do not move, so that no copy is left behind.
        var octets: [UInt8] = []
        octets.reserveCapacity(count)
        octets += head
        octets += reader.signingKey.octets
        octets += reader.group
        octets += reader.sub
        octets.append(try SHA256.hash(octets.span).span)
        return SecretOctets(octets)
    }

    /// Ends the configuration durably, and overwrites it.
    func endReader() throws(ReaderdError) {
        guard hasReader else { return }
        try state.rename(MatterAliroFiles.readerName, to: MatterAliroFiles.formerName)
        try state.synchronize()
        // It has ended. What cannot be overwritten now is at the next start.
        do throws(ReaderdError) { try wipeFormerReader() } catch {}
    }

    /// Overwrites what is left of an ended configuration, as after a power cut.
    func wipeFormerReader() throws(ReaderdError) { try state.wipe(MatterAliroFiles.formerName) }

    // MARK: - The keys

    /// The keys of users; none before the first.
    func keys() throws(ReaderdError) -> MatterKeys {
        let path = state.file(MatterAliroFiles.keysName)
        guard
            let contents = try state.contents(of: MatterAliroFiles.keysName, maximumCount: MatterKeys.maximumCount)
        else { return MatterKeys() }
        guard contents.permissions & 0o022 == 0 else {
            throw .failed("\(path): writable by other users; run: chmod 600 \(path)")
        }
        guard let keys = MatterKeys(file: contents.octets) else {
            throw .damaged(path, "is damaged; readerd-matter writes it again when it connects")
        }
        return keys
    }

    // MARK: - Writing

    /// Performs a write.
    func perform(_ write: AliroWrite) throws(ReaderdError) {
        switch write {
        case .store(let secret): try state.replace(MatterAliroFiles.storeName, with: secret.octets)
        case .reader(let secret): try state.replace(MatterAliroFiles.readerName, with: secret.octets)
        case .keys(let octets): try state.replace(MatterAliroFiles.keysName, with: octets)
        case .endReader: try endReader()
        }
    }
}

/// A write of a change of Matter.
enum AliroWrite {
    case store(SecretOctets)
    case reader(SecretOctets)
    case keys([UInt8])
    case endReader

    var isStore: Bool { if case .store = self { true } else { false } }
}
