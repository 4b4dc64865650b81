// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A door: a lock, a contact, and the signals that go with them. The lock is secured unless a cause releases it.
///
/// Each input appends the actions that it causes, the lock's first; an output is set only when its level changes.
/// Events are appended to `events`. Times do not go backwards from one input to the next; the shell calls `advance` at
/// `nextDeadline`.
///
/// A grant while the door is unlocked restarts the pulse: the door is secured one pulse after the last grant, and the
/// lock has no edge in between. That includes a grant after the pulse's end and before the shell has called `advance`,
/// so that a relay does not drop and pull within microseconds.
///
/// Only a request, a schedule, an exit request and fire release the door; no loss or return of a device or line does.
/// Fire and exit requests take precedence over a lockdown, so that people can always leave. `shutdown` de-energises the
/// lock, so the door ends as without power: locked with fail mode `secure`, unlocked with `safe`.
public struct Door: ~Copyable {
    var configuration: DoorConfiguration
    /// True between `start` and `shutdown`; otherwise inputs have no effect.
    var isRunning = false
    var release = DoorRelease()
    var contact: DoorContact
    var lockout: AttemptLockout
    var isTampered = false
    var isExitInputActive = false
    var isFireInputActive = false
    /// True while a tamper blocks the door until it is reset.
    var isBlocked = false
    var signals = DoorSignalling()
    /// The fault that the lights show; nil for none.
    var fault: DoorFault?
    /// The events since they were last taken, in order.
    public var events: [DoorEvent] = []
    private var lastCause: ReleaseCause?
    private var now = Instant.origin
    /// The time at which outputs that failed are set again.
    private var retryAt: Instant?
    /// The time of arrival of the request that is being carried out; nil for any other input.
    private var requestedAt: Instant?

    /// The maximum time after a failure until the output is set again, so that a lock that could not be secured does
    /// not wait for the next grant.
    static let retry = Duration.seconds(1)

    /// Creates a door that has not been started.
    public init(_ configuration: DoorConfiguration) {
        self.configuration = configuration
        contact = DoorContact(configuration.contact)
        lockout = AttemptLockout(configuration.lockout)
    }

    /// True if the lock is released.
    public var isUnlocked: Bool { isRunning && release.cause != nil }

    /// The state of the door.
    public var state: DoorState {
        guard isRunning else { return .inactive }
        switch release.cause {
        case .office, .schedule, .fire: return .passage
        case .pulse, .extended, .exit, .panel: return .unlocked
        case nil: return release.isLockdown ? .lockdown : .secured
        }
    }

    /// The state that the lights show continuously; nil while the door is inactive.
    var sign: DoorSign? {
        guard isRunning else { return nil }
        if fault == .lock { return .fault }
        if release.cause != nil { return release.mayStandOpen ? .heldOpen : .open }
        if release.isLockdown || isBlocked { return .lockdown }
        return fault == nil ? .locked : .fault
    }

    /// The office mode or schedule that keeps the door unlocked, also during fire or a grant.
    var hold: ReleaseCause? { isRunning ? release.hold : nil }

    /// True if the contact reports the door open.
    public var standsOpen: Bool { contact.isOpen }

    /// The contact's present alarm.
    public var alarm: ContactAlarm? { contact.alarm }

    /// The time of the next call of `advance`; nil if no output or state has a timed change.
    public var nextDeadline: Instant? {
        guard isRunning else { return nil }
        var earliest = Instant.earlier(retryAt, release.deadline)
        earliest = Instant.earlier(earliest, contact.deadline)
        earliest = Instant.earlier(earliest, lockout.until)
        return Instant.earlier(earliest, signals.nextChange(after: now))
    }

    /// Secures the door and sets every output, regardless of its previous level.
    public mutating func start(at now: Instant, into actions: inout [some DoorEffect]) {
        isRunning = true
        release = DoorRelease()
        lastCause = nil
        contact = DoorContact(configuration.contact)
        (isTampered, isExitInputActive, isFireInputActive) = (false, false, false)
        signals = DoorSignalling()
        update(at: now, into: &actions)
    }

    /// Returns the verdict that a request would have now, without changing anything.
    public func verdict(on request: DoorRequest, at now: Instant) -> DoorVerdict {
        guard isRunning else { return .inactive }
        if request == .officeOff { return .done }
        if release.isLockdown { return .lockdown }
        if isBlocked { return .tampered }
        return lockout.until.map { now < $0 } ?? false ? .lockedOut : .done
    }

    /// Carries out a request if the door accepts it now. The caller has checked the authorisation. `since` is the time
    /// of arrival of a request that waited for its record, for the lock's action.
    public mutating func request(
        _ request: DoorRequest, since: Instant? = nil, at now: Instant, into actions: inout [some DoorEffect]
    ) -> DoorVerdict {
        guard isRunning else { return .inactive }
        requestedAt = since
        defer { requestedAt = nil }
        expireLockout(at: now)
        let verdict = verdict(on: request, at: now)
        guard verdict == .done else {
            refuse(at: now, into: &actions)
            return verdict
        }
        // Securing the door is no sign of a rightful person: it must not end a run of refused attempts.
        if request != .officeOff { lockout.granted() }
        switch request {
        case .pulse: unlock(for: configuration.pulse, isExtended: false, at: now)
        case .pulseOf(let length): unlock(for: length, isExtended: false, at: now)
        case .extended: unlock(for: configuration.extended, isExtended: true, at: now)
        case .officeOn: release.isOffice = true
        case .officeOff: endOffice()
        case .toggleOffice:
            // A pulse whose time is over has ended, also if `advance` was not called yet.
            release.expire(at: now)
            if release.cause == nil { release.isOffice = true } else { endOffice() }
        }
        signals.flashes = nil
        signals.beeps = DoorSignalling.Playing(pattern: configuration.signals.grantedBeeps, since: now)
        update(at: now, into: &actions)
        return .done
    }

    /// Unlocks the door for one pulse from now, unless it refuses access.
    @discardableResult
    public mutating func grant(at now: Instant, into actions: inout [some DoorEffect]) -> DoorVerdict {
        request(.pulse, at: now, into: &actions)
    }

    /// Signals a refusal for which the person is not to blame.
    public mutating func refuse(at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        release.expire(at: now)
        show(configuration.signals.deniedFlashes, configuration.signals.deniedBeeps, at: now, into: &actions)
    }

    /// Signals a refusal, and counts it as an attempt. A door unlocked by another grant stays unlocked.
    public mutating func deny(at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        expireLockout(at: now)
        if lockout.attemptRefused(at: now) { events.append(.lockout(active: true)) }
        release.expire(at: now)
        show(configuration.signals.deniedFlashes, configuration.signals.deniedBeeps, at: now, into: &actions)
    }

    /// Executes the actions due at `now`, which may be earlier or later than `nextDeadline`.
    public mutating func advance(to now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        expireLockout(at: now)
        release.expire(at: now)
        update(at: now, into: &actions)
    }

    /// De-energises the lock and switches off all other outputs. The door is inactive then.
    public mutating func shutdown(at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        isRunning = false
        release = DoorRelease()
        lastCause = nil
        signals.end()
        apply(energised: false, isReleased: false, at: now, into: &actions)
    }

    /// Reports that an output could not be set, so that its level is unknown. It is set again with the next change of
    /// any output, or after `retry`.
    public mutating func failed(_ output: DoorOutput, at now: Instant) {
        guard isRunning else { return }
        signals.forget(output)
        retryAt = now + Door.retry
    }

    // MARK: - Helpers of the inputs

    private mutating func unlock(for length: Duration, isExtended: Bool, at now: Instant) {
        release.awaitsUser = false
        let end = now + length
        // A pulse does not shorten an extended opening.
        if let grant = release.grant, grant.isExtended, !isExtended, grant.until > end { return }
        release.grant = DoorRelease.Grant(until: end, isExtended: isExtended)
    }

    private mutating func endOffice() {
        release.isOffice = false
        release.grant = nil
        // Until the schedule begins again, or a request is granted.
        if release.isScheduled { release.awaitsUser = true }
    }

    private mutating func expireLockout(at now: Instant) {
        if lockout.expire(at: now) { events.append(.lockout(active: false)) }
    }

    private mutating func show(
        _ flashes: SignalPattern, _ beeps: SignalPattern, at now: Instant, into actions: inout [some DoorEffect]
    ) {
        signals.flashes = DoorSignalling.Playing(pattern: flashes, since: now)
        signals.beeps = DoorSignalling.Playing(pattern: beeps, since: now)
        update(at: now, into: &actions)
    }

    /// Applies the changed state: appends events, watches the contact, and sets the outputs whose level has changed.
    mutating func update(at now: Instant, into actions: inout [some DoorEffect]) {
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
                isAlarming: isAlarming, isWarning: contact.isWarning, isShut: release.isLockdown || isBlocked,
                sign: sign),
            configuration.signals, at: now)
        let energised =
            cause == nil ? configuration.failMode.securedIsEnergised : !configuration.failMode.securedIsEnergised
        apply(energised: energised, isReleased: cause != nil, at: now, into: &actions)
    }

    private mutating func apply(
        energised: Bool, isReleased: Bool, at now: Instant, into actions: inout [some DoorEffect]
    ) {
        self.now = now
        // Failed outputs are set again here.
        retryAt = nil
        signals.apply(energised: energised, since: requestedAt, isReleased: isReleased, at: now, into: &actions)
    }
}

/// The state of a door.
public enum DoorState: String, Equatable, Sendable {
    /// Not started, or shut down.
    case inactive
    /// Locked.
    case secured
    /// Unlocked for a limited time.
    case unlocked
    /// Unlocked for as long as office mode, the schedule or fire lasts.
    case passage = "held-open"
    /// Locked, and access is refused.
    case lockdown
}
