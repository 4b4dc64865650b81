// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Configuration
import Credentials

/// `readerlab credentials pkoc add`, and of other kinds with a key.
struct AddKeyCommand<Listed: ListedKind>: CredentialCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add", abstract: "Add \(Listed.noun) by its public key; make the list if there is none.",
            discussion: """
                The key is 130 hexadecimal digits, 04 first. \(Listed.origin)

                  readerlab credentials \(Listed.kind.rawValue) add CARD000001 --list cards.json --key 04… \\
                    --name Ada --from 2026-12-01 --until 2027-12-31 \\
                    --schedule "mon-fri 08:00-18:00"
                """)
    }

    @OptionGroup var card: AddedCardOptions

    @Option(help: ArgumentHelp("The public key.", valueName: "HEX"))
    var key: String

    func validate() throws { _ = try entry() }

    private func entry() throws -> CardListFile.Entry {
        guard let point = AliroPointText(key) else { throw ValidationError("--key \(AliroPointText.problem)") }
        return try card.entry(CardEvidence(kind: Listed.kind, identity: point.octets))
    }

    func perform() throws(CredentialError) -> [String] {
        let entry: CardListFile.Entry
        do { entry = try self.entry() } catch { throw CredentialError("\(error)") }
        return try card.add(entry, identity: "key")
    }
}
