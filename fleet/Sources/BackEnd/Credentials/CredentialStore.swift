// SPDX-License-Identifier: Apache-2.0

import Commands
import Crypto
import System
import FoundationEssentials
import Glibc
import JSON

/// The reason why a credential command failed, in one line.
public struct CredentialError: Error, Equatable, CustomStringConvertible {
    /// The reason, in one line.
    public let description: String

    /// An error with this reason.
    public init(_ description: String) { self.description = description }

    /// The failure of a system call on a file.
    public static func file(_ path: String, _ doing: String, _ number: Int32) -> CredentialError {
        CredentialError("\(path): cannot \(doing): \(String(cString: strerror(number)))")
    }
}

/// Reads and writes the backend's files.
public enum CredentialStore {
    /// The maximum length of a file in octets: a site of about ten thousand readers.
    public static let maximumCount = 1 << 23

    /// The members common to all files.
    private struct Header: Decodable {
        var format: String
        var version: Int
    }

    /// Reads the site file at `path`, which no other user may read.
    public static func site(_ path: String) throws(CredentialError) -> SiteFile {
        try privateFile(SiteFile.self, path, format: SiteFile.format)
    }

    /// Reads a file that no other user may read.
    static func privateFile<Value: Decodable>(
        _ type: Value.Type, _ path: String, format: String
    ) throws(CredentialError) -> Value {
        try decode(type, privateOctets(path), format: format, path: path)
    }

    /// The octets of a file that no other user may read.
    public static func privateOctets(_ path: String) throws(CredentialError) -> [UInt8] {
        let contents = try read(path)
        guard contents.permissions & 0o077 == 0 else {
            throw CredentialError("\(path): others may read or write it; do: chmod 600 \(path)")
        }
        return contents.octets
    }

    /// The octets of the file at `path`; nil if it does not exist.
    public static func octets(_ path: String) throws(CredentialError) -> [UInt8]? {
        access(path, F_OK) != 0 && errno == ENOENT ? nil : try read(path).octets
    }

    /// Reads the token file at `path`.
    public static func token(_ path: String) throws(CredentialError) -> TokenFile {
        try decode(TokenFile.self, read(path).octets, format: TokenFile.format, path: path)
    }

    /// Reads a reader's record, or a public key in PEM.
    public static func provisionRecord(_ path: String) throws(CredentialError) -> (
        record: ProvisionRecord, der: String
    ) {
        let octets = try read(path).octets
        guard !hasPrivateKey(octets) else {
            throw CredentialError("\(path): has a private key in it, which never leaves its reader")
        }
        let isRecord = octets.first { $0 != 0x20 && $0 != 0x0A } == UInt8(ascii: "{")
        let record =
            isRecord
            ? try decode(ProvisionRecord.self, octets, format: ProvisionRecord.format, path: path)
            : ProvisionRecord(terminalPublicKey: String(decoding: octets, as: UTF8.self))
        let pem = Array(record.terminalPublicKey.utf8)
        do throws(CryptoError) {
            let key = try P256PublicKey(pem: pem.span)
            return (record, Data(key.der()).base64EncodedString())
        } catch {
            throw CredentialError(
                "\(path): is neither what readerd provision prints nor a public key on P-256 in PEM (\(error))")
        }
    }

    /// The format that the file states; nil if it states none.
    public static func format(_ path: String) throws(CredentialError) -> String? {
        let octets = try read(path).octets
        if let header = try? JSONDecoder().decode(Header.self, from: Data(octets)) { return header.format }
        try checkSyntax(octets, path)
        return nil
    }

    /// Reports the line of a JSON syntax error, never its content: the file may contain keys.
    private static func checkSyntax(_ octets: [UInt8], _ path: String) throws(CredentialError) {
        guard octets.first == UInt8(ascii: "{") else { return }
        do throws(JSONFault) { _ = try JSONParser.parse(octets) } catch {
            throw CredentialError("\(path):\(error.line): this is no JSON; was the file edited or truncated?")
        }
    }

    /// Reads the bundle at `path`.
    public static func bundle(_ path: String) throws(CredentialError) -> PhoneBundle {
        try decode(PhoneBundle.self, read(path).octets, format: PhoneBundle.format, path: path)
    }

    private static func hasPrivateKey(_ octets: [UInt8]) -> Bool {
        String(decoding: octets, as: UTF8.self).contains("PRIVATE KEY")
    }

    /// Creates the file at `path` with `value`, readable by its owner only. An existing file is an error, and is kept.
    public static func create(_ value: some Encodable, at path: String) throws(CredentialError) {
        try create(octets: octets(of: value, path), at: path)
    }

    /// Creates the file at `path` with `octets`, readable by its owner only. An existing file is an error, and is kept.
    public static func create(octets: [UInt8], at path: String) throws(CredentialError) {
        do throws(CommandError) { try CommandError.create(path, with: octets) } catch {
            throw CredentialError(error.text)
        }
    }

    /// Throws the error of `create` if something exists at `path`.
    public static func checkNew(_ path: String) throws(CredentialError) {
        do throws(CommandError) { try CommandError.checkNew(path) } catch { throw CredentialError(error.text) }
    }

    /// Replaces the file at `path`, which keeps its owner and permissions; a new one is readable by its owner only.
    /// After a power cut the file has its old content or all of the new.
    static func replace(_ path: String, with value: some Encodable) throws(CredentialError) {
        try replace(path, withOctets: octets(of: value, path))
    }

    /// Replaces the file at `path`, which keeps its owner and permissions; a new one is readable by its owner only.
    /// After a power cut the file has its old content or all of the new.
    public static func replace(_ path: String, withOctets octets: [UInt8]) throws(CredentialError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets, keepsAccess: true) } catch {
            throw .file(error.path, "write it", error.errno)
        }
    }

    private static func octets(of value: some Encodable, _ path: String) throws(CredentialError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let octets = (try? encoder.encode(value)).map(Array.init) else {
            throw CredentialError("\(path): cannot be put into JSON")
        }
        return octets + [UInt8(ascii: "\n")]
    }

    private static func read(_ path: String) throws(CredentialError) -> (octets: [UInt8], permissions: mode_t) {
        // Without a wait for the writer of a pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0, let file = fdopen(descriptor, "r") else { throw .file(path, "open it", errno) }
        defer { fclose(file) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "examine it", errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumCount else {
            throw CredentialError("\(path): is no file of at most \(maximumCount) octets")
        }
        var octets = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else { throw CredentialError("\(path): cannot read it") }
        octets.removeLast(octets.count - count)
        return (octets, status.st_mode & 0o7777)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ octets: [UInt8], format: String, path: String
    ) throws(CredentialError) -> Value {
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: Data(octets)), header.format == format else {
            try checkSyntax(octets, path)
            throw CredentialError("\(path): is no file of the format \(format); see docs/operate/credentials.md")
        }
        guard header.version == 1 else {
            throw CredentialError("\(path): is of version \(header.version), and this program knows version 1")
        }
        do { return try decoder.decode(type, from: Data(octets)) } catch {
            throw CredentialError("\(path): lacks something of the format \(format): \(fault(error))")
        }
    }

    /// Describes the location of an error, never the content: the file may contain keys.
    private static func fault(_ error: any Error) -> String {
        func place(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            let prefix = place(context)
            return "\(prefix.isEmpty ? "" : prefix + ".")\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(place(context)) is of another type"
        default: return "it is no JSON"
        }
    }
}
