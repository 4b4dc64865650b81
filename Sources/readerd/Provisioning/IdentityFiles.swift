// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Crypto
import Glibc
import Reader
import Timekeeping

/// The identity in a state directory: in the subdirectory created by `readerd provision`, or, if installed by hand, in
/// the state directory itself.
enum IdentityFiles {
    /// The files of an identity.
    enum File: String, CaseIterable {
        /// 8 characters.
        case deviceID = "device-id"
        /// The reader's private key, PEM.
        case terminalKey = "terminal-key.pem"
        /// The backend's public key for tokens, PEM.
        case signatureKey = "signature-key.pem"
        /// The previous public key with the end of its validity.
        case retiringSignatureKey = "signature-key-old.pem"
        /// The back end's public key for orders, PEM.
        case commandKey = "command-key.pem"
        /// The previous public key for orders with the end of its validity.
        case retiringCommandKey = "command-key-old.pem"
        /// 20 hexadecimal digits.
        case serialNumber = "serial-number"
        /// The site and door numbers.
        case door = "door"

        /// The files that every identity has.
        static let necessary: [File] = [.deviceID, .terminalKey, .signatureKey]

        /// The maximum size of such a file in octets; a P-256 key in PEM has some 250.
        var maximumCount: Int {
            switch self {
            case .deviceID, .serialNumber, .door: 64
            case .terminalKey, .signatureKey, .retiringSignatureKey, .commandKey, .retiringCommandKey: 4096
            }
        }
    }

    /// Loads the identity from `state`; the demo identity if there is no part of one.
    static func load(from state: StateDirectory) throws(ReaderdError) -> ReaderIdentity {
        let place = try IdentityDirectory.current(in: state)
        return try load(read(place), from: place, of: state)
    }

    /// Loads the identity from the contents of its files, read from `place`. The files of `standIn` are not among them:
    /// its identifier and keys are used where they are necessary.
    static func load(
        _ contents: [File: FileContents], from place: StateDirectory, of state: StateDirectory,
        _ standIn: StandIn? = nil
    ) throws(ReaderdError) -> ReaderIdentity {
        let lacking = File.necessary.filter { contents[$0] == nil && standIn?.files.contains($0) != true }
        guard lacking.isEmpty else {
            guard contents.isEmpty, place.path == state.path, standIn == nil else {
                throw incomplete(contents, lacking, in: place, of: state)
            }
            return try demo()
        }
        let path = place.file(File.deviceID.rawValue)
        let id = try contents[.deviceID].map { file throws(ReaderdError) in try deviceID(file.octets, path: path) }
        let keyPath = place.file(File.terminalKey.rawValue)
        let terminalKey = try contents[.terminalKey].map { file throws(ReaderdError) in
            try TerminalKeys.store.key(in: file, path: keyPath)
        }
        let signatureKeys = try keys(.signature, contents, in: place)
        guard let id = id ?? standIn?.deviceID, let terminalKey = terminalKey ?? standIn?.terminalKey,
            let signatureKey = signatureKeys.current ?? standIn?.signatureKey
        else { throw incomplete(contents, lacking, in: place, of: state) }
        let serialPath = place.file(File.serialNumber.rawValue)
        let serial = try contents[.serialNumber].map { file throws(ReaderdError) in
            try serialNumber(file.octets, path: serialPath)
        }
        let commandKeys = try commandKeys(contents, in: place)
        do throws(StatusCode) {
            return try ReaderIdentity(
                deviceID: id, terminalKey: terminalKey, signatureKey: signatureKey,
                retiringSignatureKey: signatureKeys.retiring, serialNumber: serial, commandKeys: commandKeys)
        } catch {
            throw unusableID(path)
        }
    }

    /// The back end's keys of a kind.
    static func keys(
        _ kind: BackendKeyKind, _ contents: [File: FileContents], in place: StateDirectory
    ) throws(ReaderdError) -> BackendKeys {
        let current = try contents[kind.file].map { file throws(ReaderdError) in
            try publicKey(file.octets.span, path: place.file(kind.file.rawValue))
        }
        let retiring = try contents[kind.retiringFile].map { file throws(ReaderdError) in
            try RetiringKeyFile.parse(file.octets, path: place.file(kind.retiringFile.rawValue))
        }
        return BackendKeys(current: current, retiring: retiring)
    }

    private static func commandKeys(
        _ contents: [File: FileContents], in place: StateDirectory
    ) throws(ReaderdError) -> [CommandKey] {
        let keys = try keys(.command, contents, in: place)
        do throws(CryptoError) {
            var accepted: [CommandKey] = []
            if let current = keys.current { accepted.append(try CommandKey(current)) }
            if let old = keys.retiring { accepted.append(try CommandKey(old.key, until: old.until)) }
            return accepted
        } catch {
            throw .failed("libcrypto does not hash: install a libcrypto with SHA-256")
        }
    }

    /// Reads the parts of an identity, and checks that no other user could have changed them.
    /// The parts `omitted` are not read.
    static func read(
        _ place: StateDirectory, without omitted: Set<File> = []
    ) throws(ReaderdError) -> [File: FileContents] {
        var contents: [File: FileContents] = [:]
        for file in File.allCases where !omitted.contains(file) {
            contents[file] = try place.contents(of: file.rawValue, maximumCount: file.maximumCount)
        }
        // An incomplete identity is rejected later, regardless of its permissions.
        guard File.necessary.allSatisfy({ contents[$0] != nil || omitted.contains($0) }) else { return contents }
        for file in File.allCases { try checkPermissions(of: file, contents[file], in: place) }
        return contents
    }

    private static func demo() throws(ReaderdError) -> ReaderIdentity {
        do throws(StatusCode) { return try .demo() } catch {
            throw .failed("libcrypto refuses the demo identity: install a libcrypto with P-256")
        }
    }

    /// Rejects the published demo keys for a real lock.
    static func check(_ identity: ReaderIdentity, mayDrive settings: ReaderSettings) throws(ReaderdError) {
        guard identity.isDemo, settings.gpio.lines[.lock] != nil, !settings.allowsDemoIdentity else { return }
        throw .failed(
            "gpio.lock is a real lock, and the identity is the published demo identity, whose keys are public; make "
                + "an identity with readerd provision, or, on a bench only, set allow-demo-identity = true")
    }

    /// Parses a public key in PEM, from the file at `path`.
    static func publicKey(_ pem: Span<UInt8>, path: String) throws(ReaderdError) -> P256PublicKey {
        do throws(CryptoError) { return try P256PublicKey(pem: pem) } catch {
            throw .damaged(
                path, "is not a public key on P-256 in unencrypted PEM, which begins with -----BEGIN PUBLIC KEY-----")
        }
    }

    /// Parses the device id, without a line feed added by an editor. It is advertised, so a space is treated as an
    /// error.
    private static func deviceID(_ octets: [UInt8], path: String) throws(ReaderdError) -> String {
        let text = line(octets)
        guard isDeviceID(text) else { throw unusableID(path) }
        return text
    }

    /// True for a valid device id: printable ASCII without space.
    static func isDeviceID(_ text: String) -> Bool {
        text.utf8.count == ReaderIdentity.deviceIDCount && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    private static func serialNumber(_ octets: [UInt8], path: String) throws(ReaderdError) -> String {
        let text = line(octets)
        guard ReaderIdentity.isSerialNumber(text) else {
            throw .damaged(path, "needs exactly \(ReaderIdentity.serialNumberCount) hexadecimal digits")
        }
        return text
    }

    /// Returns a file's text, without a line feed added by an editor.
    static func line(_ octets: [UInt8]) -> String {
        String(decoding: octets.last == UInt8(ascii: "\n") ? octets.dropLast() : octets[...], as: UTF8.self)
    }

    private static func unusableID(_ path: String) -> ReaderdError {
        .damaged(path, "needs exactly \(ReaderIdentity.deviceIDCount) printable ASCII characters, without a space")
    }

    private static func checkPermissions(
        of file: File, _ contents: FileContents?, in place: StateDirectory
    ) throws(ReaderdError) {
        guard let contents else { return }
        let path = place.file(file.rawValue)
        if file == .terminalKey, contents.permissions & 0o077 != 0 {
            throw .failed("\(path): private key accessible to other users; run: chmod 600 \(path)")
        }
        guard contents.permissions & 0o022 == 0 else {
            throw .failed("\(path): writable by other users; run: chmod go-w \(path)")
        }
    }

    private static func incomplete(
        _ present: [File: FileContents], _ lacking: [File], in place: StateDirectory, of state: StateDirectory
    ) -> ReaderdError {
        if lacking == [.signatureKey], place.path != state.path {
            return .failed(
                "\(place.path): the backend's signature key is missing; give the backend the public key, then run: "
                    + "readerd provision --state \(state.path) --add-signature-key FILE")
        }
        // `readerd provision` writes all at once: a file that is not there was lost.
        if place.path != state.path, let lost = lacking.first {
            return .damaged(
                place.file(lost.rawValue), "missing; run: readerd reset, then readerd provision --state \(state.path)")
        }
        let missing = lacking.map(\.rawValue).joined(separator: " and ")
        let found = File.allCases.filter { present[$0] != nil }.map(\.rawValue).joined(separator: " and ")
        return .failed(
            "\(place.path): the identity lacks \(missing); add that, or remove \(found) for the demo identity"
        )
    }
}
