// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ContactlessAir
import Credentials
import DevicePrograms
import Emulation
import Reader
import ReaderEmulation

/// `readerlab emulate reader`.
struct EmulateReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader",
        abstract:
            "Be a door reader that goes wrong on command, for people who write its apps, until SIGINT or SIGTERM.",
        discussion: """
            It is readerd's own reader, with a simulated door: docs/emulators/emulated-reader.md.

              readerlab emulate reader --hci hci-socket:0
              readerlab emulate reader --hci hci-socket:0 --modes classic,access \\
                --scenario too-far.json --transcript run.json

              readerlab emulate reader --hci hci-socket:0 --field unix:/tmp/field
              readerlab card pkoc --key card.pem --field unix:/tmp/field

              readerlab emulate reader --hci hci-socket:0 --field unix:/tmp/field \\
                --desfire-key-file desfire.key --card desfire=0011223344556677
              readerlab card desfire --number 0011223344556677 --key-file desfire.key \\
                --field unix:/tmp/field

            The identity is the published demo one, for which readerlab credentials site demo issues tokens; with \
            --state that of readerd provision.

            While it runs, what happens is told line by line, and states and faults can be typed: help lists them. At \
            the end it says what the app got wrong. Exit code 0 when a signal ends it, 1 when the controller cannot be \
            reached at first, 2 when a file has a fault.
            """)

    @Option(
        help: ArgumentHelp(
            "The modes that it advertises, of \(AdvertisingMode.ofAccessProfile.map(\.rawValue).joined(separator: ", ")).",
            valueName: "MODE,…"))
    var modes = "on-touch,access"

    @Option(
        help: ArgumentHelp(
            "The state directory of a reader that readerd provision has made, for its identity; nothing is written.",
            valueName: "DIR"))
    var state: String?

    @Option(
        help: ArgumentHelp(
            "An NFC field that the reader polls, whose socket cards enter: readerlab card and phone --as-card have it.",
            valueName: "unix:PATH"))
    var field: String?

    @Option(
        help: ArgumentHelp(
            "The kinds of card that it tries in that field, in this order; all by default, desfire only with its key: "
                + "\(ReaderFieldSettings.readable.map(\.rawValue).joined(separator: ",")).",
            valueName: "KIND,…"))
    var cardKinds: String?

    @Option(
        help: ArgumentHelp(
            "A card that opens: pkoc= or aliro= and its point, 04 first, or desfire= and its number. May be repeated.",
            valueName: "KIND=HEX"))
    var card: [String] = []

    @OptionGroup(title: "DESFire cards")
    var desfire: DESFirePlaceOptions

    @OptionGroup(title: "Run")
    var options: EmulationRunOptions

    func validate() throws {
        _ = try advertised()
        _ = try cards()
    }

    /// The field of `--field`, without the keys of its files; nil without.
    func cards() throws -> (plan: FieldPlan, settings: ReaderFieldSettings)? {
        guard let field else {
            guard card.isEmpty else { throw ValidationError("--card needs a field: --field unix:PATH") }
            guard cardKinds == nil else { throw ValidationError("--card-kinds needs a field: --field unix:PATH") }
            guard desfire.keyFile == nil else {
                throw ValidationError("--desfire-key-file needs a field: --field unix:PATH")
            }
            return nil
        }
        var settings = try ReaderFieldSettings()
        let possible = desfire.keyFile == nil ? settings.kinds : ReaderFieldSettings.readable
        let cardKinds = cardKinds ?? possible.map(\.rawValue).joined(separator: ",")
        let names = cardKinds.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        settings.kinds = names.compactMap { CardKind(rawValue: $0) }.filter(ReaderFieldSettings.readable.contains)
        guard settings.kinds.count == names.count, Set(names).count == names.count else {
            throw ValidationError(
                "--card-kinds \(cardKinds.debugDescription): write kinds with commas between, each once, of "
                    + ReaderFieldSettings.readable.map(\.rawValue).joined(separator: ", "))
        }
        guard settings.kinds.contains(.desfire) == (desfire.keyFile != nil) else {
            throw ValidationError(
                desfire.keyFile == nil
                    ? "--card-kinds desfire needs the key that reads the cards: --desfire-key-file FILE"
                    : "--desfire-key-file has no effect: --card-kinds lacks desfire")
        }
        settings.cards = try card.map(listed)
        do throws(CommandFault) { return (try .ofThisProcess("reader", field: field), settings) } catch {
            throw ValidationError(error.description)
        }
    }

    private func listed(_ text: String) throws -> CardEvidence {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let card = ReaderFieldSettings.card(parts[0], parts[1]) else {
            throw ValidationError("--card \(text.debugDescription): write KIND=HEX: \(ReaderFieldSettings.cardForm)")
        }
        guard card.kind != .desfire || card.identity.count == desfire.count else {
            throw ValidationError(
                "--card \(text.debugDescription): a number has \(desfire.count) octets: --desfire-count")
        }
        return card
    }

    /// The modes of `--modes`.
    func advertised() throws -> [AdvertisingMode] {
        do throws(CommandFault) {
            guard case .modes(let modes) = try ReaderOrder(line: "modes \(modes)") else { return [] }
            return modes
        } catch {
            throw ValidationError("--modes \(modes.debugDescription): \(error)")
        }
    }

    func run() throws {
        var field = try cards()
        field?.settings.desfire = try desfire.place()
        try ReaderProgram(options, modes: advertised(), state: state, field: field).run()
    }
}
