import AccessProtocol
import Crypto
import Glibc
import Reader

/// The identity that stands in a state directory.
enum IdentityFiles {
    /// The files of an identity. All of them are there, or none is.
    enum File: String, CaseIterable {
        /// 8 characters.
        case deviceID = "device-id"
        /// The reader's private key, PEM.
        case terminalKey = "terminal-key.pem"
        /// The public key that the backend signs tokens with, PEM.
        case signatureKey = "signature-key.pem"

        /// The largest that such a file is; a P-256 key in PEM has some 250 octets.
        var maximumCount: Int { self == .deviceID ? 64 : 4096 }
    }

    /// The identity in `state`, or the demo identity if there is no part of one.
    static func load(from state: StateDirectory) throws(ReaderdError) -> ReaderIdentity {
        var contents: [File: FileContents] = [:]
        for file in File.allCases {
            contents[file] = try FileContents.read(state.file(file.rawValue), maximumCount: file.maximumCount)
        }
        guard let id = contents[.deviceID], let terminal = contents[.terminalKey],
            let signature = contents[.signatureKey]
        else {
            guard contents.isEmpty else { throw incomplete(contents, in: state) }
            return try demo()
        }
        for file in File.allCases { try checkPermissions(of: file, contents[file], in: state) }
        let terminalKey = try terminalKey(terminal.octets.span, in: state)
        let signatureKey = try signatureKey(signature.octets.span, in: state)
        let path = state.file(File.deviceID.rawValue)
        let deviceID = try deviceID(id.octets, path: path)
        do throws(StatusCode) {
            return try ReaderIdentity(deviceID: deviceID, terminalKey: terminalKey, signatureKey: signatureKey)
        } catch {
            throw unusableID(path)
        }
    }

    private static func demo() throws(ReaderdError) -> ReaderIdentity {
        do throws(StatusCode) { return try .demo() } catch {
            throw .failed("libcrypto refuses the demo identity: is it built without P-256?")
        }
    }

    /// Refuses to move a real lock for keys that everybody has.
    static func check(_ identity: ReaderIdentity, mayDrive settings: ReaderSettings) throws(ReaderdError) {
        guard identity.isDemo, settings.gpio.lock != nil, !settings.allowsDemoIdentity else { return }
        throw .failed(
            "gpio.lock is a real lock, and the identity is the published demo identity, whose keys everybody has; "
                + "put an identity of the reader's own into the state directory, or, on a bench only, set "
                + "allow-demo-identity = true")
    }

    private static func terminalKey(
        _ pem: Span<UInt8>, in state: StateDirectory
    ) throws(ReaderdError) -> P256PrivateKey {
        do throws(CryptoError) { return try P256PrivateKey(pem: pem) } catch {
            throw unusable(.terminalKey, "a private key", error, in: state)
        }
    }

    private static func signatureKey(
        _ pem: Span<UInt8>, in state: StateDirectory
    ) throws(ReaderdError) -> P256PublicKey {
        do throws(CryptoError) { return try P256PublicKey(pem: pem) } catch {
            throw unusable(.signatureKey, "a public key", error, in: state)
        }
    }

    /// The text of the file, less the line feed that an editor leaves. It becomes advertised octets, so a space is
    /// taken for a slip.
    private static func deviceID(_ octets: [UInt8], path: String) throws(ReaderdError) -> String {
        let text = octets.last == UInt8(ascii: "\n") ? octets.dropLast() : octets[...]
        guard text.count == ReaderIdentity.deviceIDCount, text.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw unusableID(path)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func unusableID(_ path: String) -> ReaderdError {
        .failed("\(path): needs exactly \(ReaderIdentity.deviceIDCount) printable ASCII characters, without a space")
    }

    private static func checkPermissions(
        of file: File, _ contents: FileContents?, in state: StateDirectory
    ) throws(ReaderdError) {
        guard let contents else { return }
        let path = state.file(file.rawValue)
        if file == .terminalKey, contents.permissions & 0o077 != 0 {
            throw .failed("\(path): others may read or write this private key; do: chmod 600 \(path)")
        }
        guard contents.permissions & 0o022 == 0 else {
            throw .failed("\(path): others may write to it; do: chmod go-w \(path)")
        }
    }

    private static func incomplete(_ present: [File: FileContents], in state: StateDirectory) -> ReaderdError {
        let missing = File.allCases.filter { present[$0] == nil }.map(\.rawValue).joined(separator: " and ")
        let found = File.allCases.filter { present[$0] != nil }.map(\.rawValue).joined(separator: " and ")
        return .failed(
            "\(state.path): the identity lacks \(missing); add what is missing, or remove \(found) for the demo identity"
        )
    }

    private static func unusable(
        _ file: File, _ what: String, _ error: CryptoError, in state: StateDirectory
    ) -> ReaderdError {
        .failed("\(state.file(file.rawValue)): is not \(what) on P-256 in unencrypted PEM (\(error))")
    }
}
