// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Octets
import Reader

extension SettingKey {
    static let credentials: [SettingKey] = [
        boolean(
            "credentials.oss-so", \.credentials.takesStandardOffline,
            "Accepts OSS Standard Offline credentials, whose files name their doors and schedules."),
        boolean(
            "credentials.master-group", \.credentials.takesMasterGroup,
            "Accepts credentials of the master group, group 0, which open every door of the site."),
        boolean(
            "credentials.intervention-media", \.credentials.takesInterventionMedia,
            "Accepts intervention media, as fire brigades have them. They have no door, no schedule and perhaps no "
                + "end: a copy opens until it is blacklisted."),
        list(
            "credentials.groups", \.credentials.groups,
            takes: "a list of texts: a group's number, and with one of its schedules \"7 mon-fri 08:00-18:00\" or "
                + "\"7 sat,sun 10:00-14:00 1-90\" (days of the year)",
            "The door groups of this door; up to four lines with a schedule per group. \"hol\" among the weekdays is a "
                + "day of reader.holidays, on which no other schedule holds.",
            write: \.text,
            read: { GroupLine($0) },
            problem: "is not a group: needs a number from 1 to 65535, alone or as in \"7 mon-fri 08:00-18:00\" "
                + "(minutes "
                + "up to 58, 24:00 as the end of a day)"),
        list(
            "credentials.sid-allow", \.credentials.secureIdentifiers, takes: "a list of texts: names of credentials",
            "The OSS Secure Identifier credentials that open the door; all others are denied.",
            write: \.text,
            read: { OSSCredentialID($0) }, problem: "is not a credential identifier: needs 1 to 10 ASCII characters"),
        boolean(
            "credentials.carried-blacklist", \.credentials.takesCarriedBlacklist,
            "Adopts the blacklist that a credential carries from door to door."),
        integer(
            "credentials.blacklist-capacity", \.credentials.blacklistCapacity, 16...100_000,
            "The capacity of the blacklist in credentials."),
        choices(
            "credentials.card-kinds", \.credentials.cardKinds, of: CardReading.readable,
            "The kinds of contactless card that are read, in the order in which they are tried.",
            hint: IdentifierOnly.problem),
        text(
            "credentials.cards", \.credentials.cards, takes: "text: an absolute path",
            "The list of the cards that open the door, written by readerlab credentials and read again at a "
                + "reload. Absent: none do.", example: "/etc/readerd/cards.json", check: SettingChecks.device),
        text(
            "credentials.pkoc-reader", \.credentials.pkocReader, takes: "text: 64 hexadecimal digits",
            "The identifier that PKOC cards receive: the site's, then the location's. Empty: zeros. It protects "
                + "nothing.", check: SettingChecks.pkocReader),
        list(
            "credentials.pkoc-issuers", \.credentials.pkocIssuers,
            takes: "a list of texts: an issuer's identifier and its point of P-256, 130 hexadecimal digits",
            "The issuers of PKOC cards. With any, a listed card has to show a certificate of one of them (NFC 2, not "
                + "tried with real cards), and cards of version 1 are refused.",
            write: \.text, read: { PKOCIssuerLine($0) }, problem: PKOCIssuerLine.problem),
    ]
}

extension SettingChecks {
    /// Checks for the identifier of a reader for PKOC cards.
    static func pkocReader(_ text: String) -> String? {
        text.isEmpty || Hexadecimal.octets(text)?.count == PKOCReaderID.octetCount
            ? nil : "\(SettingKey.quoted(text)) is not 64 hexadecimal digits"
    }
}

extension DecodedSettings {
    /// Finds too many issuers of PKOC cards, and numbers of them that are short without an issuer.
    mutating func checkPKOC() {
        let key = "credentials.pkoc-issuers"
        checkPKOCReading()
        guard areSound([key]) else { return }
        let count = settings.credentials.pkocIssuers.count
        if count > PKOCIssuer.maximumCount {
            report(.fault, key, "has \(count) issuers: \(PKOCIssuer.maximumCount) are the most")
        }
        guard count == 0 else { return }
        let panels = [("osdp.pkoc-bits", settings.osdp.cards), ("wiegand.pkoc-bits", settings.wiegand.cards)]
        for (bits, cards) in panels where areSound([bits]) && cards.pkoc.needsIssuer {
            report(
                .fault, bits,
                "needs \(key): without trusted issuers, a number of \(cards.pkocBits) bits is found by search for "
                    + "another key")
        }
    }

    /// Finds values for PKOC of a reader that reads none, by card or over Bluetooth LE.
    private mutating func checkPKOCReading() {
        let (kinds, modes) = ("credentials.card-kinds", "advertising.modes")
        guard areSound([kinds, modes]), !settings.credentials.cardKinds.contains(.pkoc),
            !settings.advertising.modes.contains(.pkoc)
        else { return }
        let values = [
            ("credentials.pkoc-issuers", !settings.credentials.pkocIssuers.isEmpty),
            ("credentials.pkoc-reader", !settings.credentials.pkocReader.isEmpty),
        ]
        for (key, isSet) in values where isSet && isWritten(key) {
            report(.warning, key, "has no effect: \(kinds) and \(modes) lack \"pkoc\"")
        }
    }

    /// Finds groups that are listed repeatedly without a schedule, both with and without one, or with too many
    /// schedules.
    mutating func checkGroups() {
        guard areSound(["credentials.groups"]) else { return }
        for (number, lines) in Dictionary(grouping: settings.credentials.groups, by: \.id).sorted(by: {
            $0.key < $1.key
        }) {
            let problem: String? =
                if lines.count > 1, lines.contains(where: { $0.schedule == nil }) {
                    "is listed with and without a schedule, or repeatedly without: keep one kind"
                } else if lines.count > DoorGroup.scheduleLimit {
                    "has \(lines.count) schedules: at most \(DoorGroup.scheduleLimit) are possible"
                } else { nil }
            if let problem { addFault("credentials.groups", "group \(number) \(problem)") }
        }
    }
}
