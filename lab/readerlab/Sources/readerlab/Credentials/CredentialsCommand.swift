// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd

/// `readerlab credentials`.
struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Be the backend: a site, its readers, tokens, and what a phone needs.",
        discussion: """
            A reader opens for tokens that were signed for it. Who signs is the backend, and for a bench or a small site \
            this is one. Its file holds private keys: it is made with mode 0600, and belongs neither on a reader nor on \
            a phone. The formats are in docs/operate/credentials.md, what happens on the reader in \
            docs/operate/provisioning.md.

            The whole way, from a new reader to a phone that opens its door:

              readerlab credentials site new --site site.json --id 1 --name Office
              readerd provision --state ./state --site-id 1 --door-id 7 \\
                --json > front.json
              readerlab credentials reader add front --site site.json \\
                --public-key front.json > front-signature.pem
              readerd provision --state ./state --add-signature-key front-signature.pem
              readerlab credentials token oss-so --site site.json --reader front \\
                --credential ALICE04711 --from 2026-01-01 --to 2026-12-31 \\
                --door 7 --out alice.json
              readerlab credentials phone-bundle --site site.json --token alice.json \\
                --out phone.json
              readerd run --state ./state --hci hci-socket:0

            When a phone is lost, revoke its credential: docs/operate/a-phone-is-lost.md.

            An app that reads phone.json connects to the service that the reader advertises, checks the handshake with \
            the reader's public key, and shows the token: docs/protocol/access-profile.md.
            """,
        subcommands: [
            SiteGroup.self, ReaderGroup.self, TokenGroup.self, PhoneBundleCommand.self, ShowCredentialsCommand.self,
            ListCredentialsCommand.self, RevokeCommand.self, UnrevokeCommand.self, ReaderPolicyCommand.self,
            PKOCGroup.self, DESFireGroup.self, AliroGroup.self, AttestationCommand.self,
        ])
}

/// `readerlab credentials site`.
struct SiteGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site", abstract: "Make a site, or the site of the demo identity.",
        subcommands: [NewSiteCommand.self, DemoSiteCommand.self])
}

/// `readerlab credentials site new`.
struct NewSiteCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a site without readers.",
        discussion: """
              readerlab credentials site new --site site.json --id 1 --name Office
            """)

    @OptionGroup var site: SiteOption

    @Option(help: ArgumentHelp("The site's number in OSS credentials, 1 to 65535.", valueName: "N"))
    var id: Int

    @Option(help: ArgumentHelp("Its display name.", valueName: "TEXT"))
    var name: String?

    func validate() throws {
        guard 1...65_535 ~= id else { throw ValidationError("--id is 1 to 65535") }
    }

    func perform() throws(CredentialError) -> [String] {
        try CredentialStore.create(SiteFile(id: id, name: name), at: site.path)
        return ["\(site.path): site \(id); its private keys will be in this file: keep it, and keep it to yourself"]
    }
}

/// `readerlab credentials site demo`.
struct DemoSiteCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Write the site of the published demo identity.",
        discussion: """
            Its one reader, named demo, has the keys of every reader that was not provisioned. They are published, \
            private keys included: tokens of this site are for tests, and open no provisioned reader.

              readerlab credentials site demo --site site.json
              readerlab credentials token command --site site.json --reader demo \\
                --credential ALICE04711 --from 2026-01-01 --to 2026-12-31 \\
                --out alice.json
              readerlab credentials phone-bundle --site site.json --token alice.json \\
                --out phone.json
            """)

    @OptionGroup var site: SiteOption

    func perform() throws(CredentialError) -> [String] {
        try CredentialStore.create(SiteFile.demo(), at: site.path)
        return ["\(site.path): site 1 with the reader demo, device \(DemoIdentity.deviceID); its keys are public"]
    }
}
