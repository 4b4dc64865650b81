// SPDX-License-Identifier: Apache-2.0

public import CardFormats
import Octets

extension ReaderSettings {
    /// `[osdp]`: the wire to an access panel, at which the reader is a peripheral device.
    public struct OSDP: Equatable, Sendable {
        /// The side that decides.
        public enum Mode: String, CaseIterable, Equatable, Sendable {
            /// The reader decides, and the panel is told.
            case report
            /// The reader verifies the phone, and the panel decides and moves the lock.
            case panel
        }

        /// The credentials that are told to the panel as cards, in mode `report`.
        public enum Cards: String, CaseIterable, Equatable, Sendable {
            /// Those of all decisions.
            case all
            /// Those of grants.
            case granted
            case none
        }

        /// The layout of a credential's card.
        public enum Format: String, CaseIterable, Equatable, Sendable {
            /// The octets of the credential's identifier, without parities.
            case identifier
            /// H10301: facility code of 8 bits, number of 16.
            case bits26 = "26-bit"
            /// H10306: facility code of 16 bits, number of 16.
            case bits34 = "34-bit"
            /// H10304: facility code of 16 bits, number of 19.
            case bits37 = "37-bit"
            /// H10302: a number of 35 bits.
            case bits37WithoutFacility = "37-bit-number"
            /// The layout of `card-pattern`.
            case pattern
            /// The number of `fasc-n`.
            case fascN = "fasc-n"
        }

        /// The handling of credentials in mode `panel` while the panel is silent.
        public enum WhenSilent: String, CaseIterable, Equatable, Sendable {
            /// They are refused.
            case refuse
            /// The reader decides.
            case decide
        }

        /// `line`; nil for no panel.
        public var line: String?
        /// `mode`
        public var mode = Mode.report
        /// `address`
        public var address = 0
        /// `speed`
        public var speed = 9600
        /// `rs485`
        public var turnsLine = false
        /// `allow-clear`
        public var allowsClear = false
        /// `install-s`
        public var installSeconds = 0
        /// `vendor`
        public var vendor = "000000"
        /// `cards`
        public var cards = Cards.all
        /// `card-format`
        public var format = Format.identifier
        /// `card-pattern`
        public var cardPattern: [String] = []
        /// `fasc-n`
        public var fascN = "9999-9999-######-0-1-##########399991"
        /// `facility`
        public var facility = 0
        /// `outputs-move-lock`
        public var outputsMoveLock = false
        /// `file-limit`
        public var fileLimit = 0
        /// `when-silent`
        public var whenSilent = WhenSilent.refuse

        /// True if an output of the panel moves the lock.
        public var obeysOutputs: Bool { mode == .panel || outputsMoveLock }

        /// The layout of facility code and number; nil for a card without them, and for a pattern that is none.
        public var layout: CardFormat? {
            switch format {
            case .bits26: .bits26
            case .bits34: .bits34
            case .bits37: .bits37
            case .bits37WithoutFacility: .bits37WithoutFacility
            case .pattern: try? CardFormat(pattern: cardPattern)
            case .identifier, .fascN: nil
            }
        }
    }
}

extension SettingKey {
    /// The permitted lengths of an installation window in seconds; 0 is none.
    public static let installationWindows = 0...3600
    /// 16 MiB: at 230400 bit/s a quarter of an hour.
    private static let maximumFile = 16 << 20
    private static let speeds = [9600, 19200, 38400, 57600, 115_200, 230_400]

    static let osdp: [SettingKey] = [
        text(
            "osdp.line", \.osdp.line, takes: "text: the absolute path of a serial device",
            "The line to an access panel that speaks OSDP: docs/osdp.md. Absent: none.", example: "/dev/ttyS2",
            check: SettingChecks.device),
        choice(
            "osdp.mode", \.osdp.mode,
            "The side that decides. \"report\": the reader, and the panel is told. \"panel\": the reader verifies the "
                + "phone, hands its number on, and the panel's output 1 moves the lock."),
        integer(
            "osdp.address", \.osdp.address, 0...126,
            "The address on the line. One that the panel has set has precedence, with its speed."),
        integer(
            "osdp.speed", \.osdp.speed, 9600...230_400,
            "The speed in bit/s: 9600, 19200, 38400, 57600, 115200 or 230400.", among: speeds),
        boolean(
            "osdp.rs485", \.osdp.turnsLine,
            "The driver of the line sets RTS while it sends (TIOCSRS485). Not needed by adapters that turn the line by "
                + "themselves."),
        boolean(
            "osdp.allow-clear", \.osdp.allowsClear,
            "Obeys a panel in clear until a key is set: any device on the line can act as the panel. For a bench only."),
        integer(
            "osdp.install-s", \.osdp.installSeconds, installationWindows,
            "Without a key, takes one from the panel for so many seconds after the start, under the published default "
                + "key. 0: only after readerd osdp install."),
        text(
            "osdp.vendor", \.osdp.vendor, takes: "text: six hexadecimal digits",
            "The vendor code that the panel is told.", check: SettingChecks.vendorCode),
        choice(
            "osdp.cards", \.osdp.cards,
            "The decisions whose credential is told to the panel as a card, in mode \"report\"."),
        choice(
            "osdp.card-format", \.osdp.format,
            "The layout of such a card. Those with a number have one derived of the credential's identifier, which "
                + "others may share: docs/osdp.md."),
        integer(
            "osdp.facility", \.osdp.facility, 0...65_535,
            "The facility code of a card, up to 255 with 26-bit, 0 with a layout that has none."),
        list(
            "osdp.card-pattern", \.osdp.cardPattern,
            takes:
                "a list of texts, a character for each bit: F, N, P, 0 and 1 in the first, E or O, X and . in one for "
                + "each parity",
            "The layout of card-format \"pattern\", as docs/osdp.md shows.",
            write: \.self, read: { $0 }, problem: ""),
        text(
            "osdp.fasc-n", \.osdp.fascN, takes: "text: 32 digits or #, hyphens between them",
            "The FASC-N of card-format \"fasc-n\"; # stands for digits derived of the credential's identifier.",
            check: SettingChecks.fascN),
        boolean(
            "osdp.outputs-move-lock", \.osdp.outputsMoveLock,
            "In mode \"report\", lets the panel's output 1 unlock the door as well."),
        integer(
            "osdp.file-limit", \.osdp.fileLimit, 0...maximumFile,
            "The maximum of octets of a file that the panel sends for updater.command, in a session under the key. "
                + "0: none is taken."),
        choice(
            "osdp.when-silent", \.osdp.whenSilent,
            "In mode \"panel\", the handling of phones while the panel is silent: refused, or decided by the reader."),
    ]
}

extension SettingChecks {
    /// Checks for the absolute path of a device.
    static func device(_ text: String) -> String? {
        if text.utf8.contains(0) { return "has a zero octet" }
        return text.hasPrefix("/") && !text.hasSuffix("/") ? nil : "\(SettingKey.quoted(text)) is not an absolute path"
    }

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

    /// Checks for an IEEE organisation identifier.
    static func vendorCode(_ text: String) -> String? {
        Hexadecimal.octets(text)?.count == 3 ? nil : "\(SettingKey.quoted(text)) is not six hexadecimal digits"
    }
}

extension DecodedSettings {
    /// Finds contradictions in `[osdp]`.
    mutating func checkOSDP() {
        let osdp = settings.osdp
        checkCards()
        guard osdp.line != nil, isWritten("osdp.line") else { return }
        if osdp.mode == .panel, !settings.door.schedules.isEmpty, let hours = lines["door.schedules"] {
            diagnostic(
                SettingsDiagnostic(
                    .fault, line: hours, key: "door.schedules",
                    "conflicts with osdp.mode = \"panel\": the panel keeps the hours; remove one"))
        }
        if osdp.fileLimit > 0, settings.updater.command.isEmpty, areSound(["osdp.file-limit", "updater.command"]) {
            diagnostic(
                SettingsDiagnostic(
                    .fault, line: lines["osdp.file-limit"], key: "osdp.file-limit",
                    "needs updater.command: the program that the file is for; name one, or remove the limit"))
        }
        if osdp.allowsClear {
            diagnostic(
                SettingsDiagnostic(
                    .warning, line: lines["osdp.allow-clear"], key: "osdp.allow-clear",
                    "until a key is set, any device on the line can act as the panel: set a key with readerd osdp install"
                ))
        }
    }

    private mutating func checkCards() {
        let osdp = settings.osdp
        guard areSound(["osdp.facility", "osdp.card-format", "osdp.card-pattern"]) else { return }
        if osdp.format == .pattern {
            do throws(CardFormat.PatternFault) {
                _ = try CardFormat(pattern: osdp.cardPattern)
            } catch {
                diagnostic(
                    SettingsDiagnostic(
                        .fault, line: lines["osdp.card-pattern"] ?? lines["osdp.card-format"], key: "osdp.card-pattern",
                        SettingChecks.remedy(of: error)))
                return
            }
        }
        let limit = osdp.layout?.facilityLimit ?? 0
        guard osdp.facility > limit else { return }
        diagnostic(
            SettingsDiagnostic(
                .fault, line: lines["osdp.facility"] ?? lines["osdp.card-format"], key: "osdp.facility",
                "\(osdp.facility) does not fit osdp.card-format \(SettingKey.quoted(osdp.format.rawValue)): at most "
                    + "\(limit)"))
    }
}
