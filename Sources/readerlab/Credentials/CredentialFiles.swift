import Crypto
import FoundationEssentials

/// A backend's file: a site with its readers, and the private keys that their tokens are signed with
/// (docs/credentials.md). Mode 0600.
struct SiteFile: Codable {
    static let format = "readerd-site"

    var format = SiteFile.format
    var version = 1
    /// The site's number in OSS credentials, 1 to 65535.
    var id: Int
    /// What people call it.
    var name: String?
    var readers: [Reader] = []

    /// A reader's entry.
    struct Reader: Codable {
        /// What people call it; the name that commands take.
        var name: String
        /// Its door's number in OSS credentials; nil if nobody has said.
        var doorID: Int?
        /// Nil until the reader was provisioned.
        var deviceID: String?
        var serialNumber: String?
        /// SubjectPublicKeyInfo, DER in base64; nil until the reader was provisioned.
        var terminalPublicKey: String?
        /// The private key that this reader's tokens are signed with, PKCS#8 in PEM. Secret.
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

    /// Where the reader of this name stands.
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

extension SiteFile.Reader {
    /// The key that this reader's tokens are signed with.
    func privateKey() throws(CredentialError) -> P256PrivateKey {
        let pem = Array(signatureKey.utf8)
        do throws(CryptoError) { return try P256PrivateKey(pem: pem.span) } catch {
            throw CredentialError("the signature key of reader \(name) is no private key on P-256 (\(error))")
        }
    }
}

/// A token as a backend hands it out: a file of its own, or in a bundle (docs/credentials.md). Who has it can use it.
struct TokenFile: Codable, Equatable {
    static let format = "readerd-token"

    var format = TokenFile.format
    var version = 1
    /// The reader's name.
    var reader: String
    /// `command`, `oss-so` or `oss-sid`.
    var kind: String
    var credential: String
    /// Of a command token: what it asks for.
    var command: String?
    /// Local times of the reader, to the minute, both included. An OSS-SID credential has neither.
    var from: String?
    var to: String?
    /// The delimited token, in base64.
    var token: String

    /// The token as it goes over the air; nil if it is no base64.
    var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }

    /// From when until when, for people.
    static func period(_ from: String?, _ to: String?) -> String {
        let parts = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "without an end" : parts.joined(separator: " ")
    }
}

/// Everything that an app needs (docs/credentials.md).
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
        /// The name that it advertises.
        var deviceID: String
        /// SubjectPublicKeyInfo, DER in base64.
        var terminalPublicKey: String
        var tokens: [Token]

        enum CodingKeys: String, CodingKey {
            case name, tokens
            case deviceID = "device-id"
            case terminalPublicKey = "terminal-public-key"
        }

        /// The key; nil if it is none.
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

        /// The token as it goes over the air; nil if it is no base64.
        var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }
    }
}

/// What `readerd provision --json` prints of a reader, or as much of it as a public key alone says.
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
