import Logging
import Reader
import Timekeeping

/// The reader's clock: set by phones, watched, and kept.
extension ReaderProcess {
    /// Asks the clock, or the store.
    func ask(_ request: StorageRequest) {
        guard case .clock(let seconds, let authority) = request.work else {
            if let outcome = audit.ask(request) { take(outcome) }
            return
        }
        let former = wall.epochSeconds
        var events: [ReaderClock.Event] = []
        let outcome = wall.set(to: seconds, by: authority, into: &events)
        tell(events)
        if outcome != .done, outcome != .synchronised {
            let step = former.map { seconds - $0 } ?? 0
            log.warning("a phone was to set the clock by \(step) s, which needs readerd set-time or a CLK_SET token")
            audit.record(AuditEvent(.clockStepRefused, at: auditTime, info: Int32(clamping: step)))
        }
        if let id = request.id { take(.answered(id, .clock(outcome))) }
    }

    func tell(_ events: [ReaderClock.Event]) {
        for event in events {
            log.log(level: event.level, "\(event)")
            audit.record(AuditEvent(event.auditKind, at: auditTime, info: event.auditInfo))
        }
        keepClockMarks()
    }

    /// The interval at which the latest time shown is kept, so that a power cut takes no more than that back. Each time
    /// writes the policy.
    private static let markInterval: Int64 = 3600

    /// Has the clock's marks kept where a restart would need them.
    private func keepClockMarks() {
        // What is kept is not replaced before it is known, and a clock that never had a time has none.
        guard isRestored, wall.epochSeconds != nil, let marks = wall.marks, !isKept(marks) else { return }
        keptMarks = marks
        audit.keep(ClockMarks.setting, marks.octets)
    }

    private func isKept(_ marks: ClockMarks) -> Bool {
        guard var kept = keptMarks, (0..<ReaderProcess.markInterval).contains(marks.shown - kept.shown) else {
            return false
        }
        // As long as the clock runs on, both go with it.
        if kept.latest == kept.shown { kept.latest = marks.latest }
        kept.shown = marks.shown
        return kept == marks
    }

    /// Begins with the clock as it was left. That a system's clock shows the time at a start is nothing to record.
    func beginClock(_ marks: ClockMarks?, lastEvent: Int64?) {
        keptMarks = marks
        let events = wall.begin(marks: marks, lastEvent: lastEvent)
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
