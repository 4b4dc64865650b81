// SPDX-License-Identifier: Apache-2.0

/// The configuration of a door: its times, the functions of its inputs, and its fail mode.
public struct DoorConfiguration: Equatable, Sendable {
    /// The state of the door without power, which determines the level that secures it.
    public enum FailMode: String, CaseIterable, Equatable, Sendable {
        /// Locked without power: the lock is energised to unlock the door (an electric strike).
        case secure
        /// Unlocked without power: the lock is energised to secure the door (a magnetic lock).
        case safe

        /// The lock's level while the door is secured; the opposite unlocks it.
        public var securedIsEnergised: Bool { self == .safe }
    }

    /// The early end of a pulse. Needs a contact; an extended opening runs to its end.
    public enum Relock: String, CaseIterable, Equatable, Sendable {
        /// Never: the pulse runs to its end.
        case never
        /// As soon as the door has opened.
        case onOpen = "on-open"
        /// As soon as the door has closed again.
        case onClose = "on-close"
    }

    /// The function of the exit button or motion sensor.
    public enum ExitRequest: String, CaseIterable, Equatable, Sendable {
        /// Unlocks the door.
        case unlock
        /// The door can be opened from inside without the lock: only the alarm is masked.
        case mask
    }

    /// The consequence of an opened housing.
    public enum TamperPolicy: String, CaseIterable, Equatable, Sendable {
        /// Recorded only.
        case record
        /// Recorded, with an alarm for as long as it lasts.
        case alarm
        /// Recorded, with an alarm; access is refused until an operator resets it. Exits stay free.
        case block
    }

    /// The time for which a grant unlocks the door.
    public var pulse: Duration
    /// The time for which an extended opening unlocks it.
    public var extended = Duration.seconds(3600)
    /// The state without power.
    public var failMode: FailMode
    /// The early end of a pulse.
    public var relock = Relock.never
    /// The function of the exit input.
    public var exitRequest = ExitRequest.unlock
    /// True if the fire input releases the door, with precedence over all else.
    public var fireReleases = true
    /// The consequence of an opened housing.
    public var tamper = TamperPolicy.alarm
    /// True if the office schedule waits for the first grant each time it begins (`openScheduleByUser`).
    public var scheduleWaitsForUser = false
    /// The times of the contact's supervision.
    public var contact = ContactTimes()
    /// The rule for a lockout after refused attempts.
    public var lockout = LockoutRule()
    /// The signals of lights and buzzer.
    public var signals: DoorSignals

    /// Creates a configuration with these values, and defaults for the others.
    public init(
        pulse: Duration = .seconds(5), failMode: FailMode = .secure, signals: DoorSignals = DoorSignals()
    ) {
        self.pulse = pulse
        self.failMode = failMode
        self.signals = signals
    }
}

/// Times of the door contact. IEC 60839-11-1 requires a permitted open time of 10 s or more, configurable per portal.
public struct ContactTimes: Equatable, Sendable {
    /// The time for which the door may stand open after it was opened, or after a cause that allowed it to stand open
    /// has ended.
    public var permittedOpen = Duration.seconds(30)
    /// The time before that at which the warning begins.
    public var warning = Duration.seconds(10)
    /// The interval at which a lasting alarm is repeated.
    public var alarmRepeat = Duration.seconds(300)
    /// The time after the lock was secured, or an exit request ended, during which an opening is not a forced one.
    public var shunt = Duration.seconds(2)

    /// The default times.
    public init() {}
}

/// The rule for a lockout: access is refused for a time after a run of refused attempts.
///
/// Off by default: tokens are signed, so there is nothing to guess, and anyone in radio range could lock others out.
public struct LockoutRule: Equatable, Sendable {
    /// The number of refused attempts in a row that begins a lockout; 0 for none.
    public var attempts = 0
    /// The duration of the first lockout; doubled with each further run.
    public var firstPause = Duration.seconds(30)
    /// The maximum duration of a lockout.
    public var longestPause = Duration.seconds(300)

    /// The default rule: no lockout.
    public init() {}
}
