// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Logging
import PanelLine
import Reader
import Timekeeping

/// The panel that takes cards by Wiegand.
final class ReaderWiegand: CardPanelService {
    unowned let process: ReaderProcess
    let panel: WiegandService

    init(_ process: ReaderProcess, _ panel: WiegandService) { (self.process, self.panel) = (process, panel) }

    func start() {
        if panel.mode == .panel { process.device.reader.grantRoute = .panel }
        panel.start { [weak self] in self?.handle($0) }
    }

    func close() { panel.close() }

    func perform(_ effect: ReaderEffect) {
        if case .handOn(let credential, let since) = effect { handOn(credential, since: since) }
    }

    func receive(_ notice: ReaderNotice) { reportDecision(notice) }

    private func handle(_ outcome: WiegandService.Outcome) {
        process.receive(outcome)
        guard case .unsent(let credential) = outcome, panel.mode == .panel else { return }
        withdraw(credential)
        flush()
    }

    var status: (name: String, report: JSONObject)? {
        (
            "wiegand",
            [
                "mode": panel.mode.rawValue, "state": process.faults.has(.panelLine) ? "lost" : "ready",
                "cards": panel.sent,
            ]
        )
    }
}

extension ReaderProcess {
    /// Reports the end of a card, and the state of the lines that it shows.
    func receive(_ outcome: WiegandService.Outcome) {
        switch outcome {
        case .sent(let delays, let isPunctual):
            if faults.has(.panelLine) { record(AuditEvent(.lineRestored, at: auditTime, detail: "wiegand")) }
            clear(.panelLine)
            guard delays.exceedStandard else { break }
            let advice = isPunctual ? "" : "; permit the unit real-time threads: docs/operate/wiegand.md"
            log.warning(
                """
                wiegand: a pulse of \(WiegandService.text(delays.pulse)) or a pause of \
                \(WiegandService.text(delays.interval)) was too long: the panel may not have taken the card\(advice)
                """)
        case .unsent:
            log.warning("wiegand: a card was late or met a fault, and was not sent, or not to its end")
        case .failed(let error): failWiegand("\(error)")
        case .noThread: failWiegand("no thread is left")
        }
        updateFaults()
    }

    private func failWiegand(_ reason: String) {
        if !faults.has(.panelLine) { record(AuditEvent(.lineFailed, at: auditTime, detail: "wiegand")) }
        raise(.panelLine, "wiegand: \(reason); the panel did not get a card: the next one is tried again")
    }
}

extension WiegandService {
    /// A duration in microseconds.
    static func text(_ duration: Duration) -> String { "\(duration.wholeNanoseconds / 1000) µs" }
}
