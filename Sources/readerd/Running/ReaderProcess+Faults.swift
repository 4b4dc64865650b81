// SPDX-License-Identifier: Apache-2.0

import EventStore
import Logging
import Peripheral
import System
import Reader
import Timekeeping

/// Detection and report of faults; docs/operate/faults.md describes each.
extension ReaderProcess {
    /// Raises a fault with this text.
    func raise(_ code: FaultCode, _ text: String) { faults.raise(code, text, at: moment) }

    /// Clears a fault.
    func clear(_ code: FaultCode) { faults.clear(code, at: moment) }

    /// Raises a fault of the controller.
    func raiseController(_ code: FaultCode, _ text: String) {
        faults.raise(code, of: FaultCode.withoutController, text, at: moment)
        guard !reported.controllerHasFailed else { return }
        reported.controllerHasFailed = true
        record(AuditEvent(.controllerFailed, at: auditTime, detail: code.rawValue))
    }

    /// Raises and clears faults according to a notice of the reader.
    func noticeFaults(_ notice: ReaderNotice) {
        switch notice {
        // The transport's owner has raised the fault already.
        case .controllerFailed(.transportLost): break
        case .controllerFailed(let fault):
            raiseController(.controllerFailed, "the controller failed: \(fault.summary)")
        case .controllerReady(let controller):
            faults.clear(FaultCode.withoutController, at: moment)
            if controller.readsRSSI, !device.reader.isRSSIUnusable { clear(.controllerWithoutRSSI) }
            // A notice about unserved modes, if any, follows directly.
            reported.servesAllModes = true
            guard reported.controllerHasFailed else { return }
            reported.controllerHasFailed = false
            record(AuditEvent(.controllerRestored, at: auditTime))
        case .rssiUnavailable, .rssiUnusable:
            raise(.controllerWithoutRSSI, "\(notice); replace the controller, or change proximity.gate")
        case .rssiUsable: clear(.controllerWithoutRSSI)
        case .unserved:
            reported.servesAllModes = false
            raise(.modesUnserved, "\(notice)")
        default: break
        }
    }

    /// Compares the present state with the reported faults, and reports the changes.
    func updateFaults() {
        let moment = moment
        updateLogFaults(at: moment)
        updateAdvertisingFaults(at: moment)
        faults.set(
            .controllerWithoutPower, device.reader.lacksTransmitPower, at: moment,
            "the controller lacks LE Power Control or fails at it: links of modes with max-path-loss-db are refused; "
                + "replace it, or remove max-path-loss-db")
        faults.set(
            .clockUnset, (stage.isRestored || faults.has(.policyUnknown)) && moment.epochSeconds == nil, at: moment,
            "the clock is not set: no credential can be checked, no office hours; run: readerd set-time TIME, or set "
                + "up a time service")
        faults.set(
            .clockStale, wall.readerQuality == .stale, at: moment,
            "the clock was not set for a day and may be wrong: set up a time service, or run: readerd set-time TIME")
        let door = device.reader.doorStatus
        faults.set(
            .doorForced, door.alarm == .forced, at: moment,
            "the door was forced: inspect it, and close it")
        faults.set(
            .doorHeldOpenTooLong, door.alarm == .heldOpenTooLong, at: moment,
            "the door is held open too long, or its contact is stuck: close it, or check the contact")
        faults.set(
            .tampered, door.isTampered || door.isBlocked, at: moment,
            door.isBlocked
                ? "the housing was opened, access is refused: inspect and close it, then run: readerd tamper-reset"
                : "the housing is open: inspect it, and close it")
        faults.advance(to: moment.instant)
        showFault(at: moment)
        reportFaults()
    }

    /// Shows by the lights whether there is a fault that keeps people out, in, or off the record.
    private func showFault(at moment: Moment) {
        guard faults.changes != reported.faultChanges else { return }
        reported.faultChanges = faults.changes
        let isFailing = faults.faults.contains { $0.code.level == .error }
        device.reader.show(faults.has(.lockLine) ? .lock : isFailing ? .reader : nil, at: moment)
        performEffects(at: moment)
    }

    /// Refused modes are a separate fault while none is on the air.
    private func updateAdvertisingFaults(at moment: Moment) {
        let refused = device.reader.refusedModes
        let why = refused.map { "\($0.mode.rawValue): \($0.refusal)" }.joined(separator: "; ")
        let isOff = !refused.isEmpty && !metrics.isAdvertising
        faults.set(
            .advertisingRefused, isOff, at: moment,
            "the controller refuses to advertise, phones do not find the reader; \(why); it is tried again; if it lasts, "
                + "replace the controller or its firmware")
        if !refused.isEmpty, !isOff {
            faults.raise(
                .modesUnserved, "the controller refuses to advertise some modes; \(why); it is tried again", at: moment)
        } else if reported.servesAllModes {
            faults.clear(.modesUnserved, at: moment)
        }
    }

    private func updateLogFaults(at moment: Moment) {
        if device.reader.ledger.fault != reported.diskFault {
            reported.diskFault = device.reader.ledger.fault
            if let fault = device.reader.ledger.fault {
                faults.raise(FaultCode(fault), of: FaultCode.unwritable, "the event log: \(fault)", at: moment)
            } else {
                faults.clear(FaultCode.unwritable, at: moment)
            }
        }
        faults.set(
            .policyUnwritable, stage.isRestored && audit.changeFault != nil, at: moment,
            "a change of the blacklist or the settings could not be stored: free disk space, and check the "
                + "permissions of the state directory")
        faults.set(
            .logFull, device.reader.ledger.isFull, at: moment,
            "the event log is full, access is refused until it is cleared: have a phone read and clear it, or raise "
                + "events.capacity")
        if let loss = audit.state?.loss {
            faults.set(
                .logLost, true, at: moment,
                "the event log differs from the log this reader wrote: \(loss); run: readerd events --verify"
            )
        }
    }

    private func reportFaults() {
        var hasNews = false
        while let notice = faults.nextNotice() {
            hasNews = true
            switch notice {
            case .raised(let fault):
                let line = "fault \(fault.code.rawValue): \(fault.text)"
                if !fault.code.isToldByItsCause { log.log(level: fault.code.level, "\(line)") }
                audit.writeLine(fault.code.level == .error ? .error : .warning, line)
            case .ended(let code, let duration):
                log.notice("fault \(code.rawValue): over after \(duration.wholeMilliseconds / 1000) s")
            }
        }
        guard hasNews else { return }
        for service in services { service.faultsChanged() }
    }
}

extension FaultCode {
    /// True if the cause of the fault logs its own line each time: the door, and a requested reload.
    fileprivate var isToldByItsCause: Bool {
        switch self {
        case .doorForced, .doorHeldOpenTooLong, .tampered, .configurationRejected: true
        default: false
        }
    }

    /// The log level: an error if the fault keeps people out, in, or off the record.
    var level: Logger.Level {
        switch self {
        case .controllerWithoutRSSI, .controllerWithoutPower, .modesUnserved, .grantedIndicatorLine,
            .deniedIndicatorLine, .buzzerLine, .blacklistTooSmall, .clockStale, .clockFloorUnknown,
            .configurationRejected, .controlSocketMissing, .doorForced, .doorHeldOpenTooLong, .tampered, .nfcFailed,
            .panelLine, .panelSilent, .panelUnkept, .matterAbsent, .linkAbsent, .linkUnresolved, .linkUnreachable,
            .linkLost, .linkCertificateName, .linkCertificateTime, .linkCertificateUntrusted, .linkRefused,
            .linkIdentity, .linkOldProtocol, .linkIdentityTwice, .linkUndelivered, .linkGap, .linkForged,
            .linkViolation, .linkLimit, .linkClock:
            .warning
        default: .error
        }
    }
}
