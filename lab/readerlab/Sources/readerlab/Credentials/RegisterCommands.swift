// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Timekeeping

/// `readerlab credentials list`.
struct ListCredentialsCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the issued credentials: to whom, until when, and whether revoked.",
        discussion: """
            The list is the register next to the site's file. The state compares with this machine's local time. Several \
            lines for one credential are several tokens, each of which counts until its end.

              readerlab credentials list --site site.json
              readerlab credentials list --site site.json --ends-within 30d
              readerlab credentials list --site site.json --json | jq .revoked
            """)

    @OptionGroup var site: SiteOption

    @Option(
        help: ArgumentHelp("Only tokens in force that end within so many days, such as 30d.", valueName: "DAYS"))
    var endsWithin: String?

    @Flag(help: "One object of JSON: docs/operate/credentials.md.")
    var json = false

    func validate() throws { _ = try days() }

    /// The number of days of `--ends-within`.
    private func days() throws -> Int64? {
        guard let text = endsWithin else { return nil }
        let digits = text.hasSuffix("d") ? text.dropLast() : text[...]
        guard let days = Int64(digits), 0...36_600 ~= days else {
            throw ValidationError("--ends-within is a number of days, such as 30d")
        }
        return days
    }

    func perform() throws(CredentialError) -> [String] {
        _ = try CredentialStore.site(site.path)
        let limit = (try? days()) ?? nil
        let table = RegisterTable(
            try CredentialStore.register(ofSite: site.path), now: DeskClock.now.local, endsWithin: limit)
        return json ? [table.json] : table.lines(isSelection: limit != nil)
    }
}

/// `readerlab credentials policy`.
struct ReaderPolicyCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Show whom a reader refuses, by name, and compare it with the register.",
        discussion: """
            The file is what the reader prints. It has identifiers; the names are the register's.

              ssh door sudo readerd policy show --json > policy.json
              readerlab credentials policy policy.json --site site.json
            """)

    @Argument(help: ArgumentHelp("What `readerd policy show --json` has printed.", valueName: "FILE"))
    var path: String

    @OptionGroup var site: SiteOption

    @Flag(help: "One object of JSON: docs/operate/credentials.md.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        _ = try CredentialStore.site(site.path)
        guard let octets = try CredentialStore.octets(path) else { throw CredentialError("\(path): does not exist") }
        let policy = try ReaderPolicyFile(
            octets, path: path, register: try CredentialStore.register(ofSite: site.path), now: DeskClock.now.minute)
        return json ? [policy.json] : policy.lines
    }
}
