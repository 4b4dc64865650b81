// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
import FoundationEssentials

/// A backend's file: a site with its readers, and the private keys that sign their tokens
/// (docs/operate/credentials.md). Mode 0600.
public struct SiteFile: Codable, Sendable {
    /// The format's name.
    public static let format = "readerd-site"

    /// The value of `format` in the file.
    public var format = SiteFile.format
    /// The version of the file's format.
    public var version = 1
    /// The site's number in OSS credentials, 1 to 65535.
    public var id: Int
    /// The display name.
    public var name: String?
    /// The readers.
    public var readers: [Reader] = []

    /// A site.
    public init(version: Int = 1, id: Int, name: String? = nil, readers: [Reader] = []) {
        self.version = version
        self.id = id
        self.name = name
        self.readers = readers
    }

    /// A reader's entry.
    public struct Reader: Codable, Sendable {
        /// The display name, which identifies the reader in commands.
        public var name: String
        /// The door's number in OSS credentials; nil if unknown.
        public var doorID: Int?
        /// The device id; nil until the reader was provisioned.
        public var deviceID: String?
        /// The reader's serial number; nil if unknown.
        public var serialNumber: String?
        /// SubjectPublicKeyInfo, DER in base64; nil until the reader was provisioned.
        public var terminalPublicKey: String?
        /// The private key that signs this reader's tokens, PKCS#8 in PEM. Secret.
        public var signatureKey: String

        /// An entry.
        public init(
            name: String, doorID: Int? = nil, deviceID: String? = nil, serialNumber: String? = nil,
            terminalPublicKey: String? = nil, signatureKey: String
        ) {
            self.name = name
            self.doorID = doorID
            self.deviceID = deviceID
            self.serialNumber = serialNumber
            self.terminalPublicKey = terminalPublicKey
            self.signatureKey = signatureKey
        }

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
    public func index(of name: String) throws(CredentialError) -> Int {
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
    public static func demo() throws(CredentialError) -> SiteFile {
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
    public func privateKey() throws(CredentialError) -> P256PrivateKey {
        let pem = Array(signatureKey.utf8)
        do throws(CryptoError) { return try P256PrivateKey(pem: pem.span) } catch {
            throw CredentialError("the signature key of reader \(name) is no private key on P-256 (\(error))")
        }
    }
}

/// A token as a backend issues it, as a file or in a bundle (docs/operate/credentials.md). It is a bearer credential.
public struct TokenFile: Codable, Equatable, Sendable {
    /// The format's name.
    public static let format = "readerd-token"

    /// The value of `format` in the file.
    public var format = TokenFile.format
    /// The version of the file's format.
    public var version = 1
    /// The reader's name.
    public var reader: String
    /// `command`, `oss-so` or `oss-sid`.
    public var kind: String
    /// The credential's identifier.
    public var credential: String
    /// The command, for a command token.
    public var command: String?
    /// Local times of the reader to the minute, both inclusive; nil for an OSS-SID credential.
    public var from: String?
    /// The end of the validity, as `from`.
    public var to: String?
    /// The delimited token, in base64.
    public var token: String

    /// A token.
    public init(
        version: Int = 1, reader: String, kind: String, credential: String, command: String? = nil, from: String? = nil,
        to: String? = nil, token: String
    ) {
        self.version = version
        self.reader = reader
        self.kind = kind
        self.credential = credential
        self.command = command
        self.from = from
        self.to = to
        self.token = token
    }

    /// The token as transmitted; nil if it is not base64.
    public var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }

    /// A description of the validity for display.
    public static func period(_ from: String?, _ to: String?) -> String {
        let parts = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "without an end" : parts.joined(separator: " ")
    }
}

/// The data that an app needs (docs/operate/credentials.md).
public struct PhoneBundle: Codable, Sendable {
    /// The format's name.
    public static let format = "readerd-phone-bundle"

    /// The value of `format` in the file.
    public var format = PhoneBundle.format
    /// The version of the file's format.
    public var version = 1
    /// The site.
    public var site: Site
    /// The readers of the site that the phone has tokens or keys for.
    public var readers: [Reader]

    /// A bundle.
    public init(version: Int = 1, site: Site, readers: [Reader]) {
        self.version = version
        self.site = site
        self.readers = readers
    }

    /// A site's number and display name.
    public struct Site: Codable, Sendable {
        /// The site's number in OSS credentials.
        public var id: Int
        /// The display name.
        public var name: String?

        /// A site.
        public init(id: Int, name: String? = nil) { (self.id, self.name) = (id, name) }
    }

    /// A reader, and its tokens.
    public struct Reader: Codable, Sendable {
        /// The display name.
        public var name: String
        /// The advertised name.
        public var deviceID: String
        /// SubjectPublicKeyInfo, DER in base64.
        public var terminalPublicKey: String
        /// The tokens for this reader.
        public var tokens: [Token]

        /// A reader.
        public init(name: String, deviceID: String, terminalPublicKey: String, tokens: [Token]) {
            (self.name, self.deviceID) = (name, deviceID)
            (self.terminalPublicKey, self.tokens) = (terminalPublicKey, tokens)
        }

        enum CodingKeys: String, CodingKey {
            case name, tokens
            case deviceID = "device-id"
            case terminalPublicKey = "terminal-public-key"
        }

        /// The key; nil if it is invalid.
        public func publicKey() -> P256PublicKey? {
            guard let der = Data(base64Encoded: terminalPublicKey).map(Array.init) else { return nil }
            return try? P256PublicKey(subjectPublicKeyInfo: der.span)
        }
    }

    /// A token.
    public struct Token: Codable, Sendable {
        /// As in `TokenFile`.
        public var kind: String
        /// The credential's identifier.
        public var credential: String
        /// The command, for a command token.
        public var command: String?
        /// The start of the validity, as in `TokenFile`.
        public var from: String?
        /// The end of the validity.
        public var to: String?
        /// The delimited token, in base64.
        public var token: String

        /// The token of a file.
        public init(_ file: TokenFile) {
            (kind, credential, command) = (file.kind, file.credential, file.command)
            (from, to, token) = (file.from, file.to, file.token)
        }

        /// The token as transmitted; nil if it is not base64.
        public var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }
    }
}

/// A reader's record as printed by `readerd provision --json`, or the part of it that a public key provides.
public struct ProvisionRecord: Decodable {
    /// The format's name.
    public static let format = "readerd-reader"

    /// The device id.
    public var deviceID: String?
    /// The serial number.
    public var serialNumber: String?
    /// The site's number.
    public var siteID: Int?
    /// The door's number.
    public var doorID: Int?
    /// PEM.
    public var terminalPublicKey: String

    enum CodingKeys: String, CodingKey {
        case deviceID = "device-id"
        case serialNumber = "serial-number"
        case siteID = "site-id"
        case doorID = "door-id"
        case terminalPublicKey = "terminal-public-key"
    }
}
