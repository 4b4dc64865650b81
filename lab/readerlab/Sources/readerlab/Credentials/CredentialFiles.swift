// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import FoundationEssentials

/// A backend's file: a site with its readers, and the private keys that sign their tokens (docs/credentials.md). Mode
/// 0600.
struct SiteFile: Codable {
    static let format = "readerd-site"

    var format = SiteFile.format
    var version = 1
    /// The site's number in OSS credentials, 1 to 65535.
    var id: Int
    /// The display name.
    var name: String?
    var readers: [Reader] = []

    /// A reader's entry.
    struct Reader: Codable {
        /// The display name, which identifies the reader in commands.
        var name: String
        /// The door's number in OSS credentials; nil if unknown.
        var doorID: Int?
        /// The device id; nil until the reader was provisioned.
        var deviceID: String?
        var serialNumber: String?
        /// SubjectPublicKeyInfo, DER in base64; nil until the reader was provisioned.
        var terminalPublicKey: String?
        /// The private key that signs this reader's tokens, PKCS#8 in PEM. Secret.
        var signatureKey: String

        enum CodingKeys: String, CodingKey {
            case name
            case doorID = "door-id"
            case deviceID = "device-id"
            case serialNumber = "serial-number"
            case terminalPublicKey = "terminal-public-key"
            case signatureKey = "signature-key"
        }
    }

    /// The index of the reader with this name.
    func index(of name: String) throws(CredentialError) -> Int {
        guard let index = readers.firstIndex(where: { $0.name == name }) else {
            let names = readers.map(\.name).joined(separator: ", ")
            throw CredentialError(
                "there is no reader \(name.debugDescription) at this site"
                    + (names.isEmpty ? "; add one: readerlab credentials reader add" : "; the readers are \(names)"))
        }
        return index
    }
}

extension SiteFile {
    /// The site of the published demo identity, with the site and door numbers of an unconfigured reader.
    static func demo() throws(CredentialError) -> SiteFile {
        do throws(CryptoError) {
            let terminal = try P256PrivateKey(scalar: DemoIdentity.terminalScalar.span)
            let signature = try P256PrivateKey(scalar: DemoIdentity.signatureScalar.span)
            let reader = Reader(
                name: "demo", doorID: 1, deviceID: DemoIdentity.deviceID,
                terminalPublicKey: Data(terminal.publicKey.der()).base64EncodedString(),
                signatureKey: String(decoding: try signature.pem(), as: UTF8.self))
            return SiteFile(id: 1, name: "Demo", readers: [reader])
        } catch {
            throw CredentialError("libcrypto does not take the demo keys: is it built without P-256?")
        }
    }
}

extension SiteFile.Reader {
    /// The key that signs this reader's tokens.
    func privateKey() throws(CredentialError) -> P256PrivateKey {
        let pem = Array(signatureKey.utf8)
        do throws(CryptoError) { return try P256PrivateKey(pem: pem.span) } catch {
            throw CredentialError("the signature key of reader \(name) is no private key on P-256 (\(error))")
        }
    }
}

/// A token as a backend issues it, as a file or in a bundle (docs/credentials.md). It is a bearer credential.
struct TokenFile: Codable, Equatable {
    static let format = "readerd-token"

    var format = TokenFile.format
    var version = 1
    /// The reader's name.
    var reader: String
    /// `command`, `oss-so` or `oss-sid`.
    var kind: String
    var credential: String
    /// The command, for a command token.
    var command: String?
    /// Local times of the reader to the minute, both inclusive; nil for an OSS-SID credential.
    var from: String?
    var to: String?
    /// The delimited token, in base64.
    var token: String

    /// The token as transmitted; nil if it is not base64.
    var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }

    /// A description of the validity for display.
    static func period(_ from: String?, _ to: String?) -> String {
        let parts = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "without an end" : parts.joined(separator: " ")
    }
}

/// The data that an app needs (docs/credentials.md).
struct PhoneBundle: Codable {
    static let format = "readerd-phone-bundle"

    var format = PhoneBundle.format
    var version = 1
    var site: Site
    var readers: [Reader]

    struct Site: Codable {
        var id: Int
        var name: String?
    }

    struct Reader: Codable {
        var name: String
        /// The advertised name.
        var deviceID: String
        /// SubjectPublicKeyInfo, DER in base64.
        var terminalPublicKey: String
        var tokens: [Token]

        enum CodingKeys: String, CodingKey {
            case name, tokens
            case deviceID = "device-id"
            case terminalPublicKey = "terminal-public-key"
        }

        /// The key; nil if it is invalid.
        func publicKey() -> P256PublicKey? {
            guard let der = Data(base64Encoded: terminalPublicKey).map(Array.init) else { return nil }
            return try? P256PublicKey(subjectPublicKeyInfo: der.span)
        }
    }

    struct Token: Codable {
        var kind: String
        var credential: String
        var command: String?
        var from: String?
        var to: String?
        /// The delimited token, in base64.
        var token: String

        init(_ file: TokenFile) {
            (kind, credential, command) = (file.kind, file.credential, file.command)
            (from, to, token) = (file.from, file.to, file.token)
        }

        /// The token as transmitted; nil if it is not base64.
        var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }
    }
}

/// A reader's record as printed by `readerd provision --json`, or the part of it that a public key provides.
struct ProvisionRecord: Decodable {
    static let format = "readerd-reader"

    var deviceID: String?
    var serialNumber: String?
    var siteID: Int?
    var doorID: Int?
    /// PEM.
    var terminalPublicKey: String

    enum CodingKeys: String, CodingKey {
        case deviceID = "device-id"
        case serialNumber = "serial-number"
        case siteID = "site-id"
        case doorID = "door-id"
        case terminalPublicKey = "terminal-public-key"
    }
}
