import AccessProtocol
import System
import Reader
import Timekeeping

/// The reader's effects, done: the lines, the log, the store, and what people are told.
extension ReaderProcess {
    var auditTime: AuditTime { wall.auditTime }

    /// Does what the reader asks for, and what it asks for in turn.
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
        case .record(let event): record(event)
        case .open(let opening, let event):
            guard let status = audit.request(opening, stamped(event), at: moment.instant) else { return }
            decide(OpeningVerdict(opening: opening, status: status), at: moment)
        case .store(let request):
            // What is asked about the log knows of everything so far.
            decide(audit.handOverAll(at: moment.instant), at: moment)
            ask(request)
        case .operated(let ticket, let answer): self.answer(ticket, answer)
        case .update, .notice: deferredEffects.append(effect)
        }
    }

    /// Does what may wait for the packets: people are told, and the updater is started behind the answer.
    func performDeferred() {
        for effect in deferredEffects {
            switch effect {
            case .notice(let notice): tell(notice)
            case .update(let request): operation.updater?.start(request)
            default: break
            }
        }
        deferredEffects.removeAll(keepingCapacity: true)
    }

    private func record(_ event: AuditEvent) {
        if event.kind == .denied || event.kind == .unproven { metrics.count(.denied) }
        // An operator's is none of those that phones are granted.
        if event.kind == .withdrawn, event.channel != .control { metrics.count(.withdrawn) }
        audit.record(stamped(event))
    }

    /// The reader knows what its clock shows, and the shell how far that can be believed.
    private func stamped(_ event: AuditEvent) -> AuditEvent {
        var event = event
        if event.time.quality != .unset { event.time.quality = wall.quality }
        return event
    }

    /// An opening need not wait for its record any longer.
    func decide(_ verdict: OpeningVerdict?, at moment: Moment) {
        guard let verdict else { return }
        if case .phone = verdict.opening { metrics.count(verdict.status == .ok ? .granted : .withdrawn) }
        device.reader.decide(verdict.opening, verdict.status, at: moment)
    }
}
