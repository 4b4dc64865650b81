// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Fleet
import System
import Reader
import Timekeeping

/// Execution of the reader's effects: the lines, the log, the store, and notices.
extension ReaderProcess {
    var auditTime: AuditTime { wall.auditTime }

    /// Carries out the reader's effects, including those that follow from them.
    func performEffects(at moment: Moment) {
        device.reader.takeEffects(into: &effects)
        while !effects.isEmpty {
            for effect in effects { perform(effect, at: moment) }
            device.reader.takeEffects(into: &effects)
        }
    }

    private func perform(_ effect: ReaderEffect, at moment: Moment) {
        switch effect {
        case .door(let action, let since): move(action, since: since)
        case .handOn(let credential, let since): handOn(credential, since: since)
        case .record(let event): record(event)
        case .open(let opening, let event):
            operation.matter?.opening = event.channel
            guard let status = audit.request(opening, stamped(event), at: moment.instant) else { return }
            decide(OpeningVerdict(opening: opening, status: status), at: moment)
        case .store(let request):
            // The answer has to include all events so far.
            decide(audit.submitAll(at: moment.instant), at: moment)
            submit(request)
        case .operated(.control(let ticket), let answer): self.answer(ticket, answer)
        case .operated(.matter(let order), let answer): self.answer(order: order, answer)
        case .operated(.remote(let ticket), let answer): endOrder(ticket, answer.map { RemoteAnswer.Reason($0) })
        case .update, .notice: deferredEffects.append(effect)
        }
    }

    /// Carries out the effects that follow the packets: notices, and the start of the updater after its answer.
    func performDeferred() {
        for effect in deferredEffects {
            switch effect {
            case .notice(let notice): report(notice)
            case .update(let request): operation.updater?.start(request)
            default: break
            }
        }
        deferredEffects.removeAll(keepingCapacity: true)
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
        if case .operator(.remote(let ticket)) = verdict.opening {
            operation.link?.orders.recorded(ticket, verdict.sequence)
        }
        if case .phone = verdict.opening { metrics.count(verdict.status == .ok ? .granted : .withdrawn) }
        device.reader.decide(verdict.opening, verdict.status, at: moment)
    }
}
