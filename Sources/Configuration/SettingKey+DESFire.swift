// SPDX-License-Identifier: Apache-2.0

import Credentials
import Octets

extension SettingKey {
    private static let keyNumbers = DESFireCredential.Key.numbers

    static let desfire: [SettingKey] = [
        text(
            "desfire.application", \.desfire.application, takes: "text: six hexadecimal digits",
            "The application of DESFire cards that has the file with their numbers: docs/operate/desfire.md. Needed "
                + "with \"desfire\" in credentials.card-kinds.", example: "F51BC0",
            check: SettingChecks.desfireApplication),
        integer("desfire.file", \.desfire.file, 0...31, "The number of the file.", example: 1),
        integer(
            "desfire.offset", \.desfire.offset, 0...0xFFFF, "The first octet of a card's number in the file, from 0."),
        integer(
            "desfire.count", \.desfire.count, 1...DESFireCredential.countLimit, "The octets of a card's number.",
            example: 8),
        choice(
            "desfire.communication", \.desfire.communication,
            "The protection of the file on its way, as the card has it. A file in plain is not read: its octets would "
                + "prove nothing."),
        integer(
            "desfire.key-number", \.desfire.keyNumber, keyNumbers,
            "The number of the key that reads the file."),
        text(
            "desfire.key-file", \.desfire.keyFile, takes: "text: an absolute path",
            "The file with that AES key, or with the master key of diversified ones: 32 hexadecimal digits, for its "
                + "owner only. Read again at a reload.", example: "/etc/readerd/desfire.key",
            check: SettingChecks.device),
        text(
            "desfire.diversification", \.desfire.diversification,
            takes: "text: at most \(2 * DESFireCredential.Diversification.systemLimit) hexadecimal digits, or none",
            "Derives each card's key (AN10922) of its UID, the application and these octets of the site. Absent: all "
                + "cards have the same key.", example: "4E585020416275", check: SettingChecks.desfireSystem),
        integer(
            "desfire.uid-key-number", \.desfire.uidKeyNumber, keyNumbers,
            "The number of a key that all cards have, by which cards with a random UID report the true one."),
        text(
            "desfire.uid-key-file", \.desfire.uidKeyFile, takes: "text: an absolute path",
            "The file with that key. Absent: cards with a random UID are refused, if keys are diversified.",
            example: "/etc/readerd/desfire-uid.key", check: SettingChecks.device),
    ]
}

extension SettingChecks {
    /// Checks for the identifier of an application; that of the card itself, zeros, has no file.
    static func desfireApplication(_ text: String) -> String? {
        guard Hexadecimal.octets(text)?.count == 3 else {
            return "\(SettingKey.quoted(text)) is not six hexadecimal digits"
        }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "0") } ? "is the card itself, which has no file" : nil
    }

    /// Checks for the octets of a site.
    static func desfireSystem(_ text: String) -> String? {
        let limit = DESFireCredential.Diversification.systemLimit
        return Hexadecimal.octets(text).map { $0.count <= limit } == true
            ? nil : "\(SettingKey.quoted(text)) is not 0 to \(2 * limit) hexadecimal digits, two for each octet"
    }
}
