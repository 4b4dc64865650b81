public import Timekeeping

/// A door: a lock that is secured unless something lets people through, a contact that tells whether it stands open,
/// and the signals that go with it.
///
/// Each input appends the actions that it causes, the lock's first; an output is named only when it changes. What
/// happened is in `events`. Times do not go backwards from one input to the next; the shell calls `advance` at
/// `nextDeadline`.
///
/// A grant while the door is unlocked starts the pulse again from then: the door is secured one pulse after the last
/// grant, and the lock sees no edge in between. That also holds for a grant that comes after the pulse's end and
/// before the shell has said so: a relay that drops and pulls within microseconds helps nobody.
///
/// Only a request, a schedule, an exit and fire let people through; no loss or return of anything does. Fire is over
/// lockdown, and so is an exit: nobody is locked in. `shutdown` takes the current away, so the door ends as it would
/// without power: locked with fail mode `secure`, free with `safe`.
public struct Door: ~Copyable {
    var configuration: DoorConfiguration
    /// Before `start` and after `shutdown` no input does anything.
    var isRunning = false
    var release = DoorRelease()
    var contact: DoorContact
    var lockout: AttemptLockout
    var isTampered = false
    var isExitInputActive = false
    var isFireInputActive = false
    /// A tamper that lets nobody in until it is reset.
    var isBlocked = false
    var signals = DoorSignalling()
    /// What happened, in order, since it was last taken.
    public var events: [DoorEvent] = []
    private var lastCause: ReleaseCause?
    private var now = Instant.origin
    /// When outputs that failed are set again.
    private var retryAt: Instant?

    /// How long after a failure an output is set again, at the latest. A lock that could not be secured is not to
    /// wait for the next grant.
    static let retry = Duration.seconds(1)

    /// A door that has not been started.
    public init(_ configuration: DoorConfiguration) {
        self.configuration = configuration
        contact = DoorContact(configuration.contact)
        lockout = AttemptLockout(configuration.lockout)
    }

    /// Whether the lock lets people through.
    public var isUnlocked: Bool { isRunning && release.cause != nil }

    /// Where the door is, in one word.
    public var state: DoorState {
        guard isRunning else { return .inactive }
        switch release.cause {
        case .office, .schedule, .fire: return .heldOpen
        case .pulse, .extended, .exit: return .unlocked
        case nil: return release.isLockdown ? .lockdown : .secured
        }
    }

    /// What holds it open, fire or a grant in front of that or not.
    var hold: ReleaseCause? { isRunning ? release.hold : nil }

    /// Whether the contact says that the door stands open.
    public var standsOpen: Bool { contact.isOpen }

    /// The contact's alarm that lasts.
    public var alarm: ContactAlarm? { contact.alarm }

    /// When `advance` is wanted next; nil while nothing will change by itself.
    public var nextDeadline: Instant? {
        guard isRunning else { return nil }
        var earliest = Instant.earlier(retryAt, release.deadline)
        earliest = Instant.earlier(earliest, contact.deadline)
        earliest = Instant.earlier(earliest, lockout.until)
        return Instant.earlier(earliest, signals.nextChange(after: now))
    }

    /// Secures the door and sets every output, whatever its level was before.
    public mutating func start(at now: Instant, into actions: inout [DoorAction]) {
        isRunning = true
        release = DoorRelease()
        lastCause = nil
        contact = DoorContact(configuration.contact)
        (isTampered, isExitInputActive, isFireInputActive) = (false, false, false)
        signals = DoorSignalling()
        update(at: now, into: &actions)
    }

    /// What would become of a request now; nothing moves.
    public func verdict(on request: DoorRequest, at now: Instant) -> DoorVerdict {
        guard isRunning else { return .inactive }
        if request == .officeOff { return .done }
        if release.isLockdown { return .lockdown }
        if isBlocked { return .tampered }
        return lockout.until.map { now < $0 } ?? false ? .lockedOut : .done
    }

    /// Does what is asked, if the door lets anybody in now. The caller has checked that who asks may.
    public mutating func request(
        _ request: DoorRequest, at now: Instant, into actions: inout [DoorAction]
    ) -> DoorVerdict {
        guard isRunning else { return .inactive }
        expireLockout(at: now)
        let verdict = verdict(on: request, at: now)
        guard verdict == .done else {
            show(configuration.signals.deniedFlashes, configuration.signals.deniedBeeps, at: now, into: &actions)
            return verdict
        }
        lockout.granted()
        switch request {
        case .pulse: unlock(for: configuration.pulse, isExtended: false, at: now)
        case .pulseOf(let length): unlock(for: length, isExtended: false, at: now)
        case .extended: unlock(for: configuration.extended, isExtended: true, at: now)
        case .officeOn: release.isOffice = true
        case .officeOff: endOffice()
        case .toggleOffice:
            // A pulse that is over has ended, whether or not anybody has said so yet.
            release.expire(at: now)
            if release.cause == nil { release.isOffice = true } else { endOffice() }
        }
        signals.flashes = nil
        signals.beeps = DoorSignalling.Playing(pattern: configuration.signals.grantedBeeps, since: now)
        update(at: now, into: &actions)
        return .done
    }

    /// Unlocks the door until one pulse from now, if it lets anybody in.
    @discardableResult
    public mutating func grant(at now: Instant, into actions: inout [DoorAction]) -> DoorVerdict {
        request(.pulse, at: now, into: &actions)
    }

    /// Shows a refusal, and counts it as an attempt. A door that someone else has just been let through stays unlocked.
    public mutating func deny(at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning else { return }
        expireLockout(at: now)
        if lockout.attemptRefused(at: now) { events.append(.lockout(active: true)) }
        release.expire(at: now)
        show(configuration.signals.deniedFlashes, configuration.signals.deniedBeeps, at: now, into: &actions)
    }

    /// Does what is due at `now`; earlier or later than `nextDeadline` is fine.
    public mutating func advance(to now: Instant, into actions: inout [DoorAction]) {
        guard isRunning else { return }
        expireLockout(at: now)
        release.expire(at: now)
        update(at: now, into: &actions)
    }

    /// Takes the current from the lock and darkens and silences the rest; the door is inactive then.
    public mutating func shutdown(at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning else { return }
        isRunning = false
        release = DoorRelease()
        lastCause = nil
        signals.flashes = nil
        signals.beeps = nil
        signals.base = DoorSignalling.Base()
        apply(energised: false, granted: false, at: now, into: &actions)
    }

    /// An output could not be set, so nobody knows its level: it is set again with the next change of any output, or
    /// after `retry`.
    public mutating func failed(_ output: DoorOutput, at now: Instant) {
        guard isRunning else { return }
        signals.forget(output)
        retryAt = now + Door.retry
    }

    // MARK: - What the inputs use

    private mutating func unlock(for length: Duration, isExtended: Bool, at now: Instant) {
        release.awaitsUser = false
        let end = now + length
        // A pulse never cuts short an extended opening.
        if let grant = release.grant, grant.isExtended, !isExtended, grant.until > end { return }
        release.grant = DoorRelease.Grant(until: end, isExtended: isExtended)
    }

    private mutating func endOffice() {
        release.isOffice = false
        release.grant = nil
        // Until the schedule begins again, or somebody is let in.
        if release.isScheduled { release.awaitsUser = true }
    }

    private mutating func expireLockout(at now: Instant) {
        if lockout.expire(at: now) { events.append(.lockout(active: false)) }
    }

    private mutating func show(
        _ flashes: SignalPattern, _ beeps: SignalPattern, at now: Instant, into actions: inout [DoorAction]
    ) {
        signals.flashes = DoorSignalling.Playing(pattern: flashes, since: now)
        signals.beeps = DoorSignalling.Playing(pattern: beeps, since: now)
        update(at: now, into: &actions)
    }

    /// Follows what has changed: tells it, watches the contact, and names the outputs whose level is another one.
    mutating func update(at now: Instant, into actions: inout [DoorAction]) {
        let cause = release.cause
        if cause != lastCause {
            if let lastCause, cause == nil {
                contact.shunt(at: now)
                events.append(.secured(after: lastCause))
            }
            if let cause { events.append(.released(cause)) }
            lastCause = cause
        }
        contact.advance(to: now, mayStandOpen: release.mayStandOpen, into: &events)
        let isAlarming = contact.alarm != nil || isTampered && configuration.tamper != .record
        signals.follow(
            DoorSignalling.Base(
                isAlarming: isAlarming, isWarning: contact.isWarning, isShut: release.isLockdown || isBlocked),
            configuration.signals, at: now)
        let energised =
            cause == nil ? configuration.failMode.securedIsEnergised : !configuration.failMode.securedIsEnergised
        apply(energised: energised, granted: cause != nil, at: now, into: &actions)
    }

    private mutating func apply(
        energised: Bool, granted: Bool, at now: Instant, into actions: inout [DoorAction]
    ) {
        self.now = now
        // Whatever failed is set again here.
        retryAt = nil
        signals.apply(energised: energised, granted: granted, at: now, into: &actions)
    }
}

/// Where a door is, in one word.
public enum DoorState: String, Equatable, Sendable {
    /// Not started, or ended.
    case inactive
    /// Locked.
    case secured
    /// Unlocked for a time.
    case unlocked
    /// Unlocked for as long as office mode, the schedule, or fire lasts.
    case heldOpen = "held-open"
    /// Locked, and nobody is let in.
    case lockdown
}
