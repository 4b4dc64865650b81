// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Logging
import Reader
import Timekeeping

/// The reader's clock: set by phones, supervised, and stored.
extension ReaderProcess {
    /// Submits a request to the clock or the store.
    func submit(_ request: StorageRequest) {
        // It has no record of another way, so one without room is refused.
        if case .clearEvents(let event) = request.work, !device.reader.ledger.charge(event) {
            if let id = request.id { receive(.answered(id, .failed(.unavailable))) }
            return
        }
        guard case .clock(let seconds, let authority) = request.work else {
            for service in services { service.perform(.store(request)) }
            if let outcome = audit.submit(request, at: moment.latestSeconds) { receive(outcome) }
            return
        }
        let former = wall.epochSeconds
        var events: [ReaderClock.Event] = []
        let outcome = wall.set(to: seconds, by: authority, into: &events)
        report(events)
        if outcome != .done, outcome != .synchronised {
            let step = former.map { seconds - $0 } ?? 0
            log.warning("a phone's step of the clock by \(step) s was refused; use readerd set-time or a CLK_SET token")
            record(AuditEvent(.clockStepRefused, at: auditTime, info: Int32(clamping: step)))
        }
        if let id = request.id { receive(.answered(id, .clock(outcome))) }
    }

    func report(_ events: [ReaderClock.Event]) {
        device.reader.ledger.clockQuality = wall.quality
        for event in events {
            log.log(level: event.level, "\(event)")
            record(AuditEvent(event.auditKind, at: auditTime, info: event.auditInfo))
        }
        keepClockMarks()
        for service in services { service.clockChanged() }
    }

    /// The interval in seconds at which the latest time shown is stored, so that a power cut sets the clock back by no
    /// more than that. Each time writes the policy.
    private static let markInterval: Int64 = 3600

    /// Stores the clock's marks if they would matter after a restart.
    private func keepClockMarks() {
        // Marks that have not been loaded yet must not be replaced; a clock that was never set has none.
        guard stage.isRestored, wall.epochSeconds != nil, let marks = wall.marks, !isKept(marks) else { return }
        stage.keptMarks = marks
        audit.keep(ClockMarks.setting, marks.octets)
    }

    private func isKept(_ marks: ClockMarks) -> Bool {
        guard var kept = stage.keptMarks, (0..<ReaderProcess.markInterval).contains(marks.shown - kept.shown) else {
            return false
        }
        // While the clock runs on, both advance together.
        if kept.latest == kept.shown { kept.latest = marks.latest }
        kept.shown = marks.shown
        return kept == marks
    }

    /// Starts the clock with the stored marks. The system clock's time at the start is not recorded.
    func beginClock(_ marks: ClockMarks?, lastEvent: Int64?) {
        stage.keptMarks = marks
        let events = wall.begin(marks: marks, lastEvent: lastEvent)
        report(events.filter { $0.auditKind != .clockSet })
    }

    /// Reports if the earliest time that phones may set is unknown.
    func noticeClockFloor(isKnown: Bool) {
        faults.set(
            .clockFloorUnknown, !isKnown, at: moment,
            "the time of the last event is unknown, so phones may set the clock back to this firmware's build date: "
                + "check the disk, and set up a time service")
    }
}

extension ReaderClock.Event {
    fileprivate var level: Logger.Level {
        switch self {
        case .wasSet, .quality(.synchronised): .notice
        // These are faults, and reported as such.
        case .quality(.unset), .quality(.stale): .debug
        case .stepped, .refusedStep, .quality(.set): .warning
        }
    }
}
