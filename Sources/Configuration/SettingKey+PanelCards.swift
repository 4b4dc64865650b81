// SPDX-License-Identifier: Apache-2.0

import CardFormats
import Credentials
import Fleet

extension SettingKey {
    /// The keys of the cards in a section. Each path is a literal, because appended paths are not `Sendable`.
    static func cards(
        _ section: String, _ decisions: Path<ReaderSettings.PanelCards.Decisions>,
        _ format: Path<ReaderSettings.PanelCards.Format>, facility: Path<Int>, pattern: Path<[String]>,
        fascN: Path<String>, pkoc: Path<Int>, desfire: Path<Int>
    ) -> [SettingKey] {
        [
            choice(
                "\(section).cards", decisions,
                "The decisions whose credential is reported to the panel as a card, in mode \"report\"."),
            choice(
                "\(section).card-format", format,
                "The layout of such a card. Those with a number have one derived of the credential's identifier, which "
                    + "others may share: docs/operate/osdp.md."),
            integer(
                "\(section).facility", facility, 0...65_535,
                "The facility code of a card, up to 255 with 26-bit, 0 with a layout that has none."),
            list(
                "\(section).card-pattern", pattern,
                takes: "a list of texts, a character for each bit: F, N, P, 0 and 1 in the first, E or O, X and . in "
                    + "one for each parity",
                "The layout of card-format \"pattern\", as docs/operate/osdp.md shows.",
                write: \.self, read: { $0 }, problem: ""),
            text(
                "\(section).fasc-n", fascN,
                takes: "text: 32 digits or #, hyphens between them",
                "The FASC-N of card-format \"fasc-n\"; # stands for digits derived of the credential's identifier.",
                check: SettingChecks.fascN),
            integer(
                "\(section).pkoc-bits", pkoc, 32...256,
                "The bits of a PKOC card's number, which has no other layout: the last 64, 75 or all 256 of its key's X "
                    + "coordinate; 32, 40, 48 or 56 with credentials.pkoc-issuers.",
                among: PKOCCardNumber.allCases.map(\.rawValue)),
            integer(
                "\(section).desfire-bits", desfire, 0...DESFireCredential.countLimit * 8,
                "The bits of a DESFire card's number, which has no other layout: the last so many of its octets in the "
                    + "file. 0: all."),
        ]
    }
}

extension SettingChecks {
    /// Checks for the pattern of a FASC-N.
    static func fascN(_ text: String) -> String? {
        FASCNPattern(text) == nil
            ? "\(SettingKey.quoted(text)) is no FASC-N: needs \(FASCN.digitCount) digits or #, of these 1 to "
                + "\(FASCNPattern.openLimit) #, and only hyphens between them" : nil
    }

    /// The fault of a pattern, with the remedy.
    static func remedy(of fault: CardFormat.PatternFault) -> String {
        switch fault {
        case .length: "needs lines of 1 to \(CardFormat.bitLimit) characters, one for each bit"
        case .uneven(let line): "line \(line) has another length than the first: write . for bits that it leaves out"
        case .character(let character, let line):
            "line \(line) has \(SettingKey.quoted(String(character))): needs "
                + (line == 1 ? "F, N, P, 0 or 1" : "E, O, X or .")
        case .fields: "needs 1 to \(CardFormat.fieldLimit) N, and \(CardFormat.fieldLimit) F at most"
        case .parity(let line): "line \(line) needs one E or O, at a P that no other line has"
        case .unset: "has a P without a line: add one with E or O at its place"
        }
    }
}

extension DecodedSettings {
    /// Finds an invalid card layout in a section, and a facility code that does not fit the layout.
    mutating func checkCards(_ section: String, _ cards: ReaderSettings.PanelCards) {
        let (format, facility) = ("\(section).card-format", "\(section).facility")
        let pattern = "\(section).card-pattern"
        guard areSound([facility, format, pattern]) else { return }
        if cards.format == .pattern {
            do throws(CardFormat.PatternFault) {
                _ = try CardFormat(pattern: cards.pattern)
            } catch {
                return report(.fault, pattern, or: format, SettingChecks.remedy(of: error))
            }
        }
        let limit = cards.layout?.facilityLimit ?? 0
        guard cards.facility > limit else { return }
        report(
            .fault, facility, or: format,
            "\(cards.facility) does not fit \(format) \(SettingKey.quoted(cards.format.rawValue)): at most \(limit)")
    }

    /// Finds mode `panel` without a connected panel, with which the reader would decide; and settings that conflict
    /// with a panel that decides: the hours of the door, and openings by a Matter node or a back end.
    mutating func checkPanel() {
        checkConnection("osdp.mode", settings.osdp.mode, to: "osdp.line", settings.osdp.line != nil)
        checkConnection("wiegand.mode", settings.wiegand.mode, to: "wiegand.lines", settings.wiegand.isConnected)
        guard let mode = settings.panelDecides else { return }
        if !settings.door.schedules.isEmpty, lines["door.schedules"] != nil {
            report(
                .fault, "door.schedules",
                "conflicts with \(mode) = \"panel\": the panel keeps the hours; remove one")
        }
        if settings.matter.socket != nil, isWritten("matter.socket"), settings.matter.mayUnlock {
            report(
                .fault, "matter.may-unlock", or: "matter.socket",
                "conflicts with \(mode) = \"panel\": the panel decides; set it to false")
        }
        if let opening = settings.link.may.first(where: \.isOpening) {
            report(
                .fault, "link.may",
                "conflicts with \(mode) = \"panel\": the panel decides; remove \"\(opening.rawValue)\"")
        }
    }

    private mutating func checkConnection(
        _ key: String, _ mode: ReaderSettings.PanelMode, to connection: String, _ isConnected: Bool
    ) {
        guard mode == .panel, !isConnected, areSound([connection]) else { return }
        report(
            .fault, key,
            "\"panel\" needs \(connection): without a panel the reader would decide; set it, or \"report\"")
    }
}
