// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import Configuration
import Console
import Credentials
import JSON
import Octets
import Reader
import System
import Timekeeping

/// `readerlab credentials pkoc`.
struct PKOCGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pkoc", abstract: "The PKOC cards that open a door: add, remove, list.",
        discussion: """
            A PKOC card or app has a key pair and signs with it. The list has the public keys that open a door. It holds \
            no secret, and whoever may write it may open the door. A reader reads it at its start and at each reload: \
            docs/operate/pkoc.md.

              readerlab credentials pkoc add CARD000001 --list cards.json \\
                --key 04… --name Ada --until 2027-12-31
              readerlab credentials pkoc list --list cards.json
              readerlab credentials pkoc remove CARD000001 --list cards.json
            """,
        subcommands: [AddPKOCCommand.self, RemovePKOCCommand.self, ListPKOCCommand.self])
}

/// The file with the list of cards.
struct CardListOption: ParsableArguments {
    @Option(name: .customLong("list"), help: ArgumentHelp("The list's file.", valueName: "FILE"))
    var path: String

    /// Reads the file; nil if it does not exist.
    func read() throws(CredentialError) -> CardListFile? {
        guard let octets = try CredentialStore.octets(path) else { return nil }
        do throws(JSONPlaceFault) { return try CardListFile(octets) } catch {
            throw CredentialError("\(path):\(error)")
        }
    }

    /// Reads the file, which must exist.
    func readExisting() throws(CredentialError) -> CardListFile {
        guard let list = try read() else { throw CredentialError("\(path): no such file") }
        return list
    }

    /// Replaces the file, as a whole or not at all.
    func write(_ list: CardListFile) throws(CredentialError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: Array(list.text.utf8)) } catch {
            throw .file(error.path, "write it", error.errno)
        }
    }
}

/// `readerlab credentials pkoc add`.
struct AddPKOCCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a card by its public key; make the list if there is none.",
        discussion: """
            The key is 130 hexadecimal digits, 04 first. A card that is not listed is in the reader's log and in its \
            events with the end of its key, the card number of 64 bits: compare that with the key before you add it.

              readerlab credentials pkoc add CARD000001 --list cards.json --key 04… \\
                --name Ada --from 2026-12-01 --until 2027-12-31 \\
                --schedule "mon-fri 08:00-18:00"
            """)

    @Argument(help: ArgumentHelp("The name in logs and for readerd revoke: 1 to 10 characters.", valueName: "ID"))
    var id: String

    @OptionGroup var list: CardListOption

    @Option(help: ArgumentHelp("The public key.", valueName: "HEX"))
    var key: String

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

    func validate() throws { _ = try entry() }

    private func entry() throws -> CardListFile.Entry {
        guard let id = OSSCredentialID(id), !self.id.contains(":") else {
            throw ValidationError(
                "\(self.id.debugDescription) is no name: 1 to 10 characters of ASCII, without a colon")
        }
        guard let key = CardListFile.key(key) else {
            throw ValidationError("--key is no point of P-256: it has 130 hexadecimal digits, 04 first")
        }
        var entry = CardListFile.Entry(CardEvidence(kind: .pkoc, identity: key), id: id)
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

    func perform() throws(CredentialError) -> [String] {
        let entry: CardListFile.Entry
        do { entry = try self.entry() } catch { throw CredentialError("\(error)") }
        var file = try list.read() ?? CardListFile()
        if let other = file.entries.first(where: { $0.evidence == entry.evidence }) {
            throw CredentialError("\(list.path): \(other.id.text) has this key; remove it first")
        }
        guard !file.entries.contains(where: { $0.id == entry.id }) else {
            throw CredentialError("\(list.path): has \(id) already; remove it first, or choose another name")
        }
        guard file.entries.count < CardList.limit else {
            throw CredentialError("\(list.path): is full, with \(CardList.limit) cards")
        }
        file.entries.append(entry)
        try list.write(file)
        return [json ? entry.json.text : "\(list.path): \(id) added, card number \(entry.evidence.label)"]
    }
}

/// `readerlab credentials pkoc remove`.
struct RemovePKOCCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a card from the list.",
        discussion: """
            A reader knows it once it has the new list. readerd revoke refuses a card at once.

              readerlab credentials pkoc remove CARD000001 --list cards.json
            """)

    @Argument(help: ArgumentHelp("The name of the card.", valueName: "ID"))
    var id: String

    @OptionGroup var list: CardListOption

    @Flag(help: "One object of JSON: the card.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        var file = try list.readExisting()
        guard let place = file.entries.firstIndex(where: { $0.id.text == id }) else {
            throw CredentialError("\(list.path): has no \(id)")
        }
        let entry = file.entries.remove(at: place)
        try list.write(file)
        return [json ? entry.json.text : "\(list.path): \(id) removed"]
    }
}

/// `readerlab credentials pkoc list`.
struct ListPKOCCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the cards of a list.",
        discussion: """
              readerlab credentials pkoc list --list cards.json
            """)

    @OptionGroup var list: CardListOption

    @Flag(help: "One object of JSON for each card.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        let file = try list.readExisting()
        if json { return file.entries.map(\.json.text) }
        let rows = file.entries.map { entry in
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
