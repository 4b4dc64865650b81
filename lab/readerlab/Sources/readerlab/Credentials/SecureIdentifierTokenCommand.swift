// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import Phone

/// `readerlab credentials token oss-sid`.
struct SecureIdentifierTokenCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "oss-sid", abstract: "An OSS Secure Identifier: a name, and nothing else.",
        discussion: """
            It says no door, no time and no end: it opens whichever reader takes its signature and has the name in its \
            configuration, for as long as it stands there. No reader lists any unless it is told to:

              [credentials]
              sid-allow = ["ALICE04711"]

            Where a credential is to end by itself, or to open at times, issue oss-so.

              readerlab credentials token oss-sid --site site.json --reader front \\
                --credential ALICE04711 --out alice.json
            """)

    @OptionGroup var token: TokenOptions

    func perform() throws(CredentialError) -> [String] {
        guard let id = OSSCredentialID(token.credential) else {
            throw CredentialError("--credential has no form in a credential")
        }
        return try token.issue("oss-sid") { issuer throws(StatusCode) in
            try issuer.secureIdentifierToken(OSSSecureIdentifierFile(credentialID: id))
        }
    }
}
