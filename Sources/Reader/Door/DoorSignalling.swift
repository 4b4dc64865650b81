// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The outputs of a door: the level last set of each, and the patterns on lights and buzzer.
///
/// The signal of an action takes precedence over a lasting one: the beep of a grant is heard during an alarm. Signs of
/// a panel have the place that their rank gives them.
struct DoorSignalling {
    /// A pattern with its start.
    struct Playing: Equatable {
        var pattern: SignalPattern
        var since: Instant

        /// True if the output is on; nil when the pattern has ended.
        func level(at now: Instant) -> Bool? {
            if pattern.isOn(at: now - since) { return true }
            return nextChange(after: now) == nil ? nil : false
        }

        func nextChange(after now: Instant) -> Instant? {
            pattern.nextChange(after: now - since).map { since + $0 }
        }
    }

    /// The lasting conditions.
    struct Base: Equatable {
        var isAlarming = false
        var isWarning = false
        /// Access is refused: lockdown or tamper block.
        var isShut = false
    }

    /// The patterns for the last grant or refusal.
    var flashes: Playing?
    var beeps: Playing?
    var base = Base()
    /// The signs of an access panel.
    var panel = PanelSigns()
    /// The number of the part that the board lacks, behind all other signs; nil for none.
    var lack: FlashCode?
    private var lastingFlashes: Playing?
    private var lastingBeeps: Playing?

    /// The level last set of each output; nil before the first setting and after a failure.
    private var lock: Bool?
    private var granted: Bool?
    private var denied: Bool?
    private var buzzer: Bool?

    /// Starts the patterns for `base` if it has changed.
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

    /// The time of the next timed change of an output; nil if no change is due.
    func nextChange(after now: Instant) -> Instant? {
        var earliest = Instant.earlier(flashes?.nextChange(after: now), beeps?.nextChange(after: now))
        earliest = Instant.earlier(earliest, lastingFlashes?.nextChange(after: now))
        earliest = Instant.earlier(earliest, lack?.nextChange(after: now))
        return Instant.earlier(earliest, lastingBeeps?.nextChange(after: now))
    }

    /// Marks the level of `output` as unknown.
    mutating func forget(_ output: DoorOutput) {
        switch output {
        case .lock: lock = nil
        case .grantedIndicator: granted = nil
        case .deniedIndicator: denied = nil
        case .buzzer: buzzer = nil
        }
    }

    /// Appends actions for the outputs whose level at `now` differs from the level last set, the lock first.
    mutating func apply<Effect: DoorEffect>(
        energised: Bool, since: Instant?, granted isGranted: Bool, at now: Instant, into actions: inout [Effect]
    ) {
        if base == Base() {
            lastingFlashes = nil
            lastingBeeps = nil
        }
        let light = light(granted: isGranted, at: now)
        DoorSignalling.set(&lock, energised) { actions.append(Effect(.setLock(energised: $0), since: since)) }
        DoorSignalling.set(&granted, light.granted) {
            actions.append(Effect(.setIndicator(.granted, on: $0), since: nil))
        }
        DoorSignalling.set(&denied, light.denied) {
            actions.append(Effect(.setIndicator(.denied, on: $0), since: nil))
        }
        DoorSignalling.set(&buzzer, isSounding(at: now)) { actions.append(Effect(.setBuzzer(on: $0), since: nil)) }
    }

    private func light(granted isGranted: Bool, at now: Instant) -> (granted: Bool, denied: Bool) {
        let flash = flashes?.level(at: now)
        let isLacking = !isGranted && lack?.level(at: now) ?? false
        let own = (isGranted, flash ?? lastingFlashes?.level(at: now) ?? (base.isShut || isLacking))
        guard let sign = panel.light, !base.isAlarming, !base.isShut else { return own }
        switch sign.rank {
        case .last where flash != nil || isGranted: return own
        case .middle where flash != nil: return own
        default: return (sign.granted, sign.denied)
        }
    }

    private func isSounding(at now: Instant) -> Bool {
        let beep = beeps?.level(at: now)
        let own = beep ?? lastingBeeps?.level(at: now) ?? false
        guard let sign = panel.sound, !base.isAlarming, !base.isWarning else { return own }
        return sign.rank == .first || beep == nil ? sign.isOn : own
    }

    private static func set(_ level: inout Bool?, _ wanted: Bool, _ change: (Bool) -> Void) {
        guard level != wanted else { return }
        level = wanted
        change(wanted)
    }
}
