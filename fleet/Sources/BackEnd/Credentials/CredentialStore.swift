// SPDX-License-Identifier: Apache-2.0

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

    /// Throws for a file with private keys, which the output of a command does not replace: what they have signed could
    /// not be renewed.
    public static func checkReplaceable(_ path: String) throws(CredentialError) {
        guard let octets = try octets(path), hasPrivateKey(octets) else { return }
        throw CredentialError("\(path): has private keys in it, and is not replaced; name another file")
    }

    private static func hasPrivateKey(_ octets: [UInt8]) -> Bool {
        String(decoding: octets, as: UTF8.self).contains("PRIVATE KEY")
    }

    /// Writes `value`, readable by its owner only: after a power cut the file has its old content or all of the new. A
    /// file with private keys is replaced by a site's only.
    public static func write(_ value: some Encodable, to path: String, mayReplace: Bool = true) throws(CredentialError)
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard var octets = (try? encoder.encode(value)).map(Array.init) else {
            throw CredentialError("\(path): cannot be put into JSON")
        }
        octets.append(UInt8(ascii: "\n"))
        guard mayReplace || access(path, F_OK) != 0 else {
            throw CredentialError("\(path): exists, with keys in it; move it away first, or name another")
        }
        if !(value is SiteFile) { try checkReplaceable(path) }
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets) } catch {
            throw .file(path, "write it", error.errno)
        }
    }

    private static func read(_ path: String) throws(CredentialError) -> (octets: [UInt8], permissions: mode_t) {
        guard let file = fopen(path, "r") else { throw .file(path, "open it", errno) }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0 else { throw .file(path, "examine it", errno) }
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
