// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
package import Crypto
import FoundationEssentials

/// A backend's file: a site with its readers, and the private keys that sign their tokens
/// (docs/operate/credentials.md). Mode 0600.
package struct SiteFile: Codable {
    package static let format = "readerd-site"

    package var format = SiteFile.format
    package var version = 1
    /// The site's number in OSS credentials, 1 to 65535.
    package var id: Int
    /// The display name.
    package var name: String?
    package var readers: [Reader] = []

    package init(version: Int = 1, id: Int, name: String? = nil, readers: [Reader] = []) {
        self.version = version
        self.id = id
        self.name = name
        self.readers = readers
    }

    /// A reader's entry.
    package struct Reader: Codable {
        /// The display name, which identifies the reader in commands.
        package var name: String
        /// The door's number in OSS credentials; nil if unknown.
        package var doorID: Int?
        /// The device id; nil until the reader was provisioned.
        package var deviceID: String?
        package var serialNumber: String?
        /// SubjectPublicKeyInfo, DER in base64; nil until the reader was provisioned.
        package var terminalPublicKey: String?
        /// The private key that signs this reader's tokens, PKCS#8 in PEM. Secret.
        package var signatureKey: String

        package init(
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

        package enum CodingKeys: String, CodingKey {
            case name
            case doorID = "door-id"
            case deviceID = "device-id"
            case serialNumber = "serial-number"
            case terminalPublicKey = "terminal-public-key"
            case signatureKey = "signature-key"
        }
    }

    /// The index of the reader with this name.
    package func index(of name: String) throws(CredentialError) -> Int {
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
    package static func demo() throws(CredentialError) -> SiteFile {
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
    package func privateKey() throws(CredentialError) -> P256PrivateKey {
        let pem = Array(signatureKey.utf8)
        do throws(CryptoError) { return try P256PrivateKey(pem: pem.span) } catch {
            throw CredentialError("the signature key of reader \(name) is no private key on P-256 (\(error))")
        }
    }
}

/// A token as a backend issues it, as a file or in a bundle (docs/operate/credentials.md). It is a bearer credential.
package struct TokenFile: Codable, Equatable {
    package static let format = "readerd-token"

    package var format = TokenFile.format
    package var version = 1
    /// The reader's name.
    package var reader: String
    /// `command`, `oss-so` or `oss-sid`.
    package var kind: String
    package var credential: String
    /// The command, for a command token.
    package var command: String?
    /// Local times of the reader to the minute, both inclusive; nil for an OSS-SID credential.
    package var from: String?
    package var to: String?
    /// The delimited token, in base64.
    package var token: String

    package init(
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
    package var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }

    /// A description of the validity for display.
    package static func period(_ from: String?, _ to: String?) -> String {
        let parts = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "without an end" : parts.joined(separator: " ")
    }
}

/// The data that an app needs (docs/operate/credentials.md).
package struct PhoneBundle: Codable {
    package static let format = "readerd-phone-bundle"

    package var format = PhoneBundle.format
    package var version = 1
    package var site: Site
    package var readers: [Reader]

    package init(version: Int = 1, site: Site, readers: [Reader]) {
        self.version = version
        self.site = site
        self.readers = readers
    }

    package struct Site: Codable {
        package var id: Int
        package var name: String?

        package init(id: Int, name: String? = nil) { (self.id, self.name) = (id, name) }
    }

    package struct Reader: Codable {
        package var name: String
        /// The advertised name.
        package var deviceID: String
        /// SubjectPublicKeyInfo, DER in base64.
        package var terminalPublicKey: String
        package var tokens: [Token]

        package init(name: String, deviceID: String, terminalPublicKey: String, tokens: [Token]) {
            (self.name, self.deviceID) = (name, deviceID)
            (self.terminalPublicKey, self.tokens) = (terminalPublicKey, tokens)
        }

        package enum CodingKeys: String, CodingKey {
            case name, tokens
            case deviceID = "device-id"
            case terminalPublicKey = "terminal-public-key"
        }

        /// The key; nil if it is invalid.
        package func publicKey() -> P256PublicKey? {
            guard let der = Data(base64Encoded: terminalPublicKey).map(Array.init) else { return nil }
            return try? P256PublicKey(subjectPublicKeyInfo: der.span)
        }
    }

    package struct Token: Codable {
        package var kind: String
        package var credential: String
        package var command: String?
        package var from: String?
        package var to: String?
        /// The delimited token, in base64.
        package var token: String

        package init(_ file: TokenFile) {
            (kind, credential, command) = (file.kind, file.credential, file.command)
            (from, to, token) = (file.from, file.to, file.token)
        }

        /// The token as transmitted; nil if it is not base64.
        package var octets: [UInt8]? { Data(base64Encoded: token).map(Array.init) }
    }
}

/// A reader's record as printed by `readerd provision --json`, or the part of it that a public key provides.
package struct ProvisionRecord: Decodable {
    package static let format = "readerd-reader"

    package var deviceID: String?
    package var serialNumber: String?
    package var siteID: Int?
    package var doorID: Int?
    /// PEM.
    package var terminalPublicKey: String

    package enum CodingKeys: String, CodingKey {
        case deviceID = "device-id"
        case serialNumber = "serial-number"
        case siteID = "site-id"
        case doorID = "door-id"
        case terminalPublicKey = "terminal-public-key"
    }
}
