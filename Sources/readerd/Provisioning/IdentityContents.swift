// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Octets
import Reader
import Timekeeping

/// The contents of an identity's files, to be written. The key's octets are overwritten at deinitialisation.
final class IdentityContents {
    var deviceID: String
    var serialNumber: String
    /// The terminal key, for its public key.
    private(set) var terminalKey: any HeldPrivateKey
    private var terminalKeyFile: [UInt8]
    /// The backend's keys for tokens.
    var signatureKeys = BackendKeys()
    /// The backend's keys for orders.
    var commandKeys = BackendKeys()
    var door: ProvisionedDoor?

    /// Creates an identity with a new terminal key.
    init(deviceID: String, serialNumber: String, signatureKey: P256PublicKey?, door: ProvisionedDoor?)
        throws(ReaderdError)
    {
        let made = try TerminalKeys.store.make()
        (self.deviceID, self.serialNumber) = (deviceID, serialNumber)
        (terminalKey, terminalKeyFile) = (made.key, made.contents)
        (signatureKeys.current, self.door) = (signatureKey, door)
    }

    /// Reads the identity in `state`, which may lack the signature key.
    ///
    /// - Throws: An error without one.
    init(from state: StateDirectory) throws(ReaderdError) {
        let place = try IdentityDirectory.current(in: state)
        let contents = try IdentityFiles.read(place)
        guard let id = contents[.deviceID], let key = contents[.terminalKey] else {
            throw .failed(
                "\(state.path): no identity; make one: readerd provision --state \(state.path)")
        }
        deviceID = IdentityFiles.line(id.octets)
        guard IdentityFiles.isDeviceID(deviceID) else {
            throw .failed("\(place.file(IdentityFiles.File.deviceID.rawValue)): not a device id")
        }
        serialNumber =
            contents[.serialNumber].map { IdentityFiles.line($0.octets) } ?? IdentityContents.freshSerial()
        let path = place.file(IdentityFiles.File.terminalKey.rawValue)
        terminalKey = try TerminalKeys.store.key(in: key, path: path)
        terminalKeyFile = key.octets
        door = try ProvisionedDoor.load(from: state)
        for kind in BackendKeyKind.allCases { self[kind] = try IdentityFiles.keys(kind, contents, in: place) }
    }

    deinit { wipe() }

    /// The back end's keys of a kind.
    subscript(kind: BackendKeyKind) -> BackendKeys {
        get {
            switch kind {
            case .signature: signatureKeys
            case .command: commandKeys
            }
        }
        set {
            switch kind {
            case .signature: signatureKeys = newValue
            case .command: commandKeys = newValue
            }
        }
    }

    /// True if `state` contains any part of an identity, valid or not.
    static func exists(in state: StateDirectory) throws(ReaderdError) -> Bool {
        let place = try IdentityDirectory.current(in: state)
        if place.path != state.path { return true }
        let names = try state.names()
        return IdentityFiles.File.allCases.contains { names.contains($0.rawValue) }
    }

    /// Replaces the terminal key with a new one.
    func replaceTerminalKey() throws(ReaderdError) {
        wipe()
        let made = try TerminalKeys.store.make()
        (terminalKey, terminalKeyFile) = (made.key, made.contents)
    }

    /// Writes the identity instead of the present one.
    func write(
        to state: StateDirectory, watcher: IdentityDirectory.Watcher = { _ in }
    ) throws(ReaderdError) {
        var files: [(file: IdentityFiles.File, octets: [UInt8])] = [
            (.deviceID, Array("\(deviceID)\n".utf8)), (.serialNumber, Array("\(serialNumber)\n".utf8)),
            (TerminalKeys.store.file, terminalKeyFile),
        ]
        for kind in BackendKeyKind.allCases {
            let keys = self[kind]
            if let key = keys.current { files.append((kind.file, try IdentityContents.pem(key))) }
            if let old = keys.retiring {
                let octets = RetiringKeyFile.octets(try IdentityContents.pem(old.key), until: old.until)
                files.append((kind.retiringFile, octets))
            }
        }
        if let door { files.append((.door, Array(door.text.utf8))) }
        try IdentityDirectory.replace(in: state, with: files, watcher: watcher)
    }

    private func wipe() { wipeSecret(&terminalKeyFile) }

    private static func pem(_ key: P256PublicKey) throws(ReaderdError) -> [UInt8] {
        do throws(CryptoError) { return try key.pem() } catch {
            throw .failed("libcrypto cannot encode a public key: install a libcrypto with P-256")
        }
    }

    /// Returns eight random letters and digits, the form of published ids.
    static func freshDeviceID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var random = SystemRandomSource()
        var id: [UInt8] = []
        while id.count < ReaderIdentity.deviceIDCount {
            // The values below 248, a multiple of 62, so that all characters are equally likely.
            for octet in random.octets(1) where octet < 248 { id.append(alphabet[Int(octet) % alphabet.count]) }
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// Returns 20 random hexadecimal digits.
    static func freshSerial() -> String {
        var random = SystemRandomSource()
        return Hexadecimal.text(random.octets(ReaderIdentity.serialNumberCount / 2))
    }
}
