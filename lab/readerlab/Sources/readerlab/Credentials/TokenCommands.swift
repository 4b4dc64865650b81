// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import FoundationEssentials
import Octets
import Phone
import Timekeeping

/// `readerlab credentials token`.
struct TokenGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Issue a token for one reader.",
        subcommands: [CommandTokenCommand.self, OfflineTokenCommand.self, SecureIdentifierTokenCommand.self])
}

/// Options common to all kinds of token.
struct TokenOptions: ParsableArguments {
    @OptionGroup var site: SiteOption

    @Option(help: ArgumentHelp("The reader that it is for.", valueName: "NAME"))
    var reader: String

    @Option(help: ArgumentHelp("The credential's name, 1 to 10 characters of ASCII.", valueName: "ID"))
    var credential: String

    @Option(help: ArgumentHelp("Who gets it, for the register; 1 to 60 characters.", valueName: "TEXT"))
    var holder: String?

    @Option(help: ArgumentHelp("The token's file, which is made, mode 0600.", valueName: "FILE"))
    var out: String

    func validate() throws {
        if let holder, !(1...60).contains(holder.count) { throw ValidationError("--holder is 1 to 60 characters") }
        guard OSSCredentialID(credential) != nil, !credential.contains(":") else {
            throw ValidationError("--credential is 1 to 10 characters of ASCII, without a colon")
        }
    }

    /// The reader's entry, and its site.
    func entry() throws(CredentialError) -> (reader: SiteFile.Reader, site: SiteFile) {
        let file = try CredentialStore.site(site.path)
        return (file.readers[try file.index(of: reader)], file)
    }

    /// Issues a token with the reader's signature key, writes its file, and returns the line to print.
    func issue(
        _ kind: String, command: String? = nil, from: CivilTime? = nil, to: CivilTime? = nil,
        _ make: (TokenIssuer) throws(StatusCode) -> [UInt8]
    ) throws(CredentialError) -> [String] {
        let issuer = TokenIssuer(signatureKey: try entry().reader.privateKey())
        let made: [UInt8]
        do throws(StatusCode) { made = try make(issuer) } catch {
            throw CredentialError("the token cannot be made: status \(error.explained)")
        }
        let file = TokenFile(
            reader: reader, kind: kind, credential: credential, command: command, from: from.map(LocalMinute.text),
            to: to.map(LocalMinute.text), token: Data(made).base64EncodedString())
        try CredentialStore.checkNew(out)
        // First, so that no token is without its entry.
        try CredentialStore.changeRegister(ofSite: site.path) { register throws(CredentialError) in
            register.issued.append(.init(file, holder: holder, at: DeskClock.now.utc))
        }
        try CredentialStore.create(file, at: out)
        return ["\(out): \(file.summary)"]
    }

    /// Parses a local time.
    static func time(_ option: String, _ text: String, _ edge: LocalMinute.Edge) throws -> CivilTime {
        guard let time = LocalMinute.parse(text[...], ofDay: edge) else {
            throw ValidationError("\(option) \(text.debugDescription) is no date: write 2026-12-31 or 2026-12-31T18:00")
        }
        return time
    }
}

extension TokenFile {
    /// A description for display, without the token itself.
    var summary: String {
        let what = command.map { "command \($0)" } ?? kind
        return "\(what) for reader \(reader), credential \(credential), \(TokenFile.period(from, to))"
    }
}

/// `readerlab credentials token command`.
struct CommandTokenCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "A token that asks the reader for one thing.",
        discussion: """
            tokn opens the door. With --maintenance the token is for the group: its phone may put any maintenance command \
            in the place of its own, which is PING if --command does not name another, and keeps the signature. Data is \
            not signed, and read for maintenance only.

              readerlab credentials token command --site site.json --reader front \\
                --credential ALICE04711 --from 2026-01-01 --to 2026-12-31 \\
                --out alice.json
            """)

    @OptionGroup var token: TokenOptions

    @Option(
        help: ArgumentHelp(
            "The command, 1 to 8 characters; tokn if not given, and with --maintenance PING.", valueName: "NAME"))
    var command: String?

    @Flag(help: "Sign it for the group of maintenance commands.")
    var maintenance = false

    @Option(help: ArgumentHelp("From when on it counts, in the reader's time.", valueName: "DATE"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "Until when it counts, second 00 included: a minute, or a day, which is its 23:59.", valueName: "DATE"))
    var to: String

    @Option(help: ArgumentHelp("The command's data, in hexadecimal.", valueName: "HEX"))
    var data = ""

    /// The command.
    var name: String { command ?? (maintenance ? CommandName.ping : .open).rawValue }

    func validate() throws {
        guard 1...CommandName.octetLimit ~= name.utf8.count,
            name.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") })
        else { throw ValidationError("--command is 1 to 8 printable ASCII characters, without a colon") }
        guard Hexadecimal.octets(data) != nil else {
            throw ValidationError("--data is hexadecimal digits, two for each octet")
        }
        if maintenance, CommandName(rawValue: name).group == nil {
            throw ValidationError("--maintenance: \(name) is not a maintenance command")
        }
        let (start, end) = try times()
        guard start <= end else { throw ValidationError("--to is before --from") }
    }

    /// A token that the reader would refuse, or that would do nothing there.
    var warnings: [String] {
        var warnings: [String] = []
        let command = CommandName(rawValue: name)
        if command == .maintenanceGroup {
            warnings.append(
                "a token for \(name) does nothing at a reader: --maintenance without --command is meant, for all "
                    + "maintenance commands")
        } else if !CommandName.all.contains(command) {
            warnings.append("readers do not know the command \(name) (-5); see docs/protocol/commands.md")
        }
        if !data.isEmpty, !command.readsUnsignedData {
            warnings.append("readers ignore the data of \(name): they read data of maintenance commands only")
        }
        if let end = (try? times())?.1, end < DeskClock.now.local {
            warnings.append("the token has ended already, on \(LocalMinute.text(end))")
        }
        return warnings
    }

    private func times() throws -> (CivilTime, CivilTime) {
        (try TokenOptions.time("--from", from, .first), try TokenOptions.time("--to", to, .last))
    }

    func perform() throws(CredentialError) -> [String] {
        guard let (start, end) = try? times(), let octets = Hexadecimal.octets(data) else {
            throw CredentialError("--from, --to or --data cannot be read")
        }
        return try token.issue("command", command: name, from: start, to: end) { issuer throws(StatusCode) in
            try issuer.commandToken(
                credentialID: token.credential, command: CommandName(rawValue: name), data: octets,
                validity: TokenValidity(from: start, through: end), signedAs: maintenance ? .maintenanceGroup : nil)
        }
    }
}
