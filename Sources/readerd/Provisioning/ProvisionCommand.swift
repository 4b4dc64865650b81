// SPDX-License-Identifier: Apache-2.0

import Crypto
import JSON
import Octets
import Reader
import Timekeeping

/// `readerd provision`: creates the reader's identity, or changes its keys.
struct ProvisionCommand {
    let options: ProvisionOptions
    let console: Console
    /// Called after each step on the disk; for tests.
    var watcher: IdentityDirectory.Watcher = { _ in }

    /// Carries out the command. Returns the exit status.
    func perform() throws(ReaderdError) -> Int32 {
        // The operator's file is read with the operator's rights; the state directory with its owner's.
        guard options.areBare, let ask = console.ask else {
            let key = try namedKey.map { path throws(ReaderdError) in try readKey(path) }
            return try inState { state throws(ReaderdError) in try act(in: state, key) }
        }
        let dialogue = ProvisionDialogue(console: console, ask: ask)
        let named = try dialogue.signatureKey(readKey)
        return try inState { state throws(ReaderdError) in
            let options = try completed(by: dialogue, named?.path, in: state)
            try ProvisionCommand(options: options, console: console, watcher: watcher).act(in: state, named?.key)
        }
    }

    private func inState(_ act: (StateDirectory) throws(ReaderdError) -> Void) throws(ReaderdError) -> Int32 {
        let state = try StateDirectory(options.stateDirectory)
        let lock = try StateLock.acquire(state, for: .provision)
        defer { lock.release() }
        try act(state)
        return 0
    }

    private func act(in state: StateDirectory, _ key: P256PublicKey?) throws(ReaderdError) {
        switch options.action {
        case .make: try make(in: state, key)
        case .rotateTerminalKey: try rotateTerminalKey(in: state)
        case .replace(let kind, let path):
            if let key { try replace(kind, with: key, path, in: state) }
        }
    }

    /// The options by the answers: a new identity, or the signature key for an identity without one.
    private func completed(
        by dialogue: ProvisionDialogue, _ path: String?, in state: StateDirectory
    ) throws(ReaderdError) -> ProvisionOptions {
        guard try IdentityContents.exists(in: state) else {
            return try dialogue.newIdentity(in: state.path, hasKey: path != nil)
        }
        let present = try IdentityContents(from: state)
        guard let path, present.signatureKeys.current == nil else { throw refusal(state) }
        try dialogue.confirmAdding(path, to: present.deviceID)
        var adding = options
        adding.action = .replace(.signature, path: path)
        return adding
    }

    /// The path of the key given by the options.
    private var namedKey: String? {
        switch options.action {
        case .make, .rotateTerminalKey: options.signatureKey
        case .replace(_, let path): path
        }
    }

    // MARK: A new identity

    private func make(in state: StateDirectory, _ signatureKey: P256PublicKey?) throws(ReaderdError) {
        let exists = try IdentityContents.exists(in: state)
        guard options.isForced || !exists else { throw refusal(state) }
        var door: ProvisionedDoor?
        if let siteID = options.siteID, let doorID = options.doorID {
            door = ProvisionedDoor(siteID: siteID, doorID: doorID)
        }
        let contents = try IdentityContents(
            deviceID: options.deviceID ?? IdentityContents.freshDeviceID(),
            serialNumber: options.serialNumber ?? IdentityContents.freshSerial(), signatureKey: signatureKey, door: door
        )
        try contents.write(to: state, watcher: watcher)
        if exists {
            console.complain(
                "the previous identity and its keys are deleted: phones that trust it reject this reader, and its "
                    + "tokens no longer open it; the event log and the settings stay")
        }
        report(contents, state)
    }

    private func refusal(_ state: StateDirectory) -> ReaderdError {
        let id = (try? IdentityContents(from: state)).map { ", \($0.deviceID)" } ?? ""
        return .failed(
            "\(state.path): has an identity\(id); to change a key: --rotate-terminal-key or --add-signature-key; to "
                + "replace it, with all its tokens and phones' trust: --force-new-identity")
    }

    // MARK: Changing keys

    private func rotateTerminalKey(in state: StateDirectory) throws(ReaderdError) {
        let contents = try IdentityContents(from: state)
        try contents.replaceTerminalKey()
        try contents.write(to: state, watcher: watcher)
        console.complain(
            "new terminal key: phones need the public key from their backend; tokens stay valid")
        report(contents, state)
    }

    /// Replaces the key of a kind. A key of the other kind is refused: a leaked key for tokens must not order from
    /// afar, nor the reverse.
    private func replace(
        _ kind: BackendKeyKind, with key: P256PublicKey, _ path: String, in state: StateDirectory
    ) throws(ReaderdError) {
        let contents = try IdentityContents(from: state)
        for other in BackendKeyKind.allCases where other != kind && contents[other].contain(key) {
            throw .failed(
                "\(path): is a \(other.rawValue) key of this reader; tokens and orders need separate keys")
        }
        contents[kind].retiring = try retired(contents[kind], by: key, path, kind.rawValue)
        contents[kind].current = key
        try contents.write(to: state, watcher: watcher)
        report(contents, state)
    }

    /// The key that retires when `key` replaces the current one; nil for none.
    private func retired(
        _ keys: BackendKeys, by key: P256PublicKey, _ path: String, _ kind: String
    ) throws(ReaderdError) -> RetiringKey? {
        guard let current = keys.current else {
            guard options.oldKeyUntil == nil else {
                throw .usage("--old-key-until: this reader has no \(kind) key yet")
            }
            return nil
        }
        guard current.point != key.point else { throw .failed("\(path): already the \(kind) key of this reader") }
        guard let end = options.oldKeyUntil else {
            throw .usage(
                "specify the end of the present key: --old-key-until 2026-12-31, or --old-key-until now if it may "
                    + "be compromised")
        }
        if let older = keys.retiring {
            let until = LocalMinute.text(older.until)
            console.complain("the earlier key, valid until \(until), is no longer accepted")
        }
        switch end {
        case .now: return nil
        case .at(let until): return RetiringKey(current, until: until)
        }
    }

    /// Reads the backend's public key from the file at `path`.
    private func readKey(_ path: String) throws(ReaderdError) -> P256PublicKey {
        guard let contents = try FileContents.read(path, maximumCount: 1 << 14) else {
            throw .failed("\(path): no such file; name the backend's public key in PEM")
        }
        guard !String(decoding: contents.octets, as: UTF8.self).contains("PRIVATE KEY") else {
            // A site file of the backend, or a private key in PEM.
            let isSite = contents.octets.first == UInt8(ascii: "{")
            let extraction =
                isSite
                ? "readerlab credentials show \(path) --signature-key NAME" : "openssl pkey -in \(path) -pubout"
            throw .failed(
                "\(path): contains a private key; use its public key: \(extraction)")
        }
        let key = try IdentityFiles.publicKey(contents.octets.span, path: path)
        guard !ReaderIdentity.isPublished(key.point) else {
            throw .failed("\(path): published demo key: anyone could make tokens for this reader")
        }
        return key
    }

    // MARK: Output

    private func report(_ contents: IdentityContents, _ state: StateDirectory) {
        let record = ReaderRecord(contents)
        if options.isJSON { return console.print(record.json) }
        for line in record.lines { console.print(line) }
        if contents.signatureKeys.current == nil {
            console.complain(
                "give this to the backend, and add the backend's signature key before the first start: readerd "
                    + "provision --state \(state.path) --add-signature-key FILE")
        }
    }
}

/// A reader's record for a backend, without secrets.
struct ReaderRecord {
    private let deviceID: String
    private let serialNumber: String
    private let door: ProvisionedDoor?
    private let publicKeyPEM: String
    private let fingerprint: String
    private let signatureFingerprint: String?
    private let retiring: (fingerprint: String, until: String)?
    private let commandFingerprint: String?
    private let retiringCommand: (fingerprint: String, until: String)?

    init(_ contents: IdentityContents) {
        (deviceID, serialNumber, door) = (contents.deviceID, contents.serialNumber, contents.door)
        let pem = (try? contents.terminalKey.publicKey.pem()) ?? []
        publicKeyPEM = String(decoding: pem, as: UTF8.self)
        fingerprint = ReaderRecord.fingerprint(contents.terminalKey.publicKey)
        (signatureFingerprint, retiring) = ReaderRecord.fingerprints(contents.signatureKeys)
        (commandFingerprint, retiringCommand) = ReaderRecord.fingerprints(contents.commandKeys)
    }

    /// Returns the SHA-256 of a public key's DER, as computed by `openssl pkey -pubin -outform DER | sha256sum`.
    static func fingerprint(_ key: P256PublicKey) -> String {
        guard let digest = try? SHA256.hash(key.der().span) else { return "" }
        return Hexadecimal.text(digest.indices.map { digest[$0] })
    }

    private static func fingerprints(
        _ keys: BackendKeys
    ) -> (current: String?, retiring: (fingerprint: String, until: String)?) {
        (keys.current.map(fingerprint), keys.retiring.map { (fingerprint($0.key), LocalMinute.text($0.until)) })
    }

    /// The record for people. The key is last, so that the text is a valid PEM file.
    var lines: [String] {
        var lines = ["device id      \(deviceID)", "serial number  \(serialNumber)"]
        if let door { lines.append("site, door     \(door.siteID), \(door.doorID)") }
        lines.append("fingerprint    \(fingerprint)")
        lines.append("tokens under   \(signatureFingerprint ?? "no key yet")")
        if let retiring { lines.append("and under      \(retiring.fingerprint) until \(retiring.until)") }
        if let commandFingerprint { lines.append("orders under   \(commandFingerprint)") }
        if let old = retiringCommand { lines.append("and under      \(old.fingerprint) until \(old.until)") }
        return lines + publicKeyPEM.split(separator: "\n").map(String.init)
    }

    /// The record as a JSON object, for `readerlab credentials reader add --public-key`.
    var json: String {
        let object: JSONObject = [
            "format": "readerd-reader", "version": 1, "device-id": deviceID, "serial-number": serialNumber,
            "site-id": door?.siteID, "door-id": door?.doorID, "terminal-public-key": publicKeyPEM,
            "fingerprint": fingerprint, "signature-key-fingerprint": signatureFingerprint.orNull,
            "old-signature-key-fingerprint": retiring?.fingerprint, "old-signature-key-until": retiring?.until,
            "command-key-fingerprint": commandFingerprint,
        ]
        return object.text
    }
}
