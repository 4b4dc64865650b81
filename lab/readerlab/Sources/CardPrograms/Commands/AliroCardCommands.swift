// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import Contactless
import Crypto
import Emulation
import Glibc
import JSON
import Octets

/// `readerlab card aliro`.
struct AliroCardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "aliro", abstract: "A phone with an Aliro credential, right or with a fault.",
        discussion: """
            readerd aliro prints the reader's point. The phone reports each rule that the reader breaks, and with a \
            fault whether the reader reacts as it should: readerlab card faults lists them.

              readerlab card aliro --key phone.pem
              readerlab card aliro --key phone.pem --reader 04… \\
                --field unix:/tmp/field
              readerlab card aliro --key phone.pem --reader 04… \\
                --access access.cbor --field unix:/tmp/field
              readerlab card aliro --key phone.pem --reader 04… \\
                --fault off-curve --field unix:/tmp/field
              readerlab card aliro --key phone.pem --reader 04… \\
                --issuer issuer.pem --element floor1 --fault expired --field unix:/tmp/field

            With --issuer the phone carries a document signed now, right or with a fault that only an issuer can make. \
            Faults with certificates need a reader that trusts the issuer's point as an authority, too.

            Without --field it prints the public key, for readerlab credentials aliro add or access.
            """)

    @Option(help: ArgumentHelp("The credential's key in PEM; made if the file does not exist.", valueName: "FILE"))
    var key: String
    @Option(help: ArgumentHelp("The point of the reader, or of its certificate's authority.", valueName: "HEX"))
    var reader: String?
    @Option(help: ArgumentHelp("The group of the reader, 16 octets; any if not given.", valueName: "HEX"))
    var group: String?
    @Option(help: ArgumentHelp("An access document of readerlab credentials aliro access.", valueName: "FILE"))
    var access: String?
    @Option(help: ArgumentHelp("A revocation document.", valueName: "FILE"))
    var revocation: String?
    @Option(
        help: ArgumentHelp("The issuer's private key, of readerlab credentials aliro issuer.", valueName: "FILE"))
    var issuer: String?
    @Option(help: ArgumentHelp("The element of the issuer's document, as in the reader's settings.", valueName: "TEXT"))
    var element = "matter1"
    @Option(help: ArgumentHelp("The iteration of the issuer's document.", valueName: "NUMBER"))
    var iteration: Int?
    @Option(help: ArgumentHelp("The fault: a name of readerlab card faults.", valueName: "NAME"))
    var fault: String?
    @OptionGroup var options: CardFieldOptions

    func validate() throws {
        if issuer != nil, access != nil { throw ValidationError("--access and --issuer exclude each other") }
        guard 0...1_000_000 ~= iteration ?? 0 else { throw ValidationError("--iteration is 0 to 1000000") }
        if options.field != nil, reader == nil { throw ValidationError("name the point of the reader: --reader 04…") }
        _ = try trust()
        guard let fault else { return }
        guard let known = AliroPhoneFault.named(fault) else {
            throw ValidationError("there is no fault \(fault.debugDescription); see: readerlab card faults")
        }
        if known.needsIssuer, issuer == nil {
            throw ValidationError("only an issuer can make \(fault): name its key with --issuer FILE")
        }
        if known.needsDocument, access == nil, issuer == nil {
            throw ValidationError("\(fault) is a fault of documents: name one with --access FILE, or --issuer FILE")
        }
    }

    private func trust() throws -> AliroPhone.Trust? {
        guard let reader else { return nil }
        guard let octets = Hexadecimal.octets(reader), let point = try? P256PublicKey(point: octets.span) else {
            throw ValidationError("--reader is no point of P-256: it has 130 hexadecimal digits, 04 first")
        }
        let group = group.map { Hexadecimal.octets($0) ?? [] }
        guard let trust = AliroPhone.Trust(group: group, point: point) else {
            throw ValidationError("--group has 16 octets in hexadecimal digits")
        }
        return trust
    }

    func run() throws {
        let key = try CardKeyFile.pair(key)
        guard let trust = try trust() else {
            return ConsoleOutput.write(Hexadecimal.text(CardKeyFile.point(key)), to: STDOUT_FILENO)
        }
        var phone = AliroPhone(
            key, trust: trust, activation: try options.activation(), fault: fault.flatMap(AliroPhoneFault.named))
        for (type, path) in [("aliro-a", access), ("aliro-r", revocation)] {
            if let path { phone.documents[type] = try InputFile.octets(path, maximum: 2048, "an Aliro document") }
        }
        if let issuer {
            let now = Int64(Glibc.time(nil))
            let issue = try AliroIssue(
                by: CardKeyFile.issuer(issuer), to: phone.point, element: element, iteration: iteration, at: now)
            try phone.carry(issue)
        }
        do { try phone.checkFault() } catch {
            throw CommandError.misuse(
                "\(fault ?? "the fault") cannot be made of this document: \(error); use --issuer FILE")
        }
        try options.run(phone, kind: "aliro", identity: CardKeyFile.point(key)) { AliroTouch($0) }
    }
}

/// `readerlab card faults`.
struct CardFaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults", abstract: "List the faults of Aliro phones and readers.",
        discussion: """
            A row for each: the side that fails, the fault's name, what the other side does if it is right, and what \
            the failing side does.

              readerlab card faults
            """)

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() {
        let faults = AliroFaultRow.all
        let widths = (faults.map(\.name.count).max() ?? 0, faults.map(\.reaction.count).max() ?? 0)
        for fault in faults {
            let object: JSONObject = [
                "side": fault.side, "fault": fault.name, "other": fault.reaction, "action": fault.action,
                "needs-document": fault.needsDocument ? true : nil, "needs-issuer": fault.needsIssuer ? true : nil,
            ]
            let row = [
                TextColumn.padded(fault.side, 6), TextColumn.padded(fault.name, widths.0),
                TextColumn.padded(fault.reaction, widths.1), fault.action,
            ]
            ConsoleOutput.write(json ? object.text : row.joined(separator: "  "), to: STDOUT_FILENO)
        }
    }
}
