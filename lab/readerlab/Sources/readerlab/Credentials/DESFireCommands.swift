// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Configuration
import Credentials

/// `readerlab credentials desfire`.
struct DESFireGroup: ParsableCommand, ListedKind {
    static let kind = CardKind.desfire
    static let noun = "a card"
    static let configuration = CommandConfiguration(
        commandName: "desfire", abstract: "The DESFire cards that open a door: add, remove, list.",
        discussion: """
            A DESFire card has a number in a file that only the site's key reads. The list has the numbers that open a \
            door. It holds no secret, and whoever may write it may open the door. A reader reads it at its start and at \
            each reload: docs/operate/desfire.md.

              readerlab credentials desfire add CARD000002 --list cards.json \\
                --number 0011223344556677 --name Bea --until 2027-12-31
              readerlab credentials desfire list --list cards.json
              readerlab credentials desfire remove CARD000002 --list cards.json
            """,
        subcommands: [
            AddDESFireCommand.self, RemoveCardCommand<DESFireGroup>.self, ListCardsCommand<DESFireGroup>.self,
        ])
}

/// `readerlab credentials desfire add`.
struct AddDESFireCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a card by its number; make the list if there is none.",
        discussion: """
            The number is that of desfire.count octets of the card's file, in hexadecimal digits. A card that is not \
            listed is in the reader's log and in its events with the last 16 digits. The UID, which a phone shows, is \
            not the number.

              readerlab credentials desfire add CARD000002 --list cards.json \\
                --number 0011223344556677 --name Bea --schedule "mon-fri 08:00-18:00"
            """)

    @OptionGroup var card: AddedCardOptions

    @Option(help: ArgumentHelp("The octets of the file.", valueName: "HEX"))
    var number: String

    func validate() throws { _ = try entry() }

    private func entry() throws -> CardListFile.Entry {
        guard let number = CardListFile.number(number) else {
            throw ValidationError(
                "--number is no number of a card: it has 2 to \(2 * DESFireCredential.countLimit) hexadecimal digits")
        }
        guard number.contains(where: { $0 != 0 }) else {
            throw ValidationError(
                "--number has only zeros, as a file to which no number was written: every such card would open")
        }
        return try card.entry(CardEvidence(kind: .desfire, identity: number))
    }

    func perform() throws(CredentialError) -> [String] {
        let entry: CardListFile.Entry
        do { entry = try self.entry() } catch { throw CredentialError("\(error)") }
        return try card.add(entry, identity: "number")
    }
}
