import AccessProtocol
import Reactor
import Reader
import Timekeeping

/// What is recorded, and who waits for it.
extension ReaderProcess {
    var auditTime: AuditTime { wall.auditTime }

    /// Records what happened, lets in who may be, and hands the events to the disk: before the packets, since an answer
    /// may wait for that. A door that waits for its record is let go by a later turn.
    func settleAudit() {
        tell(wall.observe())
        let moment = moment
        recordEvents()
        device.takeOpenRequests(into: &openRequests)
        for request in openRequests {
            if case .phone = request.token { latency.requested(request.token) }
            self.request(request.token, stamped(request.event), at: moment)
        }
        let questions = device.takeStorageRequests()
        // What is asked about the log knows of everything so far.
        if !questions.isEmpty { decide(audit.handOverAll(at: moment.instant), at: moment) }
        for request in questions { ask(request) }
        audit.catchUp(at: moment.instant) { device.blacklistRows }
        // Waking the disk's thread takes a while, and may take the processor.
        moveLines()
        // A disk that takes no more is answered at once.
        decide(audit.handOver(at: moment.instant), at: moment)
        recordEvents()
    }

    func recordEvents() {
        device.takeAuditEvents(into: &auditEvents)
        for event in auditEvents {
            if event.kind == .denied || event.kind == .unproven { metrics.count(.denied) }
            if event.kind == .withdrawn { metrics.count(.withdrawn) }
            audit.record(stamped(event))
        }
    }

    /// The reader knows what its clock shows, and the shell how far that can be believed.
    private func stamped(_ event: AuditEvent) -> AuditEvent {
        var event = event
        if event.time.quality != .unset { event.time.quality = wall.quality }
        return event
    }

    /// Records the event of an opening, which waits for that if it has to.
    func request(_ opening: OpeningToken, _ event: AuditEvent, at moment: Moment) {
        guard let status = audit.request(opening, event, at: moment.instant) else { return }
        decide(OpeningVerdict(opening: opening, status: status), at: moment)
    }

    func decide(_ verdict: OpeningVerdict?, at moment: Moment) {
        guard let verdict else { return }
        switch verdict.opening {
        case .operator(let ticket): return decideOperator(ticket, verdict.status, at: moment)
        case .phone: metrics.count(verdict.status == .ok ? .granted : .withdrawn)
        case .update: break
        }
        latency.decided(verdict.opening, isGranted: verdict.status == .ok)
        device.openDoor(verdict.opening, verdict.status, at: moment)
    }
}
