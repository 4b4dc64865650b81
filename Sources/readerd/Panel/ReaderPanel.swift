// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import JSON
import Logging
import OSDP
import Octets
import Reader
import System
import Timekeeping

/// The panel on a line of OSDP: its reports, and its orders.
final class ReaderPanel: CardPanelService {
    unowned let process: ReaderProcess
    let panel: PanelService
    private let updater: ReaderUpdater
    private let contactless: ReaderContactless?

    init(_ process: ReaderProcess, _ panel: PanelService, updater: ReaderUpdater, contactless: ReaderContactless?) {
        (self.process, self.panel, self.updater, self.contactless) = (process, panel, updater, contactless)
    }

    func start() {
        updater.onEnd = { [panel] ending in panel.update.ended(isDone: ending == .exited(0)) }
        routeGrants()
        panel.start { [weak self] in self?.handle($0) }
    }

    func close() { panel.close() }

    func perform(_ effect: ReaderEffect) {
        if case .handOn(let credential, let since) = effect { handOn(credential, since: since) }
    }

    func receive(_ notice: ReaderNotice) { reportDecision(notice) }

    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome? {
        guard verb == .panelInstallation else { return nil }
        guard seconds > 0 else { return panel.closeInstallation() ? .done : .refused(.windowClosed) }
        panel.openInstallation(for: Int(seconds))
        return .done
    }

    /// In mode `panel` nothing opens while the panel is silent, unless the configuration says so.
    private func routeGrants() {
        guard panel.mode == .panel else { return }
        process.device.reader.grantRoute =
            panel.isAttended ? .panel : panel.settings.whenSilent == .decide ? .door : .nowhere
    }

    /// Hands a panel's whole file to the updater as soon as a restart disturbs no one.
    private func handOver(_ update: PanelUpdate) {
        guard let path = update.waitingPath, process.device.isAtRest, updater.updater.state == .ready else { return }
        update.begun()
        process.device.reader.updater = .busy
        updater.updater.start(UpdateRequest(credential: "panel", command: "FILETRANSFER", file: path))
    }

    /// Reports the states of the door to the panel.
    func settle() {
        handOver(panel.update)
        let door = process.device.reader.doorStatus
        let hasContactless = if case .ready = contactless?.contactless.state { true } else { false }
        panel.report(
            PanelStates(
                isOpen: door.standsOpen, isExitRequested: door.isExitRequested, isFire: door.isFire,
                isTampered: door.isTampered, isShut: door.refusesPanel,
                isServing: process.servesPhones || hasContactless, isUnlocked: door.isUnlocked,
                isUnlockedByPanel: door.isUnlockedByPanel))
    }

    // MARK: - Events

    private func handle(_ event: PanelEvent) {
        routeGrants()
        switch event {
        case .opened(let isBack):
            clear(.panelLine)
            log.notice("osdp: \(panel.path) is open, \(PanelService.text(panel.device.line))")
            if isBack { record(AuditEvent(.lineRestored, at: auditTime, detail: "osdp")) }
        case .lost(let reason):
            raise(.panelLine, "osdp.line: \(reason); retry every second")
            record(AuditEvent(.lineFailed, at: auditTime, detail: "osdp"))
        case .notice(let notice): handle(notice)
        case .cardReported: log.info("osdp: the panel has the card of a credential")
        case .cardDropped(let credential):
            guard panel.mode == .panel else { break }
            withdraw(credential)
            flush()
        case .output(_, let isOn):
            // The door's own record names the panel.
            if case .refused(let refusal) = process.device.reader.execute(isOn ? .panelOn : .panelOff, at: moment) {
                log.info("osdp: the order to unlock is refused: \(refusal.rawValue)")
            }
            flush()
        case .signs(let signs):
            process.device.reader.panelShows(signs, at: moment)
            flush()
        case .question(let question): answer(question)
        case .line(let line):
            log.notice("osdp: the panel has set \(PanelService.text(line))")
            recordPanel("line \(line.address) \(line.speed)")
        case .unkept(let reason):
            guard let reason else { return panel.lacksItsKey ? () : clear(.panelUnkept) }
            raise(
                .panelUnkept,
                "osdp: a key or an address of the panel could not be kept: \(reason); check the disk and "
                    + "the permissions of the state directory, and have the panel set it again")
        case .damaged(let reason):
            let consequence =
                panel.lacksItsKey
                ? "no panel is obeyed: set the panel's key again (readerd osdp install)"
                : "the configured address and speed apply: set them again from the panel"
            raise(.panelUnkept, "osdp: \(reason); \(consequence)")
        case .update(.whole(let digest)):
            log.notice("osdp: a file of the panel is whole, SHA-256 \(Hexadecimal.text(digest))")
            record(
                AuditEvent(
                    .command, at: auditTime, channel: .reader, command: "osdp", detail: Hexadecimal.text(digest)))
            flush()
        case .update(.unkept(let reason)):
            log.warning("osdp: a file of the panel could not be kept: \(reason); the panel has to send it again")
        case .installing(let seconds):
            log.warning("osdp: a panel may set a key for \(seconds) s: who listens to the line then has the key")
        case .silence(true): raise(.panelSilent, panelSilence)
        case .silence(false): clear(.panelSilent)
        }
        updateFaults()
    }

    private func answer(_ question: PanelQuestion) {
        panel.answer(
            question.answer(
                PanelQuestion.State(
                    version: FirmwareVersion.text, deviceID: process.setup.deviceID,
                    faults: process.faults.faults.map(\.code.rawValue), isAtRest: process.device.isAtRest)))
    }

    private var panelSilence: String {
        let isThere = panel.device.isAddressed(at: reactor.now)
        let hasKey = panel.device.hasKey
        return isThere
            ? hasKey
                ? "osdp: frames without the device's key arrive, none with it: check the panel and its line, give it the key"
                : "osdp: a panel polls, but no key is set: run readerd osdp install, and have the panel set a key"
            : "osdp: the panel is silent: check the line, its speed and the device's address"
    }

    private func handle(_ notice: OSDPNotice) {
        switch notice {
        case .online: log.info("osdp: a panel is online")
        case .offline: log.notice("osdp: the panel is silent")
        case .secured(isWithWellKnownKey: true):
            log.warning("osdp: a session under the published default key, for the installation")
        case .secured: log.notice("osdp: a secure session")
        case .unsecured(let reason): log.notice("osdp: the secure session has ended: \(PanelService.text(reason))")
        case .keyChanged:
            log.notice("osdp: a new key is kept")
            recordPanel("key set")
        case .installationEnded: log.notice("osdp: the installation window is closed")
        case .cardReported, .cardDropped: break
        case .eventsDropped(let count):
            log.warning("osdp: reports dropped: \(count); the panel did not ask for them in time")
        case .late(let age):
            log.debug("osdp: octets dropped that may have waited \(age.wholeMilliseconds) ms: the panel repeats them")
        case .refused(let code, let refusal): log.debug("osdp: command \(code) refused, NAK \(refusal.rawValue)")
        }
    }

    private func recordPanel(_ detail: String) {
        record(AuditEvent(.command, at: auditTime, channel: .reader, command: "osdp", detail: detail))
    }

    // MARK: - Status

    var status: (name: String, report: JSONObject)? {
        let end = panel.installationEnd
        return (
            "osdp",
            [
                "line": panel.path, "state": panel.state(at: reactor.now), "mode": panel.settings.mode.rawValue,
                "address": panel.device.line.address, "speed": panel.device.line.speed, "key": panel.device.hasKey,
                "installing": panel.device.isInstalling,
                "remaining-s": end.map { max(($0 - reactor.now).wholeMilliseconds / 1000, 0) },
            ]
        )
    }
}

extension PanelService {
    /// The state of the line in one word, for programs.
    func state(at now: Instant) -> String {
        if !isOpen { return "lost" }
        if device.isTrusted { return device.isSecure ? "secure" : "clear" }
        if device.isSecure { return "installing" }
        return device.isAddressed(at: now) ? "refused" : "silent"
    }

    static func text(_ line: OSDPLine) -> String { "address \(line.address), \(line.speed) bit/s" }

    /// The reason of the end of a session.
    static func text(_ reason: OSDPNotice.Reason) -> String {
        switch reason {
        case .silence: "the panel is silent"
        case .wrongMAC: "a wrong MAC"
        case .commandInClear: "a command in clear"
        case .newHandshake: "a new handshake"
        case .installationEnded: "the installation window is closed"
        }
    }
}
