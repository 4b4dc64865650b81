// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

    @Flag(help: "One object of JSON: docs/credentials.md.")
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
        default: throw CredentialError("\(path): is no file of a site, a token or a bundle; see docs/credentials.md")
        }
    }

    private func text(_ value: some Encodable) throws(CredentialError) -> String {
        guard let text = try? JSONText.line(value) else { throw CredentialError("\(path): cannot be put into JSON") }
        return text
    }

    // MARK: A site

    private struct Site: Encodable {
        struct Reader: Encodable {
            var name: String
            var deviceID: String?
            var doorID: Int?
            var fingerprint: String

            enum CodingKeys: String, CodingKey {
                case name
                case deviceID = "device-id"
                case doorID = "door-id"
                case fingerprint = "signature-key-fingerprint"
            }
        }

        var id: Int
        var name: String?
        var readers: [Reader] = []
    }

    private func site() throws(CredentialError) -> [String] {
        let file = try CredentialStore.site(path)
        var site = Site(id: file.id, name: file.name)
        for reader in file.readers {
            site.readers.append(
                Site.Reader(
                    name: reader.name, deviceID: reader.deviceID, doorID: reader.doorID,
                    fingerprint: try fingerprint(reader)))
        }
        if json { return [try text(site)] }
        let first = "site \(site.id)" + (site.name.map { " (\($0))" } ?? "") + ", \(site.readers.count) reader(s)"
        return [first]
            + site.readers.map { reader in
                let door = reader.doorID.map { "door \($0)" } ?? "no door"
                let device = reader.deviceID ?? "not provisioned yet"
                return "\(reader.name): \(device), \(door), tokens under \(reader.fingerprint)"
            }
    }

    /// Returns the lines in the form of `readerd provision`.
    private func fingerprint(_ reader: SiteFile.Reader) throws(CredentialError) -> String {
        let der = try reader.privateKey().publicKey.der()
        guard let digest = try? SHA256.hash(der.span) else { return "?" }
        return Hexadecimal.text(digest.indices.lazy.map { digest[$0] })
    }

    // MARK: A bundle

    private struct Bundle: Encodable {
        struct Reader: Encodable {
            var name: String
            var deviceID: String
            var tokens: [CredentialContents]

            enum CodingKeys: String, CodingKey {
                case name, tokens
                case deviceID = "device-id"
            }
        }

        var site: PhoneBundle.Site
        var readers: [Reader] = []
    }

    private func bundle() throws(CredentialError) -> [String] {
        let file = try CredentialStore.bundle(path)
        var bundle = Bundle(site: file.site)
        for reader in file.readers {
            var tokens: [CredentialContents] = []
            for token in reader.tokens { tokens.append(try CredentialContents(token, reader: reader.name)) }
            bundle.readers.append(Bundle.Reader(name: reader.name, deviceID: reader.deviceID, tokens: tokens))
        }
        if json { return [try text(bundle)] }
        return ["for site \(bundle.site.id), \(bundle.readers.count) reader(s)"]
            + bundle.readers.flatMap { reader in
                ["\(reader.name) (\(reader.deviceID)), \(reader.tokens.count) token(s):"]
                    + reader.tokens.flatMap(\.lines).map { "  " + $0 }
            }
    }
}
