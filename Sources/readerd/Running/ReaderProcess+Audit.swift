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
            if request.event.kind == .granted {
                latency.requested(request.id)
            } else {
                otherRequests.insert(request.id)
            }
            audit.request(stamped(request), at: moment.instant)
        }
        let questions = device.takeStorageRequests()
        // What is asked about the log knows of everything so far.
        if !questions.isEmpty { audit.handOverAll(at: moment.instant) }
        for request in questions { ask(request) }
        audit.catchUp(at: moment.instant) { device.blacklistRows }
        decide(at: moment)
        // Waking the disk's thread takes a while, and may take the processor.
        moveLines()
        audit.handOver(at: moment.instant)
        // A disk that takes no more is answered at once.
        decide(at: moment)
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

    private func stamped(_ request: OpenRequest) -> OpenRequest {
        var request = request
        request.event = stamped(request.event)
        return request
    }

    private func decide(at moment: Moment) {
        while let verdict = audit.nextVerdict() {
            if decideOperator(verdict, at: moment) { continue }
            if otherRequests.remove(verdict.grant) == nil {
                metrics.count(verdict.status == .ok ? .granted : .withdrawn)
            }
            latency.decided(verdict.grant, isGranted: verdict.status == .ok)
            device.openDoor(verdict.grant, verdict.status, at: moment)
        }
    }
}
