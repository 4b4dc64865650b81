import ArgumentParser
import Crypto
import FoundationEssentials

/// `readerlab credentials phone-bundle`.
struct PhoneBundleCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone-bundle", abstract: "Put together what an app needs: its tokens, and their readers' keys.",
        discussion: """
            There is no private key in it. Its tokens are bearer credentials: mode 0600, and a short life.

              readerlab credentials phone-bundle --site site.json --token alice.json \\
                --out phone.json
            """)

    @OptionGroup var site: SiteOption

    @Option(name: .customLong("token"), help: ArgumentHelp("A token; as many as there are.", valueName: "FILE"))
    var tokens: [String]

    @Option(help: ArgumentHelp("Where the bundle goes, mode 0600.", valueName: "FILE"))
    var out: String

    func validate() throws {
        if tokens.isEmpty { throw ValidationError("--token FILE is needed once at least") }
    }

    func perform() throws(CredentialError) -> [String] {
        let file = try CredentialStore.site(site.path)
        var bundle = PhoneBundle(site: .init(id: file.id, name: file.name), readers: [])
        for path in tokens {
            let token = try CredentialStore.token(path)
            let reader = file.readers[try file.index(of: token.reader)]
            guard let deviceID = reader.deviceID, let key = reader.terminalPublicKey else {
                throw CredentialError(
                    "reader \(reader.name) has not told its public key; do: readerlab credentials reader update "
                        + "\(reader.name) --site \(site.path) --public-key FILE")
            }
            if let index = bundle.readers.firstIndex(where: { $0.deviceID == deviceID }) {
                bundle.readers[index].tokens.append(PhoneBundle.Token(token))
            } else {
                bundle.readers.append(
                    .init(
                        name: reader.name, deviceID: deviceID, terminalPublicKey: key,
                        tokens: [PhoneBundle.Token(token)]))
            }
        }
        try CredentialStore.write(bundle, to: out)
        return ["\(out): \(tokens.count) token(s) for \(bundle.readers.map(\.name).joined(separator: ", "))"]
    }
}

/// `readerlab credentials show`.
struct ShowCredentialsCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say what is in a file of a site, a token or a bundle: no key, no token.",
        discussion: """
              readerlab credentials show site.json
              readerlab credentials show site.json --signature-key front > front.pem
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "FILE"))
    var path: String

    @Option(help: ArgumentHelp("Of a site: print this reader's public signature key, in PEM.", valueName: "NAME"))
    var signatureKey: String?

    func perform() throws(CredentialError) -> [String] {
        if let signatureKey {
            let file = try CredentialStore.site(path)
            let key = try file.readers[try file.index(of: signatureKey)].privateKey()
            let pem = (try? key.publicKey.pem()) ?? []
            return String(decoding: pem, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        switch try CredentialStore.format(path) {
        case SiteFile.format: return try site()
        case TokenFile.format: return [try CredentialStore.token(path).summary]
        case PhoneBundle.format: return try bundle()
        default: throw CredentialError("\(path): is no file of a site, a token or a bundle; see docs/credentials.md")
        }
    }

    private func site() throws(CredentialError) -> [String] {
        let file = try CredentialStore.site(path)
        var lines = ["site \(file.id)" + (file.name.map { " (\($0))" } ?? "") + ", \(file.readers.count) reader(s)"]
        for reader in file.readers {
            let door = reader.doorID.map { "door \($0)" } ?? "no door"
            let device = reader.deviceID ?? "not provisioned yet"
            lines.append("\(reader.name): \(device), \(door), tokens under \(try fingerprint(reader))")
        }
        return lines
    }

    /// The fingerprint, in the format of `readerd provision`.
    private func fingerprint(_ reader: SiteFile.Reader) throws(CredentialError) -> String {
        let der = try reader.privateKey().publicKey.der()
        guard let digest = try? SHA256.hash(der.span) else { return "?" }
        return digest.indices.map { (digest[$0] < 16 ? "0" : "") + String(digest[$0], radix: 16) }.joined()
    }

    private func bundle() throws(CredentialError) -> [String] {
        let bundle = try CredentialStore.bundle(path)
        var lines = ["for site \(bundle.site.id), \(bundle.readers.count) reader(s)"]
        for reader in bundle.readers {
            for token in reader.tokens {
                let what = token.command.map { "command \($0)" } ?? token.kind
                let period = TokenFile.period(token.from, token.to)
                lines.append(
                    "\(reader.name) (\(reader.deviceID)): \(what), credential \(token.credential), \(period)")
            }
        }
        return lines
    }
}
