/// How a door is opened, what its inputs mean, and what its lock does without power.
public struct DoorConfiguration: Equatable, Sendable {
    /// What the lock does when nothing drives it, which decides the level that secures the door.
    public enum FailMode: String, CaseIterable, Equatable, Sendable {
        /// Without power the door is locked: the lock is energised to open it (an electric strike).
        case secure
        /// Without power the door is free: the lock is energised to keep it locked (a magnet).
        case safe

        /// The lock's level while the door is secured; the opposite unlocks it.
        public var securedIsEnergised: Bool { self == .safe }
    }

    /// When a pulse ends before its time. Needs a contact; an extended opening runs to its end.
    public enum Relock: String, CaseIterable, Equatable, Sendable {
        /// Never: the pulse runs to its end.
        case never
        /// As soon as the door has opened.
        case onOpen = "on-open"
        /// As soon as the door has closed behind who went through.
        case onClose = "on-close"
    }

    /// What the exit button or motion sensor does.
    public enum ExitRequest: String, CaseIterable, Equatable, Sendable {
        /// It unlocks the door, and the door may open.
        case unlock
        /// The door opens from inside without the lock: only the alarm is masked.
        case mask
    }

    /// What follows from an opened housing.
    public enum TamperPolicy: String, CaseIterable, Equatable, Sendable {
        /// It is put on record.
        case record
        /// It is put on record and sounds the alarm while it lasts.
        case alarm
        /// It sounds the alarm, and nobody is let in until an operator has reset it. Exits stay free.
        case block
    }

    /// How long one grant unlocks the door.
    public var pulse: Duration
    /// How long an extended opening unlocks it.
    public var extended = Duration.seconds(3600)
    /// What the lock does without power.
    public var failMode: FailMode
    /// When a pulse ends early.
    public var relock = Relock.never
    /// What a request to exit does.
    public var exitRequest = ExitRequest.unlock
    /// Whether the fire input releases the door. It does so over everything else.
    public var fireReleases = true
    /// What follows from an opened housing.
    public var tamper = TamperPolicy.alarm
    /// Whether the office schedule waits, each time it begins, for the first grant (`openScheduleByUser`).
    public var scheduleWaitsForUser = false
    /// How the contact is watched.
    public var contact = ContactTimes()
    /// When a run of refused attempts shuts everybody out for a while.
    public var lockout = LockoutRule()
    /// What people see and hear.
    public var signals: DoorSignals

    /// A door with these properties, and the defaults for the others.
    public init(
        pulse: Duration = .seconds(5), failMode: FailMode = .secure, signals: DoorSignals = DoorSignals()
    ) {
        self.pulse = pulse
        self.failMode = failMode
        self.signals = signals
    }
}

/// Times of the door contact (IEC 60839-11-1: the permitted open time is to be configurable per portal, 10 s or more).
public struct ContactTimes: Equatable, Sendable {
    /// How long the door may stand open after it was opened, or after what kept it open has ended.
    public var permittedOpen = Duration.seconds(30)
    /// How long before that the warning begins.
    public var warning = Duration.seconds(10)
    /// How often an alarm that lasts is told again.
    public var alarmRepeat = Duration.seconds(300)
    /// How long after the lock has been secured, or an exit was asked for, an opening is still not forced.
    public var shunt = Duration.seconds(2)

    /// The defaults.
    public init() {}
}

/// When a run of refused attempts shuts everybody out for a while.
///
/// Off by default: tokens are signed, so there is nothing to guess, and anybody in radio range could shut others out.
public struct LockoutRule: Equatable, Sendable {
    /// How many attempts in a row may be refused; 0 for no lock-out.
    public var attempts = 0
    /// How long nobody is let in then; twice as long after each further run.
    public var firstPause = Duration.seconds(30)
    /// The longest pause.
    public var longestPause = Duration.seconds(300)

    /// No lock-out.
    public init() {}
}
