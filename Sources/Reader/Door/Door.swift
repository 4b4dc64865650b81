public import Timekeeping

/// A door: a lock that is secured unless a grant has unlocked it for a time, and the signals that go with it.
///
/// Each input appends the actions that it causes, the lock's first; an output is named only when it changes. Times
/// do not go backwards from one input to the next; the shell calls `advance` at `nextDeadline`.
///
/// A grant while the door is unlocked starts the pulse again from then: the door is secured one pulse after the last
/// grant, and the lock sees no edge in between. That also holds for a grant that comes after the pulse's end and
/// before the shell has said so: a relay that drops and pulls within microseconds helps nobody.
///
/// Nothing but a grant unlocks it. `shutdown` takes the current away, so the door ends as it would without power:
/// locked with fail mode `secure`, free with `safe`.
public struct Door: ~Copyable {
    private enum State {
        /// Before `start` and after `shutdown`: no input does anything.
        case inactive
        case secured
        case unlocked(until: Instant)
    }

    /// A pattern and when it began.
    private struct Playing {
        var pattern: SignalPattern
        var since: Instant

        func isOn(at now: Instant) -> Bool { pattern.isOn(at: now - since) }

        func nextChange(after now: Instant) -> Instant? {
            pattern.nextChange(after: now - since).map { since + $0 }
        }
    }

    /// What each output was last set to; nil before the first time.
    private struct Levels {
        var lock: Bool?
        var granted: Bool?
        var denied: Bool?
        var buzzer: Bool?
    }

    private let configuration: DoorConfiguration
    private var state = State.inactive
    private var flashes: Playing?
    private var beeps: Playing?
    private var levels = Levels()
    private var now = Instant.origin
    /// When outputs that failed are set again.
    private var retryAt: Instant?

    /// How long after a failure an output is set again, at the latest. A lock that could not be secured is not to
    /// wait for the next grant.
    static let retry = Duration.seconds(1)

    /// A door that has not been started.
    public init(_ configuration: DoorConfiguration) {
        self.configuration = configuration
    }

    /// Whether the lock lets people through, by a grant.
    public var isUnlocked: Bool {
        if case .unlocked = state { true } else { false }
    }

    /// When `advance` is wanted next; nil while nothing will change by itself.
    public var nextDeadline: Instant? {
        var earliest: Instant?
        if case .unlocked(let until) = state { earliest = until }
        for change in [flashes?.nextChange(after: now), beeps?.nextChange(after: now), retryAt] {
            guard let change else { continue }
            earliest = min(earliest ?? change, change)
        }
        return earliest
    }

    /// Secures the door and sets every output, whatever its level was before.
    public mutating func start(at now: Instant, into actions: inout [DoorAction]) {
        state = .secured
        flashes = nil
        beeps = nil
        levels = Levels()
        update(at: now, into: &actions)
    }

    /// Unlocks the door until one pulse from now.
    public mutating func grant(at now: Instant, into actions: inout [DoorAction]) {
        switch state {
        case .inactive: return
        case .secured, .unlocked: state = .unlocked(until: now + configuration.pulse)
        }
        flashes = nil
        beeps = Playing(pattern: configuration.signals.grantedBeeps, since: now)
        update(at: now, into: &actions)
    }

    /// Shows a refusal. A door that someone else has just been let through stays unlocked.
    public mutating func deny(at now: Instant, into actions: inout [DoorAction]) {
        switch state {
        case .inactive: return
        case .secured, .unlocked: break
        }
        secureIfDue(at: now)
        flashes = Playing(pattern: configuration.signals.deniedFlashes, since: now)
        beeps = Playing(pattern: configuration.signals.deniedBeeps, since: now)
        update(at: now, into: &actions)
    }

    /// Does what is due at `now`; earlier or later than `nextDeadline` is fine.
    public mutating func advance(to now: Instant, into actions: inout [DoorAction]) {
        switch state {
        case .inactive: return
        case .secured, .unlocked: break
        }
        secureIfDue(at: now)
        update(at: now, into: &actions)
    }

    /// Takes the current from the lock and darkens and silences the rest; the door is inactive then.
    public mutating func shutdown(at now: Instant, into actions: inout [DoorAction]) {
        switch state {
        case .inactive: return
        case .secured, .unlocked: state = .inactive
        }
        flashes = nil
        beeps = nil
        update(at: now, into: &actions)
    }

    /// An output could not be set, so nobody knows its level: it is set again with the next change of any output, or
    /// after `retry`.
    public mutating func failed(_ output: DoorOutput, at now: Instant) {
        switch state {
        case .inactive: return
        case .secured, .unlocked: break
        }
        switch output {
        case .lock: levels.lock = nil
        case .grantedIndicator: levels.granted = nil
        case .deniedIndicator: levels.denied = nil
        case .buzzer: levels.buzzer = nil
        }
        retryAt = now + Door.retry
    }

    private mutating func secureIfDue(at now: Instant) {
        if case .unlocked(let until) = state, now >= until { state = .secured }
    }

    /// The lock's level in the present state.
    private var energised: Bool {
        switch state {
        case .inactive: false
        case .secured: configuration.failMode.securedIsEnergised
        case .unlocked: !configuration.failMode.securedIsEnergised
        }
    }

    /// Names the outputs whose level at `now` is not what they were last set to.
    private mutating func update(at now: Instant, into actions: inout [DoorAction]) {
        self.now = now
        // Whatever failed is set again here.
        retryAt = nil
        Door.set(&levels.lock, energised) { actions.append(.setLock(energised: $0)) }
        Door.set(&levels.granted, isUnlocked) { actions.append(.setIndicator(.granted, on: $0)) }
        Door.set(&levels.denied, flashes?.isOn(at: now) ?? false) { actions.append(.setIndicator(.denied, on: $0)) }
        Door.set(&levels.buzzer, beeps?.isOn(at: now) ?? false) { actions.append(.setBuzzer(on: $0)) }
    }

    private static func set(_ level: inout Bool?, _ wanted: Bool, _ change: (Bool) -> Void) {
        guard level != wanted else { return }
        level = wanted
        change(wanted)
    }
}
