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
        /// The state that the lights show continuously; nil for none.
        var sign: DoorSign?
    }

    /// The light of the door's sign.
    private struct Standing: Equatable {
        var light = SignLight.off
        /// A slow blinking, unlike the flashes of alarms, refusals and missing parts.
        var blinking: Playing?

        init() {}

        init(_ light: SignLight, since: Instant) {
            self.light = light
            let pattern = SignalPattern(on: .seconds(1), off: .seconds(1), count: .max)
            blinking = light.isBlinking ? Playing(pattern: pattern, since: since) : nil
        }

        func level(at now: Instant) -> (granted: Bool, denied: Bool) {
            let isOn = blinking?.level(at: now) ?? true
            return (isOn && light.hasGreen, isOn && light.hasRed)
        }
    }

    /// The patterns for the last grant or refusal.
    var flashes: Playing?
    var beeps: Playing?
    var base = Base()
    /// The signs of an access panel.
    var panel = PanelSigns()
    /// The number of the part that the board lacks, shown while the lock is secured; nil for none.
    var lack: FlashCode?
    private var standing = Standing()
    private var lastingFlashes: Playing?
    private var lastingBeeps: Playing?

    /// The level last set of each output; nil before the first setting and after a failure.
    private var lock: Bool?
    private var granted: Bool?
    private var denied: Bool?
    private var buzzer: Bool?

    /// Starts the patterns for `base` if it has changed.
    mutating func follow(_ base: Base, _ signals: DoorSignals, at now: Instant) {
        let light = base.sign.flatMap { signals.signs[$0] } ?? .off
        if light != standing.light { standing = Standing(light, since: now) }
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
        earliest = Instant.earlier(earliest, standing.blinking?.nextChange(after: now))
        return Instant.earlier(earliest, lastingBeeps?.nextChange(after: now))
    }

    /// Ends all signals.
    mutating func end() {
        (flashes, beeps, lack, lastingFlashes, lastingBeeps) = (nil, nil, nil, nil, nil)
        (base, panel, standing) = (Base(), PanelSigns(), Standing())
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
        energised: Bool, since: Instant?, isReleased: Bool, at now: Instant, into actions: inout [Effect]
    ) {
        let light = light(isReleased: isReleased, at: now)
        DoorSignalling.set(&lock, energised) { actions.append(Effect(.setLock(energised: $0), since: since)) }
        DoorSignalling.set(&granted, light.granted) {
            actions.append(Effect(.setIndicator(.granted, on: $0), since: nil))
        }
        DoorSignalling.set(&denied, light.denied) {
            actions.append(Effect(.setIndicator(.denied, on: $0), since: nil))
        }
        DoorSignalling.set(&buzzer, isSounding(at: now)) { actions.append(Effect(.setBuzzer(on: $0), since: nil)) }
    }

    /// A refusal and an alarm are shown by the red light, with the green part of the sign of a released lock. A red
    /// light that is on goes off for each flash of a refusal, so that each one is seen.
    private func light(isReleased: Bool, at now: Instant) -> (granted: Bool, denied: Bool) {
        let flash = flashes?.level(at: now).map { $0 != (standing.light == .red) }
        var own = standing.level(at: now)
        if let isRed = flash ?? lastingFlashes?.level(at: now) {
            own = (isReleased && own.granted, isRed)
        } else if let lack, !isReleased, !base.isShut {
            own = (false, lack.level(at: now))
        }
        guard let sign = panel.light, !base.isAlarming, !base.isShut else { return own }
        switch sign.rank {
        case .last where flash != nil || isReleased: return own
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
