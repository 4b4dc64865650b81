// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Logging
import Reader
import System
import Timekeeping

/// An access panel that takes cards.
protocol CardPanel: AnyObject {
    /// The side that decides.
    var mode: ReaderSettings.PanelMode { get }
    /// The decisions that are reported to it.
    var decisions: ReaderSettings.PanelCards.Decisions { get }
    /// True if it is known not to listen.
    var isSilent: Bool { get }
    /// Queues the card of a credential that was shown at this time; false if that is no card, too many wait, or it is
    /// too late.
    func present(_ credential: ShownCredential, since: Instant) -> Bool
}

extension PanelService: CardPanel {
    var mode: ReaderSettings.PanelMode { settings.mode }
    var decisions: ReaderSettings.PanelCards.Decisions { settings.cards.decisions }
}

/// A service that hands credentials on to a panel, as cards.
protocol CardPanelService: ReaderService {
    associatedtype Panel: CardPanel
    var panel: Panel { get }
}

extension CardPanelService {
    /// Queues the card of a credential about which the panel decides. `since`: the time of the request.
    func handOn(_ credential: ShownCredential, since: Instant) {
        guard panel.present(credential, since: since) else {
            log.warning("panel: a credential fits no card, is late, or too many wait: the panel is not asked")
            return withdraw(credential.id)
        }
        log.info("panel: the card of a credential waits for the panel")
    }

    /// Records that a credential was not handed on after all.
    func withdraw(_ credential: String) {
        process.metrics.count(.withdrawn)
        record(
            AuditEvent(
                .withdrawn, at: auditTime, info: Int32(StatusCode.unavailable.rawValue), credential: credential,
                detail: "panel"))
    }

    /// Reports the credential of a decision to the panel, as configured.
    func reportDecision(_ notice: ReaderNotice) {
        guard panel.mode == .report, !panel.isSilent else { return }
        let decided: (credential: ShownCredential, isGranted: Bool)
        switch notice {
        case .decided(_, let decision, _): decided = (ShownCredential(decision), decision.isGranted)
        case .executed(_, let credential, let command, let status):
            guard AccessProtocol.CommandName(rawValue: command).opensDoor else { return }
            decided = (ShownCredential(credential), status == .ok)
        default: return
        }
        switch panel.decisions {
        case .none: return
        case .granted where !decided.isGranted: return
        case .granted, .all: break
        }
        if decided.credential != ShownCredential(""), !panel.present(decided.credential, since: reactor.now) {
            log.warning("panel: a credential fits no card, or too many wait: the panel is not informed")
        }
    }
}
