// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Configuration
import Credentials
import Crypto
import Glibc
import JSON
import Octets
import System
import Timekeeping

/// `readerlab credentials aliro`.
struct AliroGroup: ParsableCommand, ListedKind {
    static let kind = CardKind.aliro
    static let noun = "a phone's credential"
    static let origin = "It comes from the program that has put the credential into the phone."
    static let configuration = CommandConfiguration(
        commandName: "aliro", abstract: "Aliro credentials of phones without Matter: the list, an issuer, documents.",
        discussion: """
            A phone opens if the list has its public key, or if it carries an access document by an issuer that the \
            reader trusts. Wallets of phones get both from a home's hub over Matter; these commands are for phones and \
            apps that the site provides: docs/operate/aliro.md.

              readerlab credentials aliro add PHONE00001 --list cards.json --key 04…
              readerlab credentials aliro issuer issuer.pem
              readerlab credentials aliro access --issuer issuer.pem --element floor1 \\
                --key 04… --from 2026-12-01 --until 2027-12-31 --out access.cbor
              readerlab credentials aliro revocation --issuer issuer.pem --element floor1 \\
                --key 04… --until 2027-12-31 --out revocation.cbor
            """,
        subcommands: [
            AddKeyCommand<AliroGroup>.self, RemoveCardCommand<AliroGroup>.self, ListCardsCommand<AliroGroup>.self,
            AliroIssuerCommand.self, AliroAccessCommand.self, AliroRevocationCommand.self,
        ])
}

/// `readerlab credentials aliro issuer`.
struct AliroIssuerCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer", abstract: "Print an issuer's point for aliro.issuers; make its key if there is none.",
        discussion: """
            The file has the private key, mode 0600. Whoever has it makes documents that open.

              readerlab credentials aliro issuer issuer.pem
            """)

    @Argument(help: ArgumentHelp("The file of the key, in PEM.", valueName: "FILE"))
    var path: String

    @Flag(help: "One object of JSON: the point.")
    var json = false

    func perform() throws(CredentialError) -> [String] {
        let exists = try CredentialStore.octets(path) != nil
        let issuer = exists ? try AliroIssuer(path: path) : try AliroIssuer.make(path)
        let point = Hexadecimal.text(issuer.point)
        return [json ? (["key": point] as JSONObject).text : point]
    }
}

/// The options of both documents.
struct AliroDocumentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The file of the issuer's key.", valueName: "FILE"))
    var issuer: String

    @Option(help: ArgumentHelp("The identifier of the element that readers request.", valueName: "TEXT"))
    var element: String

    @Option(help: ArgumentHelp("The first minute, in UTC; this minute if it is not named.", valueName: "DATE"))
    var from: String?

    @Option(help: ArgumentHelp("The last minute, in UTC.", valueName: "DATE"))
    var until: String

    @Option(
        help: ArgumentHelp("Counts the issuer's documents; eight later ones invalidate this one.", valueName: "N"))
    var iteration: Int64?

    @Option(name: .customLong("out"), help: ArgumentHelp("The document's file, which is made.", valueName: "FILE"))
    var output: String

    @Flag(help: "One object of JSON: the file, its octets, and the end.")
    var json = false

    func validate() throws {
        guard 1...AliroIssuer.maximumElementCount ~= element.utf8.count else {
            throw ValidationError("--element has 1 to \(AliroIssuer.maximumElementCount) octets")
        }
        guard iteration ?? 0 >= 0 else { throw ValidationError("--iteration is not negative") }
        _ = try validity()
    }

    /// The validity, signed by this machine's clock.
    func validity() throws -> AliroIssuer.Validity {
        let now = CivilTime(epochSeconds: Int64(Glibc.time(nil)))
        var first = try from.map { try TokenOptions.time("--from", $0, .first) } ?? now
        // A reader's clock may be some seconds behind.
        first.second = 0
        var last = try TokenOptions.time("--until", until, .last)
        last.second = 59
        guard first < last else { throw ValidationError("--until is before --from, or is over") }
        return AliroIssuer.Validity(signed: now, from: first, until: last)
    }

    /// The points of these keys.
    static func points(_ keys: [String]) throws -> [[UInt8]] {
        try keys.map { key in
            guard let point = AliroPointText(key) else { throw ValidationError("--key \(AliroPointText.problem)") }
            return point.octets
        }
    }

    /// Signs a document, and writes it.
    func write(
        _ sign: (AliroIssuer, AliroIssuer.Validity) throws -> [UInt8]
    ) throws(CredentialError) -> [String] {
        try CredentialStore.checkNew(output)
        let issuer = try AliroIssuer(path: issuer)
        let document: [UInt8]
        do { document = try sign(issuer, validity()) } catch { throw CredentialError("\(error)") }
        try CredentialStore.create(octets: document, at: output)
        let report: JSONObject = ["file": output, "octets": document.count, "until": until]
        return [json ? report.text : "\(output): \(document.count) octets, valid to \(until)"]
    }
}

/// `readerlab credentials aliro access`.
struct AliroAccessCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: "Sign an access document of a phone's credential.",
        discussion: """
            The phone carries it, and opens each door whose reader trusts the issuer and requests the element.

              readerlab credentials aliro access --issuer issuer.pem --element floor1 \\
                --key 04… --until 2027-12-31 --out access.cbor
            """)

    @Option(help: ArgumentHelp("The credential's public key.", valueName: "HEX"))
    var key: String

    @OptionGroup var document: AliroDocumentOptions

    func validate() throws { _ = try AliroDocumentOptions.points([key]) }

    func perform() throws(CredentialError) -> [String] {
        try document.write { issuer, validity in
            var random = SystemRandomSource()
            return try issuer.access(
                to: AliroDocumentOptions.points([key])[0], element: document.element, validity,
                iteration: document.iteration, random: &random)
        }
    }
}

/// `readerlab credentials aliro revocation`.
struct AliroRevocationCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "revocation", abstract: "Sign a revocation document.",
        discussion: """
            It replaces the issuer's earlier one, and reaches a reader with any phone that carries it. To refuse a phone \
            at once, use readerd revoke.

              readerlab credentials aliro revocation --issuer issuer.pem --element floor1 \\
                --key 04… --key 04… --until 2027-12-31 --out revocation.cbor
            """)

    @Option(name: .customLong("key"), help: ArgumentHelp("A revoked credential's public key.", valueName: "HEX"))
    var keys: [String]

    @OptionGroup var document: AliroDocumentOptions

    func validate() throws {
        guard 1...AliroIssuer.maximumRevoked ~= keys.count else {
            throw ValidationError("a document revokes 1 to \(AliroIssuer.maximumRevoked) credentials")
        }
        _ = try AliroDocumentOptions.points(keys)
    }

    func perform() throws(CredentialError) -> [String] {
        try document.write { issuer, validity in
            var random = SystemRandomSource()
            return try issuer.revocation(
                of: AliroDocumentOptions.points(keys), element: document.element, validity,
                iteration: document.iteration, random: &random)
        }
    }
}
