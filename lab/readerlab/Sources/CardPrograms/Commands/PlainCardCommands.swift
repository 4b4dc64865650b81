// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Contactless
import Octets

/// `readerlab card pkoc`.
struct PKOCCardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pkoc", abstract: "A PKOC card (NFC 1.1).",
        discussion: """
              readerlab card pkoc --key card.pem
              readerlab card pkoc --key card.pem --field unix:/tmp/field

            Without --field it prints the public key, for readerlab credentials pkoc add.
            """)

    @Option(help: ArgumentHelp("The card's key in PEM; made if the file does not exist.", valueName: "FILE"))
    var key: String
    @OptionGroup var options: CardFieldOptions

    func run() throws {
        let key = try CardKeyFile.pair(key)
        let card = PKOCCard(key, activation: try options.activation())
        try options.run(card, kind: "pkoc", identity: CardKeyFile.point(key)) { PlainTouch($0, kind: "pkoc") }
    }
}

/// `readerlab card desfire`.
struct DESFireCardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desfire", abstract: "A DESFire card with a number in a file (EV1, EV2 and later).",
        discussion: """
              readerlab card desfire --number 0011223344556677 \\
                --key-file desfire.key --field unix:/tmp/field

            The options have the names of readerd's [desfire]. Without --field it prints the number.
            """)

    @Option(help: ArgumentHelp("The octets of the file.", valueName: "HEX"))
    var number: String
    @Option(help: ArgumentHelp("The file of the key that reads it: 32 hexadecimal digits.", valueName: "FILE"))
    var keyFile: String
    @Option(help: ArgumentHelp("The number of that key.", valueName: "N"))
    var keyNumber: UInt8 = 0
    @Option(help: ArgumentHelp("The application.", valueName: "HEX"))
    var application = "F51BC0"
    @Option(help: ArgumentHelp("The number of the file.", valueName: "N"))
    var file: UInt8 = 1
    @Option(help: "plain, mac or full.")
    var communication = DESFireContents.Mode.full
    @Option(help: "ev1 or ev2.")
    var generation = DESFireContents.Generation.ev2
    @Option(help: ArgumentHelp("The site's octets of a diversified key; may be empty.", valueName: "HEX"))
    var diversification: String?
    @Option(
        help: ArgumentHelp(
            "The key by which the card reports its UID; then the UID in the field is random.", valueName: "FILE"))
    var uidKeyFile: String?
    @Option(help: ArgumentHelp("The number of that key.", valueName: "N"))
    var uidKeyNumber: UInt8 = 1
    @Option(help: ArgumentHelp("The card's own UID, seven octets.", valueName: "HEX"))
    var cardUID = "04782E21801D80"
    @OptionGroup var options: CardFieldOptions

    func validate() throws { _ = try octets() }

    private func octets() throws -> (number: [UInt8], application: [UInt8], uid: [UInt8], system: [UInt8]?) {
        guard let number = Hexadecimal.octets(number), !number.isEmpty, number.count <= 32 else {
            throw ValidationError("--number has 1 to 32 octets in hexadecimal digits")
        }
        guard let application = Hexadecimal.octets(application), application.count == 3,
            let uid = Hexadecimal.octets(cardUID), uid.count == 7
        else { throw ValidationError("--application has 3 octets, and --card-uid 7, in hexadecimal digits") }
        let system = diversification.map { Hexadecimal.octets($0) }
        if let system, system == nil || (system?.count ?? 0) > 21 {
            throw ValidationError("--diversification has at most 21 octets in hexadecimal digits")
        }
        return (number, application, uid, system ?? nil)
    }

    func run() throws {
        let (number, application, uid, system) = try octets()
        var contents = DESFireContents(number: number, key: try CardKeyFile.symmetric(keyFile), uid: uid)
        (contents.application, contents.file, contents.keyNumber) = (application, file, keyNumber)
        (contents.mode, contents.generation, contents.system) = (communication, generation, system)
        if let uidKeyFile { contents.uidKey = (uidKeyNumber, try CardKeyFile.symmetric(uidKeyFile)) }
        var activation = try options.activation()
        // ATS of DESFire cards.
        activation.answer = [0x75, 0x77, 0x81, 0x02, 0x80]
        if options.uid == nil, contents.uidKey == nil { activation.identifier = uid }
        try options.run(DESFireCard(contents, activation: activation), kind: "desfire", identity: number) {
            PlainTouch($0, kind: "desfire")
        }
    }
}

extension DESFireContents.Mode: @retroactive ExpressibleByArgument {}
extension DESFireContents.Generation: @retroactive ExpressibleByArgument {}
