// SPDX-License-Identifier: Apache-2.0

import Credentials
import Reader

extension DecodedSettings {
    /// The drivers of libnfc whose chips can poll.
    private static let pollingDrivers = ["pn532_uart:", "pn532_i2c:", "pn532_spi:"]

    /// Finds a chip that cannot poll, and keys of another role.
    mutating func checkNFC() {
        guard areSound(["nfc.connection", "nfc.role"]) else { return }
        let role = SettingKey.quoted(settings.nfc.role.rawValue)
        if settings.nfc.role != .target, let connection = settings.nfc.connection,
            !DecodedSettings.pollingDrivers.contains(where: { connection.utf8.starts(with: $0.utf8) })
        {
            addFault(
                "nfc.role", "\(role) needs a PN532: a connection with pn532_uart, pn532_i2c or pn532_spi")
        }
        // A default has no effect that differs, as in the reference file.
        let (nfc, defaults) = (settings.nfc, ReaderSettings.NFC())
        let ofPolling = [
            ("nfc.ecp", nfc.pollingFrame != nil),
            ("nfc.round-ms", nfc.roundMilliseconds != defaults.roundMilliseconds),
        ]
        let ofTurns = [
            ("nfc.poll-ms", nfc.pollMilliseconds != defaults.pollMilliseconds),
            ("nfc.listen-ms", nfc.listenMilliseconds != defaults.listenMilliseconds),
        ]
        let unused: [(String, Bool)] =
            switch nfc.role {
            case .target: ofPolling + ofTurns
            case .poll: ofTurns
            case .both: []
            }
        for (key, isSet) in unused where isSet { report(.warning, key, "has no effect with the role \(role)") }
        checkCardKinds(role)
    }

    /// Finds kinds of card that are not polled, and a role that polls without one.
    private mutating func checkCardKinds(_ role: String) {
        let (polls, kinds) = (settings.nfc.role != .target, settings.credentials.cardKinds)
        if polls, kinds.isEmpty {
            report(.warning, "nfc.role", "\(role) refuses every card: set credentials.card-kinds and credentials.cards")
        } else if !kinds.isEmpty, !polls || settings.nfc.connection == nil {
            report(
                .warning, "credentials.card-kinds",
                "reads no card: set nfc.connection, and nfc.role to \"poll\" or \"both\"")
        } else if kinds.contains(where: needsList), settings.credentials.cards == nil {
            report(.warning, "credentials.card-kinds", "refuses every card: set credentials.cards")
        }
    }

    /// True for a kind that opens only by the list: not for phones with tokens, with documents of an issuer, or by
    /// Matter.
    private func needsList(_ kind: CardKind) -> Bool {
        kind == .aliro
            ? settings.aliro.anchors.isEmpty && !settings.matter.hasAliro : CardReading.listed.contains(kind)
    }
}
