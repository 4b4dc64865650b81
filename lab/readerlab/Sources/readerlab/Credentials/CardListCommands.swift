// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import Commands
import Configuration
import Credentials
import JSON
import Octets
import Reader
import Timekeeping

/// A kind of card in the list, with the texts of its commands.
protocol ListedKind {
    static var kind: CardKind { get }
    /// The singular, with its article.
    static var noun: String { get }
    /// The origin of the key, for the kinds that have one.
    static var origin: String { get }
}

extension ListedKind {
    static var origin: String { "" }
}

/// The file with the list of cards.
struct CardListOption: ParsableArguments {
    @Option(name: .customLong("list"), help: ArgumentHelp("The list's file.", valueName: "FILE"))
    var path: String

    /// Reads the list.
    func read() throws(CredentialError) -> CardListFile { try read(path, mayBeMade: false) }

    private func read(_ target: String, mayBeMade: Bool) throws(CredentialError) -> CardListFile {
        guard let octets = try CredentialStore.octets(target) else {
            guard mayBeMade else { throw CredentialError("\(path): no such file") }
            return CardListFile()
        }
        do throws(JSONPlaceFault) { return try CardListFile(octets) } catch {
            throw CredentialError("\(path):\(error)")
        }
    }

    /// Changes the list, while other commands wait. The file, or the one that a link names, is replaced as a whole or
    /// not at all. A reader that could read it still can.
    func change<Result>(
        mayBeMade: Bool = true, _ change: (inout CardListFile) throws(CredentialError) -> Result
    ) throws(CredentialError) -> Result {
        try CredentialStore.change(fileAt: path) { target throws(CredentialError) in
            var list = try read(target, mayBeMade: mayBeMade)
            let result = try change(&list)
            let octets = Array(list.text.utf8)
            guard octets.count <= CardListFile.maximumCount else {
                throw CredentialError(
                    "\(path): would have \(octets.count) octets, and a reader reads \(CardListFile.maximumCount): "
                        + "shorten the names")
            }
            try CredentialStore.replace(target, withOctets: octets)
            return result
        }
    }
}

/// The options of an added card, of any kind.
struct AddedCardOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The name in logs and for readerd revoke: 1 to 10 characters.", valueName: "ID"))
    var id: String

    @OptionGroup var list: CardListOption

    @Option(help: ArgumentHelp("The name for people.", valueName: "TEXT"))
    var name = ""

    @Option(help: ArgumentHelp("The first minute, in the reader's time.", valueName: "DATE"))
    var from: String?

    @Option(help: ArgumentHelp("The last minute, in the reader's time.", valueName: "DATE"))
    var until: String?

    @Option(
        name: .customLong("schedule"),
        help: ArgumentHelp("A time of the week at which it opens; several are possible.", valueName: "LINE"))
    var schedules: [String] = []

    @Flag(help: "It opens for the extended time.")
    var extended = false

    @Flag(help: "One object of JSON: the card.")
    var json = false

    /// The entry of a card with this identity.
    func entry(_ evidence: CardEvidence) throws -> CardListFile.Entry {
        guard let id = CardListFile.id(id), !self.id.contains(":") else {
            throw ValidationError(
                "\(self.id.debugDescription) is no name: 1 to 10 printable characters of ASCII, without a colon")
        }
        var entry = CardListFile.Entry(evidence, id: id)
        entry.name = name
        entry.from = try from.map { try TokenOptions.time("--from", $0, .first) }
        entry.until = try until.map { try TokenOptions.time("--until", $0, .last) }
        if let from = entry.from, let until = entry.until, until < from {
            throw ValidationError("--until is before --from")
        }
        for line in schedules where CardListFile.schedule(line) == nil {
            throw ValidationError(
                "--schedule \(line.debugDescription): write it as in \"mon-fri 08:00-18:00\" (minutes up to 58, 24:00 "
                    + "as the end of a day)")
        }
        (entry.schedules, entry.isExtended) = (schedules, extended)
        return entry
    }

    /// Adds a card to the list. `identity` is the word for what only one card has.
    func add(_ entry: CardListFile.Entry, identity: String) throws(CredentialError) -> [String] {
        try list.change { file throws(CredentialError) in
            if let other = file.entries.first(where: { $0.evidence == entry.evidence }) {
                throw CredentialError("\(list.path): \(other.id.text) has this \(identity); remove it first")
            }
            guard !file.entries.contains(where: { $0.id == entry.id }) else {
                throw CredentialError("\(list.path): has \(id) already; remove it first, or choose another name")
            }
            if let full = file.fullness(for: entry.evidence.kind) { throw CredentialError("\(list.path): \(full)") }
            file.entries.append(entry)
        }
        return [json ? entry.json.text : "\(list.path): \(id) added, card number \(entry.evidence.label)"]
    }
}

/// `readerlab credentials pkoc remove`, and of other kinds.
struct RemoveCardCommand<Listed: ListedKind>: CredentialCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove", abstract: "Remove \(Listed.noun) from the list.",
            discussion: """
                A reader knows it once it has the new list. readerd revoke refuses a card at once.

                  readerlab credentials \(Listed.kind.rawValue) remove CARD000001 --list cards.json
                """)
    }

    @Argument(help: ArgumentHelp("The name of the card.", valueName: "ID"))
    var id: String

    @OptionGroup var list: CardListOption

    @Flag(help: "One object of JSON: the card.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        let entry = try list.change(mayBeMade: false) { file throws(CredentialError) in
            guard let place = file.entries.firstIndex(where: { $0.id.text == id && $0.evidence.kind == Listed.kind })
            else { throw CredentialError("\(list.path): has no \(id)") }
            return file.entries.remove(at: place)
        }
        return [json ? entry.json.text : "\(list.path): \(id) removed"]
    }
}

/// `readerlab credentials pkoc list`, and of other kinds.
struct ListCardsCommand<Listed: ListedKind>: CredentialCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: "Show the entries of this kind in a list.",
            discussion: """
                  readerlab credentials \(Listed.kind.rawValue) list --list cards.json
                """)
    }

    @OptionGroup var list: CardListOption

    @Flag(help: "One object of JSON for each card.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        let entries = try list.read().entries.filter { $0.evidence.kind == Listed.kind }
        if json { return entries.map(\.json.text) }
        let rows = entries.map { entry in
            [
                entry.id.text, entry.evidence.label, entry.from.map(LocalMinute.text) ?? "-",
                entry.until.map(LocalMinute.text) ?? "-",
                entry.schedules.isEmpty ? "always" : entry.schedules.joined(separator: "; "),
                entry.name.printable,
            ]
        }
        return TextTable.aligned([["card", "number", "from", "until", "schedules", "name"]] + rows)
    }
}
