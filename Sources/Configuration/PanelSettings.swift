// SPDX-License-Identifier: Apache-2.0

public import CardFormats
public import Credentials

extension ReaderSettings {
    /// The side that decides about a credential: the reader or the access panel.
    public enum PanelMode: String, CaseIterable, Equatable, Sendable {
        /// The reader decides, and reports to the panel.
        case report
        /// The reader verifies the phone, and the panel decides and moves the lock.
        case panel
    }

    /// The cards that stand for credentials at an access panel.
    public struct PanelCards: Equatable, Sendable {
        /// The decisions whose credential is reported as a card, in mode `report`.
        public enum Decisions: String, CaseIterable, Equatable, Sendable {
            /// All of them.
            case all
            /// Grants.
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

        /// `cards`
        public var decisions = Decisions.all
        /// `card-format`
        public var format: Format
        /// `card-pattern`
        public var pattern: [String] = []
        /// `fasc-n`
        public var fascN = "9999-9999-######-0-1-##########399991"
        /// `facility`
        public var facility = 0
        /// `pkoc-bits`
        public var pkocBits = PKOCCardNumber.bits75.rawValue
        /// `desfire-bits`; 0 for all.
        public var desfireBits = 0

        /// The number of a PKOC card.
        public var pkoc: PKOCCardNumber { PKOCCardNumber(rawValue: pkocBits) ?? .bits75 }

        /// The layout of facility code and number; nil for a card without them, and for an invalid pattern.
        public var layout: CardFormat? {
            switch format {
            case .bits26: .bits26
            case .bits34: .bits34
            case .bits37: .bits37
            case .bits37WithoutFacility: .bits37WithoutFacility
            case .pattern: try? CardFormat(pattern: pattern)
            case .identifier, .fascN: nil
            }
        }
    }

    /// The key by which an access panel decides and moves the lock, as in `osdp.mode`; nil if the reader decides.
    public var panelDecides: String? {
        if osdp.line != nil, osdp.mode == .panel { return "osdp.mode" }
        return wiegand.isConnected && wiegand.mode == .panel ? "wiegand.mode" : nil
    }

    /// `[osdp]`: the wire to an access panel, on which the reader is a peripheral device.
    public struct OSDP: Equatable, Sendable {
        /// The handling of credentials in mode `panel` while the panel is silent.
        public enum WhenSilent: String, CaseIterable, Equatable, Sendable {
            /// Credentials are refused.
            case refuse
            /// The reader decides.
            case decide
        }

        /// `line`; nil for no panel.
        public var line: String?
        /// `mode`
        public var mode = PanelMode.report
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
        /// `cards`, `card-format`, `card-pattern`, `fasc-n`, `facility`
        public var cards = PanelCards(format: .identifier)
        /// `outputs-move-lock`
        public var outputsMoveLock = false
        /// `file-limit`
        public var fileLimit = 0
        /// `when-silent`
        public var whenSilent = WhenSilent.refuse

        /// True if an output of the panel moves the lock.
        public var obeysOutputs: Bool { mode == .panel || outputsMoveLock }
    }

    /// `[wiegand]`: two lines to an access panel that accepts only cards (SIA AC-01).
    public struct Wiegand: Equatable, Sendable {
        /// `lines`, DATA0 and DATA1; empty if not connected.
        public var lines: [String] = []
        /// `active-low`
        public var isActiveLow = false
        /// `mode`
        public var mode = PanelMode.report
        /// `cards`, `card-format`, `card-pattern`, `fasc-n`, `facility`
        public var cards = PanelCards(format: .bits37WithoutFacility)
        /// `pulse-us`
        public var pulseMicroseconds = 50
        /// `interval-us`
        public var intervalMicroseconds = 2000

        /// True if a panel is connected to the lines.
        public var isConnected: Bool { !lines.isEmpty }
    }
}
