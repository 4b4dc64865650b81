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
        device.reader.takeEffects(into: &buffers.effects)
        while !buffers.effects.isEmpty {
            for effect in buffers.effects { perform(effect, at: moment) }
            device.reader.takeEffects(into: &buffers.effects)
        }
    }

    private func perform(_ effect: ReaderEffect, at moment: Moment) {
        switch effect {
        case .door(let action, let since): move(action, since: since)
        case .record(let event): record(event)
        case .open(let opening, let event):
            for service in services { service.perform(effect) }
            guard let status = audit.request(opening, stamped(event), at: moment.instant) else { return }
            decide(OpeningVerdict(opening: opening, status: status), at: moment)
        case .store(let request):
            // The answer has to include all events so far.
            decide(audit.submitAll(at: moment.instant), at: moment)
            submit(request)
        case .handOn, .operated, .revocation: for service in services { service.perform(effect) }
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

    private func record(_ event: AuditEvent) {
        if event.kind == .denied || event.kind == .unproven { metrics.count(.denied) }
        // The metric counts phones only, not operators.
        if event.kind == .withdrawn, ![.control, .matter, .remote].contains(event.channel) {
            metrics.count(.withdrawn)
        }
        audit.record(stamped(event))
    }

    /// The event with the quality of its time, which the clock knows, not the reader.
    private func stamped(_ event: AuditEvent) -> AuditEvent {
        var event = event
        if event.time.quality != .unset { event.time.quality = wall.quality }
        return event
    }

    /// Applies the decision about an opening that waited for its record.
    func decide(_ verdict: OpeningVerdict?, at moment: Moment) {
        guard let verdict else { return }
        for service in services { service.receive(verdict) }
        if case .phone = verdict.opening { metrics.count(verdict.status == .ok ? .granted : .withdrawn) }
        device.reader.decide(verdict.opening, verdict.status, at: moment)
    }
}
