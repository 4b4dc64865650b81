// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The supervision of the door contact: open or closed, and whether that is permitted.
struct DoorContact: Equatable {
    private enum Position: Equatable {
        /// Not reported yet.
        case unknown
        case closed
        case open
    }

    var times: ContactTimes
    private var position = Position.unknown
    /// The time since which the door stands open without permission; nil while it is closed or may stand open.
    private var standsSince: Instant?
    private var hasWarned = false
    /// The present alarm.
    private(set) var alarm: ContactAlarm?
    /// The time at which the alarm is repeated.
    private var alarmAgain = Instant.origin
    /// The end of the time during which an opening is not a forced one although the lock is secured.
    private var shuntedUntil: Instant?
    /// True while an exit input masks the alarm.
    private var isMasked = false

    init(_ times: ContactTimes) {
        self.times = times
    }

    /// True if the door is open; false until the first report.
    var isOpen: Bool { position == .open }
    /// True while the warning sounds.
    var isWarning: Bool { hasWarned && alarm == nil }

    /// The time of the next event that no input causes.
    var deadline: Instant? {
        if alarm != nil { return alarmAgain }
        guard let since = standsSince else { return nil }
        return since + (hasWarned ? times.permittedOpen : warnsAfter)
    }

    private var warnsAfter: Duration { max(times.permittedOpen - max(times.warning, .zero), .zero) }

    /// Begins the shunt time, in which an opening is not a forced one.
    mutating func shunt(at now: Instant) {
        shuntedUntil = now + times.shunt
    }

    /// Begins or ends the masking of the alarm by an exit input.
    mutating func mask(_ isActive: Bool, at now: Instant) {
        isMasked = isActive
        if !isActive { shunt(at: now) }
    }

    /// Handles the contact's level. `mayOpen` is true while the door is unlocked.
    mutating func moved(isOpen: Bool, mayOpen: Bool, at now: Instant, into events: inout [DoorEvent]) {
        let before = position
        position = isOpen ? .open : .closed
        guard position != before else { return }
        guard isOpen else {
            standsSince = nil
            hasWarned = false
            if before == .open { events.append(.closed) }
            return end(into: &events)
        }
        let isShunted = shuntedUntil.map { now < $0 } ?? false
        // At the start the door may have been open for long: it is not known to have been forced.
        guard mayOpen || isMasked || isShunted || before == .unknown else {
            raise(.forced, at: now)
            return events.append(.forced)
        }
        events.append(.opened)
    }

    /// Executes due actions. `mayStandOpen` is true while the cause of the release permits the door to stand open.
    mutating func advance(to now: Instant, mayStandOpen: Bool, into events: inout [DoorEvent]) {
        guard isOpen else { return }
        guard !mayStandOpen else {
            standsSince = nil
            hasWarned = false
            return end(into: &events)
        }
        let since = standsSince ?? now
        standsSince = since
        if let alarm {
            guard now >= alarmAgain else { return }
            raise(alarm, at: now)
            return events.append(.alarmLasts(alarm))
        }
        if now >= since + times.permittedOpen {
            raise(.heldOpenTooLong, at: now)
            hasWarned = true
            return events.append(.heldOpenTooLong)
        }
        if !hasWarned, times.warning > .zero, now >= since + warnsAfter {
            hasWarned = true
            events.append(.heldOpenWarning)
        }
    }

    private mutating func raise(_ alarm: ContactAlarm, at now: Instant) {
        self.alarm = alarm
        alarmAgain = now + times.alarmRepeat
    }

    private mutating func end(into events: inout [DoorEvent]) {
        guard let alarm else { return }
        self.alarm = nil
        events.append(.restored(alarm))
    }
}
