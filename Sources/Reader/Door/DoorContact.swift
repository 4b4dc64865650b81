import Timekeeping

/// The door's contact: whether the door stands open, and whether it may.
struct DoorContact: Equatable {
    private enum Position: Equatable {
        /// Nobody has told yet.
        case unknown
        case closed
        case open
    }

    var times: ContactTimes
    private var position = Position.unknown
    /// Since when the door stands open without leave to stand open; nil while it is closed, or has that leave.
    private var standsSince: Instant?
    private var hasWarned = false
    /// The alarm that lasts.
    private(set) var alarm: ContactAlarm?
    /// When it is told again.
    private var alarmAgain = Instant.origin
    /// Until when an opening is not forced although the lock is secured.
    private var shuntedUntil: Instant?
    /// Somebody is on the way out.
    private var isMasked = false

    init(_ times: ContactTimes) {
        self.times = times
    }

    /// Whether the door stands open; false while nobody has told.
    var isOpen: Bool { position == .open }
    /// Whether the warning sounds.
    var isWarning: Bool { hasWarned && alarm == nil }

    /// When something happens by itself.
    var deadline: Instant? {
        if alarm != nil { return alarmAgain }
        guard let since = standsSince else { return nil }
        return since + (hasWarned ? times.permittedOpen : warnsAfter)
    }

    private var warnsAfter: Duration { max(times.permittedOpen - max(times.warning, .zero), .zero) }

    /// An opening until a moment after `now` is not forced.
    mutating func shunt(at now: Instant) {
        shuntedUntil = now + times.shunt
    }

    /// Somebody who goes out asks that the opening be no alarm, or does not any more.
    mutating func mask(_ isActive: Bool, at now: Instant) {
        isMasked = isActive
        if !isActive { shunt(at: now) }
    }

    /// The contact's level. `mayOpen`: people may pass.
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
        // At the start the door may have been open all night: it is not known to have been forced.
        guard mayOpen || isMasked || isShunted || before == .unknown else {
            raise(.forced, at: now)
            return events.append(.forced)
        }
        events.append(.opened)
    }

    /// Does what is due. `mayStandOpen`: whatever lets people through lets the door stand open as well.
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
            raise(.ajar, at: now)
            hasWarned = true
            return events.append(.ajar)
        }
        if !hasWarned, times.warning > .zero, now >= since + warnsAfter {
            hasWarned = true
            events.append(.ajarWarning)
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
