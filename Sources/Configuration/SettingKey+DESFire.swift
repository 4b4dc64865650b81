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

extension DecodedSettings {
    /// Finds missing keys of `[desfire]`, keys without effect, and a panel that wants more bits than a number has.
    mutating func checkDESFire() {
        let (desfire, kinds) = (settings.desfire, "credentials.card-kinds")
        guard areSound([kinds]) else { return }
        guard settings.credentials.cardKinds.contains(.desfire) else {
            let keys = ["application", "file", "count", "key-file", "diversification", "uid-key-file"]
            if let key = keys.map({ "desfire.\($0)" }).first(where: isWritten) {
                report(.warning, key, "has no effect: \(kinds) lacks \"desfire\"")
            }
            return
        }
        let necessary = [
            ("application", desfire.application == nil), ("file", desfire.file == nil), ("count", desfire.count == nil),
            ("key-file", desfire.keyFile == nil),
        ]
        let missing = necessary.filter { $0.1 && areSound(["desfire.\($0.0)"]) }.map { "desfire.\($0.0)" }
        if let first = missing.first {
            report(
                .fault, first, or: kinds,
                "is missing: set \(missing.joined(separator: ", ")). A card's UID alone is no identity, since anyone "
                    + "near reads and copies it; a number in a file is, if only the site's key reads it")
        }
        checkDESFireUIDKey()
        guard let count = desfire.count, areSound(["desfire.count"]) else { return }
        for (section, cards) in [("osdp", settings.osdp.cards), ("wiegand", settings.wiegand.cards)]
        where cards.desfireBits > count * 8 && areSound(["\(section).desfire-bits"]) {
            report(
                .fault, "\(section).desfire-bits",
                "\(cards.desfireBits) exceeds the \(count * 8) bits of a number: raise desfire.count, or write 0")
        }
    }

    /// Finds a common key that nothing needs, and one in the place of the diversified key: a place has one key.
    private mutating func checkDESFireUIDKey() {
        let (desfire, file, number) = (settings.desfire, "desfire.uid-key-file", "desfire.uid-key-number")
        guard areSound(["desfire.diversification", file, number, "desfire.key-number"]) else { return }
        if desfire.diversification == nil, isWritten(file) {
            report(.warning, file, "has no effect without desfire.diversification")
        } else if desfire.uidKey != nil, desfire.uidKeyNumber == desfire.keyNumber {
            report(
                .fault, number, or: file,
                "\(desfire.uidKeyNumber) is desfire.key-number as well, whose key differs on each card: write the "
                    + "number of the key that all cards have")
        } else if desfire.uidKeyFile == nil, desfire.uidKeyNumber != DESFireSettings().uidKeyNumber {
            report(.warning, number, "has no effect without \(file)")
        }
    }
}
