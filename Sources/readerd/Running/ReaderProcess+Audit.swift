// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import System
import Reader
import Timekeeping

/// Execution of the reader's effects: the lines, the log, the store, and notices.
extension ReaderProcess {
    var auditTime: AuditTime { wall.auditTime }

    /// Carries out the reader's effects, including those that follow from them.
    func performEffects(at moment: Moment) {
        decideOpenings(at: moment)
        device.reader.takeEffects(into: &buffers.effects)
        while !buffers.effects.isEmpty {
            for effect in buffers.effects { perform(effect, at: moment) }
            decideOpenings(at: moment)
            device.reader.takeEffects(into: &buffers.effects)
        }
    }

    private func perform(_ effect: ReaderEffect, at moment: Moment) {
        switch effect {
        case .door(let action, let since): move(action, since: since)
        case .recorded(let event): count(event)
        case .store(let request):
            // The answer has to include all events so far.
            device.reader.ledger.stopGathering()
            audit.submit(&device.reader.ledger, at: moment.instant)
            decideOpenings(at: moment)
            submit(request)
        case .handOn, .operated, .revocation, .aliroStore: for service in services { service.perform(effect) }
        case .update, .notice: buffers.deferred.append(effect)
        }
    }

    /// Carries out the effects that follow the packets: notices, and the start of the updater after its answer.
    func performDeferred() {
        for effect in buffers.deferred {
            if case .notice(let notice) = effect {
                report(notice)
            } else {
                for service in services { service.perform(effect) }
            }
        }
        buffers.deferred.removeAll(keepingCapacity: true)
    }

    /// Records an event, without waiting.
    func record(_ event: AuditEvent) { device.reader.ledger.record(event) }

    /// True if so many events like this one can be recorded individually now (`RecordLedger.hasRoom`).
    func hasRoom(for event: AuditEvent, count: Int = 1) -> Bool {
        device.reader.ledger.hasRoom(for: event, count: count)
    }

    private func count(_ event: AuditEvent) {
        if [.denied, .unproven, .unlisted].contains(event.kind) { metrics.count(.denied) }
        // The metric counts phones only, not operators.
        if event.kind == .withdrawn, ![.control, .matter, .remote].contains(event.channel) {
            metrics.count(.withdrawn)
        }
    }

    /// Applies the verdicts on openings that waited for their record.
    func decideOpenings(at moment: Moment) {
        while let verdict = device.reader.ledger.nextVerdict() {
            for service in services { service.receive(verdict) }
            if case .phone = verdict.opening { metrics.count(verdict.status == .ok ? .granted : .withdrawn) }
            device.reader.decide(verdict.opening, verdict.status, at: moment)
        }
    }
}
