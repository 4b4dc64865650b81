// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
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

    @Option(help: ArgumentHelp("The bundle's file, which is made, mode 0600.", valueName: "FILE"))
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
                    "reader \(reader.name) has no public key yet; do: readerlab credentials reader update "
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
        try CredentialStore.create(bundle, at: out)
        return ["\(out): \(tokens.count) token(s) for \(bundle.readers.map(\.name).joined(separator: ", "))"]
    }
}
