// SPDX-License-Identifier: Apache-2.0

import JSON
import Logging
import PanelLine
import Reader
import Timekeeping

/// The panel that takes cards by Wiegand.
extension ReaderProcess {
    func take(_ outcome: WiegandService.Outcome) {
        switch outcome {
        case .sent(let delays, let isPunctual):
            if faults.has(.panelLine) { audit.record(AuditEvent(.lineRestored, at: auditTime, detail: "wiegand")) }
            clear(.panelLine)
            guard delays.exceedStandard else { break }
            let advice = isPunctual ? "" : "; permit the unit real-time threads: docs/wiegand.md"
            log.warning(
                """
                wiegand: a pulse of \(WiegandService.text(delays.pulse)) or a pause of \
                \(WiegandService.text(delays.interval)) was too long: the panel may not have taken the card\(advice)
                """)
        case .unsent(let credential):
            log.warning("wiegand: a card was late or met a fault, and was not sent, or not to its end")
            guard operation.wiegand?.mode == .panel else { break }
            withdraw(credential)
            flush()
        case .failed(let error): failWiegand("\(error)")
        case .noThread: failWiegand("no thread is left")
        }
        updateFaults()
    }

    private func failWiegand(_ reason: String) {
        if !faults.has(.panelLine) { audit.record(AuditEvent(.lineFailed, at: auditTime, detail: "wiegand")) }
        raise(.panelLine, "wiegand: \(reason); the panel did not get a card: the next one is tried again")
    }

    /// The panel's part of the status; nil without lines.
    var wiegandReport: JSONObject? {
        operation.wiegand.map { wiegand in
            [
                "mode": wiegand.mode.rawValue, "state": faults.has(.panelLine) ? "lost" : "ready",
                "cards": wiegand.sent,
            ]
        }
    }
}

extension WiegandService {
    /// A duration in microseconds.
    static func text(_ duration: Duration) -> String { "\(duration.wholeNanoseconds / 1000) µs" }
}
