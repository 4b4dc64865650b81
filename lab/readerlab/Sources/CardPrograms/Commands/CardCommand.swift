// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Commands
import Contactless
import ContactlessAir
import Crypto
import Emulation
import Glibc
import Octets

/// `readerlab card`.
package struct CardCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Be a contactless card, or an Aliro phone, in the NFC field of an air.",
        discussion: """
            A reader that polls meets the card in the field of readerlab air. The keys of cards are in files of their \
            user; a file that does not exist is made. Without --field a command prints what the reader's list needs, \
            and ends. docs/emulators/contactless.md has the whole of it.

              readerlab air --nfc reader=pty:/tmp/nfc --field unix:/tmp/field
              readerlab card pkoc --key card.pem
              readerlab credentials pkoc add CARD000001 --list cards.json --key 04…
              readerlab card pkoc --key card.pem --field unix:/tmp/field
              readerlab card aliro --key phone.pem --reader 04… \\
                --fault wrong-signature --field unix:/tmp/field

            Exit code 0 when the card was read, or the reader right; 1 when it was not; 2 for wrong use.
            """,
        subcommands: [
            PKOCCardCommand.self, DESFireCardCommand.self, AliroCardCommand.self, AliroReaderCommand.self,
            CardFaultsCommand.self,
        ])

    /// The command without its options.
    package init() {}
}

/// The options of every card: its place in an air.
struct CardFieldOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The socket of the field: --field of readerlab air.", valueName: "unix:PATH"))
    var field: String?

    @Option(help: ArgumentHelp("The card's name in the air.", valueName: "NAME"))
    var name: String?

    @Option(help: ArgumentHelp("The reader, where the air has several.", valueName: "READER"))
    var at: String?

    @Flag(help: "Do not enter the field: the air's commands near and away move the card.")
    var away = false

    @Flag(help: "Stay after the first touch, until Ctrl-C.")
    var stay = false

    @Option(help: ArgumentHelp("The time until a reader activates the card.", valueName: "SECONDS"))
    var timeout = 10.0

    @Option(
        help: ArgumentHelp(
            "The identifier that readers see: 4, 7 or 10 octets; random if not given.", valueName: "HEX"))
    var uid: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard timeout.isFinite, 0.1...3600 ~= timeout else { throw ValidationError("--timeout is 0.1 to 3600 seconds") }
        do throws(CommandFault) {
            _ = try field.map { text throws(CommandFault) in try FieldPlan.socketPath(text, option: "--field") }
            for text in [name, at] { _ = try text.map { text throws(CommandFault) in try FieldName.checked(text) } }
        } catch { throw ValidationError(error.description) }
        if let uid { _ = try CardFieldOptions.activation(uid) }
    }

    private static func activation(_ uid: String) throws -> CardActivation {
        guard let octets = Hexadecimal.octets(uid), let activation = try? CardActivation(identifier: octets) else {
            throw ValidationError("--uid has 4, 7 or 10 octets in hexadecimal digits")
        }
        return activation
    }

    /// The card's activation.
    func activation() throws -> CardActivation {
        if let uid { return try CardFieldOptions.activation(uid) }
        var random = SystemRandomSource()
        let octets = random.octets(3)
        return CardActivation(random: (octets[0], octets[1], octets[2]))
    }

    /// The card's place in the air; nil without `--field`.
    func plan(_ kind: String) throws -> CardPresentationPlan? {
        guard let field else { return nil }
        var plan = CardPresentationPlan(
            socket: try FieldPlan.socketPath(field, option: "--field"), name: name ?? "\(kind)-\(getpid())")
        plan.place = away ? nil : .near(reader: at, .lasting)
        plan.timeout = away || stay ? nil : .milliseconds(Int64(timeout * 1000))
        return plan
    }

    /// Presents the card; without `--field` prints its identity.
    func run<Card: ContactlessCard>(
        _ card: Card, kind: String, identity: [UInt8], report: @escaping (Card) -> any TouchReport
    ) throws {
        guard let plan = try plan(kind) else {
            return ConsoleOutput.write(Hexadecimal.text(identity), to: STDOUT_FILENO)
        }
        try CardRun.present(card, plan, stays: stay, json: json, report: report)
    }
}
