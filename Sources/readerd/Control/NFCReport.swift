// SPDX-License-Identifier: Apache-2.0

import CardPolling
import JSON
import NFC
import Reader
import Timekeeping

extension ControlCommand {
    /// The poll role in the status' table; empty without it, as with a reader of an earlier version.
    static func polling(_ nfc: JSONNode) -> [String] {
        guard let role = nfc["role"]?.text, role != NFCRole.target.rawValue else { return [] }
        func count(_ name: String) -> String { "\(name) \(nfc[name]?.text ?? "?")" }
        var cells = ["role \(role)"] + ["rounds", "cards", "rejected", "lost", "recoveries"].map(count)
        if case .object(let members)? = nfc["refused"]?.content {
            cells += members.map { "\($0.name) \($0.value.text ?? "?")" }
        }
        if let seconds = nfc["card-s"]?.text {
            cells.append("a card on the reader since \(nfc["card-since"]?.text ?? "?") (\(seconds) s)")
        }
        return cells
    }
}

extension MetricsText {
    /// Adds the metrics of the NFC chip: zero without one, so that the set does not depend on the configuration.
    mutating func add(_ contactless: NFCService?, _ presence: Duration, _ metrics: ReaderMetrics) {
        let isReady = contactless?.state.name == "ready"
        single("nfc_ready", .gauge, "1 while the NFC chip listens or polls.", isReady ? 1 : 0)
        let polled = contactless?.pollCounts ?? PollCounts()
        for (name, help, count) in [
            ("failures", "Failures of the NFC chip, also to open it.", contactless?.failures ?? 0),
            ("activations", "Activations of the NFC chip by phones.", contactless?.activations ?? 0),
            ("commands", "Commands of phones over NFC.", contactless?.commands ?? 0),
            ("rounds", "Completed rounds of polling.", polled.rounds),
            ("cards", "Cards in the field that take APDUs.", polled.cards),
            ("rejected_cards", "Cards that were not served: with an identifier only, or too many.", polled.rejected),
            ("lost_cards", "Cards that were gone before their release.", polled.lost),
            ("recoveries", "Failures of the polling NFC chip that ended by reopening it once.", polled.recoveries),
        ] {
            single("nfc_\(name)_total", .counter, help, count)
        }
        begin("nfc_refused_cards_total", .counter, "Cards that opened nothing, by reason.")
        for (reason, count) in ReaderContactless.refusals(metrics, contactless) {
            value("nfc_refused_cards_total", [("reason", reason)], count)
        }
        single(
            "nfc_card_present_seconds", .gauge, "Time since the field was empty of cards; 0 while it is.",
            presence.wholeMilliseconds / 1000)
    }
}
