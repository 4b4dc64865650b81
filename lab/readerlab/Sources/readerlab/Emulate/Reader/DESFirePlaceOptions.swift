// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CardPrograms
import Commands
public import Credentials
import Crypto
import Octets

/// The place of the number on DESFire cards, by the names of readerd's `[desfire]`.
struct DESFirePlaceOptions: ParsableArguments {
    private static let system = DESFireCredential.Diversification.systemLimit

    @Option(
        name: .customLong("desfire-key-file"),
        help: ArgumentHelp(
            "The file of the key that reads DESFire cards, or of its master key: 32 hexadecimal digits, for its owner "
                + "only.", valueName: "FILE"))
    var keyFile: String?
    @Option(name: .customLong("desfire-key-number"), help: ArgumentHelp("The number of that key.", valueName: "N"))
    var keyNumber: UInt8 = 0
    @Option(name: .customLong("desfire-application"), help: ArgumentHelp("The application.", valueName: "HEX"))
    var application = "F51BC0"
    @Option(name: .customLong("desfire-file"), help: ArgumentHelp("The number of the file.", valueName: "N"))
    var file: UInt8 = 1
    @Option(
        name: .customLong("desfire-offset"),
        help: ArgumentHelp("The first octet of the number in the file.", valueName: "N"))
    var offset = 0
    @Option(name: .customLong("desfire-count"), help: ArgumentHelp("The octets of the number.", valueName: "N"))
    var count = 8
    @Option(name: .customLong("desfire-communication"), help: "The protection of the file: mac or full.")
    var communication = DESFireCredential.Communication.full
    @Option(
        name: .customLong("desfire-diversification"),
        help: ArgumentHelp("The site's octets of a diversified key; may be empty.", valueName: "HEX"))
    var diversification: String?
    @Option(
        name: .customLong("desfire-uid-key-file"),
        help: ArgumentHelp(
            "The file of the key by which cards with a random UID report theirs, for diversified keys.",
            valueName: "FILE"))
    var uidKeyFile: String?
    @Option(name: .customLong("desfire-uid-key-number"), help: ArgumentHelp("The number of that key.", valueName: "N"))
    var uidKeyNumber: UInt8 = 1

    func validate() throws {
        if uidKeyFile != nil, diversification == nil {
            throw ValidationError("--desfire-uid-key-file needs diversified keys: --desfire-diversification HEX")
        }
        // Any key: the files are read at the start.
        let octets = [UInt8](repeating: 0, count: DESFireCredential.Key.octetCount)
        _ = try place(octets, uidKey: uidKeyFile.map { _ in octets })
    }

    /// Reads the keys: the place; nil without a key.
    func place() throws -> DESFireCredential? {
        guard let keyFile else { return nil }
        return try place(
            try CardKeyFile.symmetric(keyFile),
            uidKey: uidKeyFile.map { path throws(CommandError) in try CardKeyFile.symmetric(path) })
    }

    private func place(_ key: [UInt8], uidKey: [UInt8]?) throws -> DESFireCredential {
        let numbers = DESFireCredential.Key.numbers
        guard let key = DESFireCredential.Key(number: keyNumber, octets: key) else {
            throw ValidationError("--desfire-key-number is \(numbers.lowerBound) to \(numbers.upperBound)")
        }
        guard
            let place = DESFireCredential(
                application: Hexadecimal.octets(application) ?? [], file: file, offset: offset, count: count,
                communication: communication, key: key, diversification: try derivation(uidKey))
        else {
            throw ValidationError(
                "--desfire-application has 6 hexadecimal digits, --desfire-file is 0 to 31, --desfire-offset 0 to "
                    + "65535, --desfire-count 1 to \(DESFireCredential.countLimit)")
        }
        return place
    }

    private func derivation(_ uidKey: [UInt8]?) throws -> DESFireCredential.Diversification? {
        guard let diversification else { return nil }
        let common = uidKey.flatMap { DESFireCredential.Key(number: uidKeyNumber, octets: $0) }
        guard uidKey == nil || common != nil else {
            let numbers = DESFireCredential.Key.numbers
            throw ValidationError("--desfire-uid-key-number is \(numbers.lowerBound) to \(numbers.upperBound)")
        }
        guard let octets = Hexadecimal.octets(diversification),
            let derivation = DESFireCredential.Diversification(system: octets, uidKey: common)
        else {
            throw ValidationError("--desfire-diversification has 0 to \(2 * Self.system) hexadecimal digits")
        }
        return derivation
    }
}

extension DESFireCredential.Communication: @retroactive ExpressibleByArgument {}
