// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Crypto

/// `readerlab credentials reader`.
struct ReaderGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "Add a reader to a site, or change its keys.",
        subcommands: [AddReaderCommand.self, UpdateReaderCommand.self, RotateReaderCommand.self])
}

/// Options for a reader's public key and numbers.
struct ReaderKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The JSON output of readerd provision, or the reader's public key in PEM.", valueName: "FILE"))
    var publicKey: String?

    @Option(help: ArgumentHelp("The reader's device id, where the file does not say.", valueName: "ID"))
    var deviceID: String?

    @Option(help: ArgumentHelp("Its door's number, 1 to 65535, where the file does not say.", valueName: "N"))
    var doorID: Int?

    func validate() throws {
        if let doorID, !(1...65_535 ~= doorID) { throw ValidationError("--door-id is 1 to 65535") }
        if let deviceID, deviceID.utf8.count != 8 || !deviceID.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            throw ValidationError("--device-id is 8 printable ASCII characters, without a space")
        }
    }

    /// Updates an entry with the known values.
    func apply(to reader: inout SiteFile.Reader, site: SiteFile) throws(CredentialError) {
        if let doorID { reader.doorID = doorID }
        if let deviceID { reader.deviceID = deviceID }
        guard let publicKey else { return }
        let (record, der) = try CredentialStore.provisionRecord(publicKey)
        if let siteID = record.siteID, siteID != site.id {
            throw CredentialError(
                "\(publicKey): this reader was provisioned for site \(siteID), and this is \(site.id)")
        }
        if let other = site.readers.first(where: { $0.terminalPublicKey == der && $0.name != reader.name }) {
            throw CredentialError("\(publicKey): is the key of reader \(other.name)")
        }
        guard let id = record.deviceID ?? reader.deviceID else {
            throw CredentialError("\(publicKey): does not say the device id; give it: --device-id")
        }
        if let deviceID, deviceID != id {
            throw CredentialError("\(publicKey): is of device \(id), and --device-id says \(deviceID)")
        }
        reader.deviceID = id
        reader.serialNumber = record.serialNumber ?? reader.serialNumber
        reader.doorID = doorID ?? record.doorID ?? reader.doorID
        reader.terminalPublicKey = der
    }
}

/// A new key pair for the tokens of one reader.
private enum SignatureKeyPair {
    static func make() throws(CredentialError) -> (secret: String, publicLines: [String]) {
        do throws(CryptoError) {
            let key = try P256PrivateKey.generate()
            let lines = String(decoding: try key.publicKey.pem(), as: UTF8.self).split(separator: "\n").map(String.init)
            return (String(decoding: try key.pem(), as: UTF8.self), lines)
        } catch {
            throw CredentialError("libcrypto makes no key: is it built without P-256?")
        }
    }
}

/// `readerlab credentials reader add`.
struct AddReaderCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a reader with its own signature key; prints the public half.",
        discussion: """
            The public half goes to the reader: readerd provision --add-signature-key FILE. With --public-key the entry \
            is complete; without, it waits for readerlab credentials reader update.

              readerlab credentials reader add front --site site.json \\
                --public-key front.json > front-signature.pem
            """)

    @Argument(help: ArgumentHelp("The reader's display name.", valueName: "NAME"))
    var name: String

    @OptionGroup var site: SiteOption
    @OptionGroup var key: ReaderKeyOptions

    func perform() throws(CredentialError) -> [String] {
        let pair = try SignatureKeyPair.make()
        try CredentialStore.changeSite(site.path) { file throws(CredentialError) in
            guard !file.readers.contains(where: { $0.name == name }) else {
                throw CredentialError(
                    "there is a reader \(name.debugDescription) already; to change it: readerlab credentials reader "
                        + "update")
            }
            var reader = SiteFile.Reader(name: name, signatureKey: pair.secret)
            try key.apply(to: &reader, site: file)
            file.readers.append(reader)
        }
        return pair.publicLines
    }
}

/// `readerlab credentials reader update`.
struct UpdateReaderCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Update a reader's entry, for example with a new terminal key.",
        discussion: """
            Phones that have the old key need a new bundle; tokens stay as they are.

              readerlab credentials reader update front --site site.json \\
                --public-key front.json
            """)

    @Argument(help: ArgumentHelp("The reader.", valueName: "NAME"))
    var name: String

    @OptionGroup var site: SiteOption
    @OptionGroup var key: ReaderKeyOptions

    func perform() throws(CredentialError) -> [String] {
        let deviceID = try CredentialStore.changeSite(site.path) { file throws(CredentialError) in
            let index = try file.index(of: name)
            try key.apply(to: &file.readers[index], site: file)
            return file.readers[index].deviceID
        }
        return ["\(site.path): reader \(name) is device \(deviceID ?? "not known yet")"]
    }
}

/// `readerlab credentials reader rotate`.
struct RotateReaderCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new signature key for a reader; prints the public half.",
        discussion: """
            Tokens that are issued from now on are signed with it, and the old private key is gone. Give the public half \
            to the reader first thing, and let it take the tokens that are out until they have been replaced:

              readerlab credentials reader rotate front --site site.json > new.pem
              readerd provision --add-signature-key new.pem --old-key-until 2026-12-31
            """)

    @Argument(help: ArgumentHelp("The reader.", valueName: "NAME"))
    var name: String

    @OptionGroup var site: SiteOption

    func perform() throws(CredentialError) -> [String] {
        let pair = try SignatureKeyPair.make()
        try CredentialStore.changeSite(site.path) { file throws(CredentialError) in
            file.readers[try file.index(of: name)].signatureKey = pair.secret
        }
        return pair.publicLines
    }
}
