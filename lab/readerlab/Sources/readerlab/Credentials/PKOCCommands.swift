// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Credentials

/// `readerlab credentials pkoc`.
struct PKOCGroup: ParsableCommand, ListedKind {
    static let kind = CardKind.pkoc
    static let noun = "a card"
    static let origin = """
        A card that is not listed is in the reader's log and in its events with the end of its key, the card number of \
        64 bits: compare that with the key before you add it.
        """
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
        subcommands: [
            AddKeyCommand<PKOCGroup>.self, RemoveCardCommand<PKOCGroup>.self, ListCardsCommand<PKOCGroup>.self,
        ])
}
