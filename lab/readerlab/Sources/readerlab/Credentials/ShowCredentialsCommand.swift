// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Crypto
import Demo
import FoundationEssentials
import Octets

/// `readerlab credentials show`.
struct ShowCredentialsCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say what is in a file of a site, a token or a bundle: no key, no token.",
        discussion: """
            Of an OSS Standard Offline credential it shows what is in the token itself: doors, groups and their schedules, \
            and the blacklist that it carries.

              readerlab credentials show alice.json
              readerlab credentials show site.json --signature-key front > front.pem
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "FILE"))
    var path: String

    @Option(help: ArgumentHelp("Of a site: print this reader's public signature key, in PEM.", valueName: "NAME"))
    var signatureKey: String?

    @Flag(help: "One object of JSON: docs/operate/credentials.md.")
    var json = false

    func validate() throws {
        if json, signatureKey != nil { throw ValidationError("--signature-key prints PEM, and --json is none") }
    }

    func perform() throws(CredentialError) -> [String] {
        if let signatureKey {
            let file = try CredentialStore.site(path)
            let key = try file.readers[try file.index(of: signatureKey)].privateKey()
            let pem = (try? key.publicKey.pem()) ?? []
            return String(decoding: pem, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        switch try CredentialStore.format(path) {
        case SiteFile.format: return try site()
        case TokenFile.format:
            let token = try CredentialStore.token(path)
            let contents = try CredentialContents(PhoneBundle.Token(token), reader: token.reader)
            return json ? [try text(contents)] : contents.lines
        case PhoneBundle.format: return try bundle()
        default:
            throw CredentialError(
                "\(path): is no file of a site, a token or a bundle; see docs/operate/credentials.md")
        }
    }

    private func text(_ value: some Encodable) throws(CredentialError) -> String {
        guard let text = try? JSONText.line(value) else { throw CredentialError("\(path): cannot be put into JSON") }
        return text
    }

    // MARK: A site

    private func site() throws(CredentialError) -> [String] {
        let file = try CredentialStore.site(path)
        var objects: [SortedJSON] = []
        var lines = ["site \(file.id)" + (file.name.map { " (\($0))" } ?? "") + ", \(file.readers.count) reader(s)"]
        for reader in file.readers {
            let fingerprint = try fingerprint(reader)
            objects.append([
                "name": reader.name, "device-id": reader.deviceID, "door-id": reader.doorID,
                "signature-key-fingerprint": fingerprint,
            ])
            let door = reader.doorID.map { "door \($0)" } ?? "no door"
            let device = reader.deviceID ?? "not provisioned yet"
            lines.append("\(reader.name): \(device), \(door), tokens under \(fingerprint)")
        }
        return json ? [try text(["id": file.id, "name": file.name, "readers": objects] as SortedJSON)] : lines
    }

    /// Returns the lines of the fingerprint, in the form of `readerd provision`.
    private func fingerprint(_ reader: SiteFile.Reader) throws(CredentialError) -> String {
        let der = try reader.privateKey().publicKey.der()
        guard let digest = try? SHA256.hash(der.span) else { return "?" }
        return Hexadecimal.text(digest.indices.lazy.map { digest[$0] })
    }

    // MARK: A bundle

    private func bundle() throws(CredentialError) -> [String] {
        let file = try CredentialStore.bundle(path)
        var objects: [SortedJSON] = []
        var lines = ["for site \(file.site.id), \(file.readers.count) reader(s)"]
        for reader in file.readers {
            var tokens: [CredentialContents] = []
            for token in reader.tokens { tokens.append(try CredentialContents(token, reader: reader.name)) }
            objects.append(["name": reader.name, "device-id": reader.deviceID, "tokens": tokens])
            lines.append("\(reader.name) (\(reader.deviceID)), \(tokens.count) token(s):")
            lines += tokens.flatMap(\.lines).map { "  " + $0 }
        }
        return json ? [try text(["site": file.site, "readers": objects] as SortedJSON)] : lines
    }
}
