import Logging
import Reader
import Timekeeping

/// The reader's clock: set by phones, watched, and kept.
extension ReaderProcess {
    /// Asks the clock, or the store.
    func ask(_ request: StorageRequest) {
        guard case .clock(let seconds) = request.work else { return audit.ask(request) }
        let former = wall.epochSeconds
        var events: [ReaderClock.Event] = []
        let outcome = wall.set(to: seconds, by: .phone, into: &events)
        tell(events)
        if outcome == .tooEarly || outcome == .tooFarBack {
            let step = former.map { seconds - $0 } ?? 0
            log.warning("a phone was to set the clock by \(step) s, which only an operator may do")
            audit.record(AuditEvent(.clockStepRefused, at: auditTime, info: Int32(clamping: step)))
        }
        if let id = request.id { device.answerStorage(id, .clock(outcome), at: moment) }
    }

    func tell(_ events: [ReaderClock.Event]) {
        for event in events {
            log.log(level: event.level, "\(event)")
            audit.record(AuditEvent(event.auditKind, at: auditTime, info: event.auditInfo))
        }
        guard wall.offset != keptOffset else { return }
        keptOffset = wall.offset
        let octets = StorageDesk.Contents.octets(offset: keptOffset)
        audit.ask(StorageRequest(id: nil, work: .setting(StorageDesk.Contents.clockOffset, octets)))
    }

    /// Begins with the clock as it was left. That a system's clock shows the time at a start is nothing to record.
    func beginClock(offset: Int64, lastEvent: Int64?) {
        keptOffset = offset
        let events = wall.begin(offset: offset, lastEvent: lastEvent)
        tell(events.filter { $0.auditKind != .clockSet })
    }

    /// Whether it is known before which time no phone may set the clock.
    func noticeClockFloor(isKnown: Bool) {
        faults.set(
            .clockFloorUnknown, !isKnown, at: moment,
            "nobody can tell when the last event was, so a phone may set the clock back as far as this firmware's day: "
                + "see to the disk, and have a time service")
    }
}

extension ReaderClock.Event {
    fileprivate var level: Logger.Level {
        switch self {
        case .wasSet, .quality(.synchronised): .notice
        // These are faults, and told as such.
        case .quality(.unset), .quality(.stale): .debug
        case .stepped, .refusedStep, .quality(.set): .warning
        }
    }
}
