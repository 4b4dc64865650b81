// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Octets
import Reader

extension SettingKey {
    static let aliro: [SettingKey] = [
        text(
            "aliro.group", \.aliro.group, takes: "text: 32 hexadecimal digits",
            "The identifier of the group of doors that phones know. Needed with \"aliro\" in credentials.card-kinds, "
                + "unless matter.aliro is true, and with \"aliro\" in advertising.modes.",
            example: "00112233445566778899AABBCCDDEEFF", check: SettingChecks.aliroIdentifier),
        text(
            "aliro.door", \.aliro.door, takes: "text: 32 hexadecimal digits",
            "The identifier of this door in its group. Needed with aliro.group.",
            example: "0123456789ABCDEF0123456789ABCDEF", check: SettingChecks.aliroIdentifier),
        text(
            "aliro.certificate", \.aliro.certificate, takes: "text: an absolute path",
            "The certificate of the reader's key in the compressed form of Aliro, read at the start; readerd aliro "
                + "shows the key. Absent: phones know the key itself.", example: "/etc/readerd/aliro.crt",
            check: SettingChecks.device),
        text(
            "aliro.certificate-issuer", \.aliro.certificateIssuer, takes: "text: 130 hexadecimal digits",
            "The point of the authority that signed the certificate, which phones know. Needed with it.",
            example: AliroPointText.example, check: SettingChecks.aliroPoint),
        list(
            "aliro.issuers", \.aliro.issuers, takes: "a list of texts: points of P-256, 130 hexadecimal digits each",
            "The issuers whose documents open the door; a removed one loses what its documents have granted.",
            write: \.text, read: { AliroPointText($0) }, problem: AliroPointText.problem),
        list(
            "aliro.issuer-authorities", \.aliro.issuerAuthorities,
            takes: "a list of texts: points of P-256, 130 hexadecimal digits each",
            "The authorities whose certificates make an issuer of documents one that opens the door.",
            write: \.text, read: { AliroPointText($0) }, problem: AliroPointText.problem),
        boolean(
            "aliro.fast", \.aliro.isFast,
            "Asks phones for the fast phase, by a key that the reader keeps of each. With false all taps are "
                + "standard."),
        choice(
            "aliro.authentication", \.aliro.authentication,
            "The authentication of the phone's user: as the phone is set, or at every tap."),
        text(
            "aliro.element", \.aliro.element, takes: "text: 1 to 128 octets",
            "The element of documents that has the access data; Matter homes have \"matter1\".",
            check: SettingChecks.aliroElement),
        text(
            "aliro.mailbox-read", \.aliro.mailboxRead, takes: "text: \"offset/count\" in octets",
            "The octets of a phone's mailbox that are logged after it has opened the door, for an app of the site that "
                + "writes them. They prove nothing. Absent: none.", example: "0/16",
            check: SettingChecks.aliroMailbox),
        text(
            "aliro.resolving-key", \.aliro.resolvingKey, takes: "text: 32 hexadecimal digits",
            "The group's resolving key, by which phones recognize the doors of the group over Bluetooth LE. It opens "
                + "nothing; who has it can follow the doors. Needed with \"aliro\" in advertising.modes.",
            example: "00112233445566778899AABBCCDDEEFF", check: SettingChecks.aliroIdentifier),
    ]
}

extension AliroPointText {
    /// The generator of P-256, no key of anyone.
    static let example =
        "046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"
        + "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5"
    /// The sentence about other text, after its subject.
    public static let problem = "is no point of P-256: needs 130 hexadecimal digits, 04 first"
}

extension SettingChecks {
    /// Checks for an identifier of a group or a door.
    static func aliroIdentifier(_ text: String) -> String? {
        Hexadecimal.octets(text)?.count == AliroReader.Identifier.partCount
            ? nil : "\(SettingKey.quoted(text)) is not 32 hexadecimal digits"
    }

    /// Checks for a point.
    static func aliroPoint(_ text: String) -> String? {
        AliroPointText(text) == nil ? "\(SettingKey.quoted(text)) \(AliroPointText.problem)" : nil
    }

    /// Checks for a place in the mailbox.
    static func aliroMailbox(_ text: String) -> String? {
        AliroSettings.access(text) == nil
            ? "\(SettingKey.quoted(text)) is no place: needs an offset and a count of 1 to \(AliroMailbox.maximumRead), as "
                + "in \"0/16\", within 65535 octets" : nil
    }

    /// Checks for the identifier of an element.
    static func aliroElement(_ text: String) -> String? {
        (1...128).contains(text.utf8.count) ? nil : "needs 1 to 128 octets, not \(text.utf8.count)"
    }
}

extension DecodedSettings {
    /// Finds missing keys of `[aliro]`, and keys without effect.
    mutating func checkAliro() {
        let (aliro, kinds) = (settings.aliro, "credentials.card-kinds")
        if isWritten("aliro.resolving-key"), areSound(["advertising.modes"]),
            !settings.advertising.modes.contains(.aliro)
        {
            report(.warning, "aliro.resolving-key", "has no effect: advertising.modes lacks \"aliro\"")
        }
        guard areSound([kinds, "advertising.modes"]) else { return }
        guard settings.readsAliro else {
            // An empty list has no effect that differs, as in the reference file.
            let keys =
                ["group", "door", "certificate", "certificate-issuer", "mailbox-read"]
                + (aliro.issuers.isEmpty ? [] : ["issuers"])
                + (aliro.issuerAuthorities.isEmpty ? [] : ["issuer-authorities"])
            if let key = keys.map({ "aliro.\($0)" }).first(where: isWritten) {
                report(.warning, key, "has no effect: \(kinds) lacks \"aliro\", and so does advertising.modes")
            }
            return
        }
        checkAliroMode()
        guard !settings.matter.hasAliro else { return }
        let missing = [("aliro.group", aliro.group), ("aliro.door", aliro.door)]
            .filter { $0.1 == nil && areSound([$0.0]) }.map(\.0)
        if let first = missing.first {
            report(
                .fault, first, or: kinds,
                "is missing: set \(missing.joined(separator: " and ")), 32 hexadecimal digits each: the group of doors "
                    + "that phones know, and this door's own")
        }
        if (aliro.certificate == nil) != (aliro.certificateIssuer == nil),
            areSound(["aliro.certificate", "aliro.certificate-issuer"])
        {
            report(
                .fault, aliro.certificate == nil ? "aliro.certificate-issuer" : "aliro.certificate",
                "needs \(aliro.certificate == nil ? "aliro.certificate" : "aliro.certificate-issuer") as well, the "
                    + "\(aliro.certificate == nil ? "file" : "point of the authority that signed it")")
        }
        if let issuer = aliro.certificateIssuer.flatMap({ AliroPointText($0) }),
            aliro.issuerAuthorities.contains(issuer)
        {
            report(
                .warning, "aliro.issuer-authorities",
                "has aliro.certificate-issuer: each reader that it has certified can sign documents that open. Have "
                    + "another authority certify issuers")
        }
        let points = aliro.issuers.count + aliro.issuerAuthorities.count
        if points > AliroStore.maximumAnchors {
            report(
                .fault, "aliro.issuers", or: "aliro.issuer-authorities",
                "has with aliro.issuer-authorities \(points) points: \(AliroStore.maximumAnchors) are the most")
        }
    }

    /// A phone of Aliro opens by a request, which a relay can carry, so its links need a gate, and its packet a key.
    private mutating func checkAliroMode() {
        guard settings.advertising.modes.contains(.aliro) else { return }
        if settings.proximity.gate(of: .aliro) == nil {
            report(
                .fault, "proximity.gate", or: "advertising.modes",
                "lacks \"aliro\", whose phones would open at any distance: add it, or remove the mode")
        }
        if settings.matter.hasAliro, areSound(["matter.aliro"]) {
            report(
                .fault, "advertising.modes", or: "matter.aliro",
                "mode \"aliro\" is not part of matter.aliro, whose homes have no resolving key: remove one of them")
        } else if settings.aliro.resolvingKey == nil, areSound(["aliro.resolving-key"]) {
            report(
                .fault, "aliro.resolving-key", or: "advertising.modes",
                "is missing: mode \"aliro\" needs the 32 hexadecimal digits by which phones recognize the group")
        }
        if areSound(["credentials.cards", "aliro.issuers", "aliro.issuer-authorities"]),
            settings.credentials.cards == nil, settings.aliro.anchors.isEmpty
        {
            report(
                .warning, "advertising.modes",
                "mode \"aliro\" refuses every phone: set credentials.cards, or aliro.issuers")
        }
    }
}
