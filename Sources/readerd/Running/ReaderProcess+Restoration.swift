// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Logging
import System
import Reader
import Timekeeping

/// The stored contents of an earlier run, and the store's answers.
extension ReaderProcess {
    /// Handles the store's answers.
    func receiveAnswers() {
        audit.forEachResult { result in
            let outcome = audit.receive(result, &device.reader.ledger, at: reactor.now)
            if let outcome { receive(outcome) }
            decideOpenings(at: moment)
        }
        wall.use(device.reader.configuration.zone)
        if let events = audit.takeCarried() { device.reader.carry(events) }
    }

    /// Handles the outcome of one answer.
    func receive(_ outcome: EventRecorder.Outcome) {
        switch outcome {
        case .stored(let record):
            var event = StoredEvent(record)
            for service in services { service.receive(&event) }
        case .answered(let id, let answer): device.answerStorage(id, answer, at: moment)
        case .found(let contents): begin(with: contents)
        case .policyUnreadable: noticeUnknownPolicy()
        case .sliced, .orderKept, .desiredKept: for service in services { service.receive(outcome) }
        }
    }

    /// Begins to serve requests: the stored contents are known, or are not in time.
    private func beginServing() {
        guard !stage.isServing else { return }
        stage.isServing = true
        // The records so far have waited for the clock.
        audit.release()
        device.reader.ledger.restamp { [wall] in wall.auditTime(at: $0) }
        for service in services { service.serve() }
    }

    /// Applies the stored contents, known or known to be lost.
    private func begin(with contents: StoredContents) {
        apply(contents)
        beginServing()
        device.resumeRequests(at: moment)
    }

    private func apply(_ contents: StoredContents) {
        stage.isRestored = true
        if contents.refusal == nil { restoreDays() }
        adopt(contents.settings[PushedConfiguration.setting])
        let marks = contents.refusal == nil ? contents.clockMarks : .exhausted(latest: 0)
        beginClock(marks, lastEvent: contents.lastEvent)
        noticeClockFloor(isKnown: contents.isLastEventKnown)
        for service in services { service.restore(contents) }
        if let refusal = contents.refusal { return refuse(refusal) }
        guard admitsFirmware(contents.settings[FirmwareFloor.setting]) else {
            return device.reader.awaitRestoration()
        }
        guard acceptKeys(contents.settings[KeyHistory.setting]) else { return }
        faults.clear(FaultCode.withoutPolicy, at: moment)
        for service in services { service.adopt(contents) }
        noticeBeginning(contents.settings[PolicyDocument.begunBy])
        if let mended = contents.mended {
            log.warning("the policy was incomplete: \(mended) rewritten; check the power supply")
        }
        let left = device.reader.restore(contents.blacklist, at: moment)
        faults.set(
            .blacklistTooSmall, left > 0, at: moment,
            "\(left) entries of the stored blacklist do not fit: raise credentials.blacklist-capacity, and restart"
        )
    }

    /// Reports a refused policy: phones are denied until an operator has replaced it.
    private func refuse(_ refusal: PolicyRefusal) {
        device.reader.awaitRestoration()
        let code = FaultCode(refusal)
        guard !faults.has(code) else { return }
        faults.raise(
            code, of: FaultCode.withoutPolicy,
            "phones open nothing, revoked credentials are unknown: \(refusal.summary); investigate, stop the reader, "
                + "then run: readerd policy begin --yes",
            at: moment)
        record(
            AuditEvent(.policyRefused, at: auditTime, info: refusal.auditInfo, detail: "\(refusal.summary)"))
    }

    /// Compares the keys of the identity with those that the reader has had. False if one was replaced before: an older
    /// copy of its file was put back, and phones are denied.
    private func acceptKeys(_ kept: [UInt8]?) -> Bool {
        var history = kept.flatMap { KeyHistory($0) } ?? KeyHistory()
        switch history.update(setup.keys) {
        case .none: return true
        case .older(let use):
            refuseKey(use.file)
            return false
        case .first: break
        case .replaced: record(AuditEvent(.configurationChanged, at: auditTime, detail: "keys"))
        }
        audit.keep(KeyHistory.setting, history.octets)
        return true
    }

    private func refuseKey(_ file: String) {
        device.reader.awaitRestoration()
        guard !faults.has(.keyRolledBack) else { return }
        faults.raise(
            .keyRolledBack, of: FaultCode.withoutPolicy,
            "phones open nothing: \(file) is a key that was replaced before; put the present one back and restart, or "
                + "stop the reader, and accept it with: readerd policy begin --yes",
            at: moment)
        record(AuditEvent(.policyRefused, at: auditTime, info: 4, detail: "\(file) was replaced before"))
    }

    /// Reports that an operator has replaced the policy with an empty one since the last run.
    private func noticeBeginning(_ actor: [UInt8]?) {
        guard let actor else { return }
        log.warning("an empty policy was begun: push the blacklist again")
        record(AuditEvent(.policyBegun, at: auditTime, actor: String(decoding: actor, as: UTF8.self)))
        audit.keep(PolicyDocument.begunBy, nil)
    }

    /// Applies the file's lists of days where phones or a back end may set them: the policy is known, and what they
    /// have set follows from it.
    private func restoreDays() {
        let settings = setup.settings
        do throws(ReaderdError) {
            let configuration = try AccessConfiguration(settings, addresses: setup.addresses)
            let days = settings.remoteSettings.intersection([.closedDays, .holidays])
            device.adopt(days, of: configuration, door: settings.doorConfiguration, at: moment)
        } catch {
            log.error("schedules do not hold, closed days and holidays are unknown: \(error)")
        }
    }

    /// Applies the configuration that a backend pushed in an earlier run.
    func adopt(_ kept: [UInt8]?) {
        guard let kept else { return }
        do throws(StatusCode) {
            try device.adopt(try PushedConfiguration(kept: kept), at: moment)
            wall.use(device.reader.configuration.zone)
            clear(.pushedConfigurationUnusable)
            log.notice("a pushed configuration has precedence over the file's")
        } catch {
            device.reader.forgetDays(of: Set(setup.settings.reader.pushable))
            raise(
                .pushedConfigurationUnusable,
                "the pushed configuration is no longer usable (status \(error.rawValue)), the file's applies: have "
                    + "the backend push it again")
        }
    }

    /// Reports that the contents were not loaded in time.
    func loadTimedOut() {
        noticeUnknownPolicy()
        flush()
    }

    /// Reports an unknown policy: phones open nothing until it is loaded; everything else works.
    private func noticeUnknownPolicy() {
        guard !stage.isRestored, !faults.has(.policyUnknown) else { return }
        raise(
            .policyUnknown,
            "phones open nothing, the policy and its revoked credentials cannot be read: check the disk and the "
                + "permissions of the state directory")
        beginClock(.exhausted(latest: 0), lastEvent: audit.timeOfHead)
        noticeClockFloor(isKnown: audit.timeOfHead != nil)
        device.reader.awaitRestoration()
        beginServing()
        device.resumeRequests(at: moment)
        lookUpAgain()
    }

    private func lookUpAgain() {
        reactor.schedule(at: reactor.now + ReaderProcess.policyPause) { [self] in
            guard !stage.isRestored else { return }
            audit.lookUpAgain()
            lookUpAgain()
        }
    }

    /// The interval of attempts to load the policy.
    private static let policyPause = Duration.seconds(1)
}
