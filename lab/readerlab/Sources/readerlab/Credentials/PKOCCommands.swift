// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Configuration
import Console
import Credentials

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
        subcommands: [AddPKOCCommand.self, RemoveCardCommand.self, ListCardsCommand.self])
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

    @OptionGroup var card: AddedCardOptions

    @Option(help: ArgumentHelp("The public key.", valueName: "HEX"))
    var key: String

    func validate() throws { _ = try entry() }

    private func entry() throws -> CardListFile.Entry {
        guard let key = CardListFile.key(key) else {
            throw ValidationError("--key is no point of P-256: it has 130 hexadecimal digits, 04 first")
        }
        return try card.entry(CardEvidence(kind: .pkoc, identity: key))
    }

    func perform() throws(CredentialError) -> [String] {
        let entry: CardListFile.Entry
        do { entry = try self.entry() } catch { throw CredentialError("\(error)") }
        return try card.add(entry, identity: "key")
    }
}
