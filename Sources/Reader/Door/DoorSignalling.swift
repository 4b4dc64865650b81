import Timekeeping

/// The outputs of a door: what each was last set to, and the patterns that play on lights and buzzer.
///
/// What a person has just done is shown over what lasts: the beep of a grant is heard through an alarm.
struct DoorSignalling {
    /// A pattern and when it began.
    struct Playing: Equatable {
        var pattern: SignalPattern
        var since: Instant

        /// Whether the output is on; nil when the pattern is over.
        func level(at now: Instant) -> Bool? {
            if pattern.isOn(at: now - since) { return true }
            return nextChange(after: now) == nil ? nil : false
        }

        func nextChange(after now: Instant) -> Instant? {
            pattern.nextChange(after: now - since).map { since + $0 }
        }
    }

    /// What lasts.
    struct Base: Equatable {
        var isAlarming = false
        var isWarning = false
        /// Nobody is let in.
        var isShut = false
    }

    /// What a person has just done.
    var flashes: Playing?
    var beeps: Playing?
    var base = Base()
    private var lastingFlashes: Playing?
    private var lastingBeeps: Playing?

    /// What each output was last set to; nil before the first time, and after a failure.
    private var lock: Bool?
    private var granted: Bool?
    private var denied: Bool?
    private var buzzer: Bool?

    /// Plays what goes with `base`, from now on if that is something else.
    mutating func follow(_ base: Base, _ signals: DoorSignals, at now: Instant) {
        guard base != self.base else { return }
        let before = self.base
        self.base = base
        if base.isAlarming != before.isAlarming {
            lastingFlashes = base.isAlarming ? Playing(pattern: signals.alarmFlashes, since: now) : nil
        }
        guard (base.isAlarming, base.isWarning) != (before.isAlarming, before.isWarning) else { return }
        let beeps = base.isAlarming ? signals.alarmBeeps : base.isWarning ? signals.warningBeeps : nil
        lastingBeeps = beeps.map { Playing(pattern: $0, since: now) }
    }

    /// When an output changes by itself.
    func nextChange(after now: Instant) -> Instant? {
        var earliest = Instant.earlier(flashes?.nextChange(after: now), beeps?.nextChange(after: now))
        earliest = Instant.earlier(earliest, lastingFlashes?.nextChange(after: now))
        return Instant.earlier(earliest, lastingBeeps?.nextChange(after: now))
    }

    /// The level of `output` is not known any more.
    mutating func forget(_ output: DoorOutput) {
        switch output {
        case .lock: lock = nil
        case .grantedIndicator: granted = nil
        case .deniedIndicator: denied = nil
        case .buzzer: buzzer = nil
        }
    }

    /// Names the outputs whose level at `now` is not what they were last set to, the lock first.
    mutating func apply(energised: Bool, granted isGranted: Bool, at now: Instant, into actions: inout [DoorAction]) {
        if base == Base() {
            lastingFlashes = nil
            lastingBeeps = nil
        }
        let isDenied = flashes?.level(at: now) ?? lastingFlashes?.level(at: now) ?? base.isShut
        let isSounding = beeps?.level(at: now) ?? lastingBeeps?.level(at: now) ?? false
        DoorSignalling.set(&lock, energised) { actions.append(.setLock(energised: $0)) }
        DoorSignalling.set(&granted, isGranted) { actions.append(.setIndicator(.granted, on: $0)) }
        DoorSignalling.set(&denied, isDenied) { actions.append(.setIndicator(.denied, on: $0)) }
        DoorSignalling.set(&buzzer, isSounding) { actions.append(.setBuzzer(on: $0)) }
    }

    private static func set(_ level: inout Bool?, _ wanted: Bool, _ change: (Bool) -> Void) {
        guard level != wanted else { return }
        level = wanted
        change(wanted)
    }
}
