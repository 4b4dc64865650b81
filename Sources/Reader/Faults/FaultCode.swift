/// What can be wrong with a reader that runs. The names are for programs, and stay; docs/faults.md says of each what
/// still works.
public enum FaultCode: String, CaseIterable, Hashable, Sendable {
    // MARK: The controller

    /// There is no controller at the transport's end.
    case controllerAbsent = "controller-absent"
    /// Its radio is switched off (rfkill).
    case controllerBlocked = "controller-blocked"
    /// This process may not take it.
    case controllerNotPermitted = "controller-not-permitted"
    /// Something else has it.
    case controllerTaken = "controller-taken"
    /// It was there, and its transport broke.
    case controllerLost = "controller-lost"
    /// It is there, and does not do what it has to.
    case controllerFailed = "controller-failed"
    /// It cannot read RSSI, and there are modes whose gate needs that.
    case controllerWithoutRSSI = "controller-without-rssi"
    /// No controller could advertise some of the modes as they are set.
    case modesUnserved = "modes-unserved"

    // MARK: The door's lines, by the names that their keys have

    /// The lock cannot be set.
    case lockLine = "line-lock"
    /// The green light cannot be set.
    case grantedIndicatorLine = "line-led-granted"
    /// The red light cannot be set.
    case deniedIndicatorLine = "line-led-denied"
    /// The buzzer cannot be set.
    case buzzerLine = "line-buzzer"
    /// The door's contact cannot be read.
    case contactLine = "line-contact"
    /// The exit's button cannot be read.
    case exitLine = "line-rex"
    /// The fire alarm's line cannot be read.
    case fireLine = "line-fire"
    /// The housing's contact cannot be read.
    case tamperLine = "line-tamper"

    // MARK: The event log

    /// There is no room left on the disk.
    case diskFull = "disk-full"
    /// The disk, or its driver, fails.
    case diskFailing = "disk-failing"
    /// The disk does not answer in the time that it has.
    case diskStalled = "disk-stalled"
    /// The state directory cannot be written.
    case diskReadOnly = "disk-read-only"
    /// The log's file is damaged.
    case logDamaged = "log-damaged"
    /// The log's file can be neither opened nor made.
    case logCannotOpen = "log-cannot-open"
    /// Another program writes the log.
    case logInUse = "log-in-use"
    /// A later version wrote the log.
    case logLaterVersion = "log-later-version"
    /// The log cannot be written, for a reason that has no name of its own.
    case logFailing = "log-failing"
    /// The log is full, and refuses.
    case logFull = "log-full"
    /// The log was not as the reader had left it.
    case logLost = "log-lost"
    // MARK: The policy

    /// What decides about people has not been read, or cannot be.
    case policyUnknown = "policy-unknown"
    /// It is missing or damaged.
    case policyLost = "policy-lost"
    /// It is older than what this reader has kept.
    case policyRolledBack = "policy-rolled-back"
    /// A change of it could not be kept.
    case policyUnwritable = "policy-unwritable"
    /// The stored blacklist has more entries than it may have.
    case blacklistTooSmall = "blacklist-too-small"

    // MARK: Time

    /// There is no time.
    case clockUnset = "clock-unset"
    /// The clock was not set for a day.
    case clockStale = "clock-stale"
    /// Nobody knows when the last event was, before which no phone may set the clock.
    case clockFloorUnknown = "clock-floor-unknown"

    // MARK: NFC

    /// The NFC chip cannot be opened, or has failed.
    case nfcFailed = "nfc-failed"

    // MARK: Configuration and operation

    /// The configuration was to be read again, and has faults: the former one holds.
    case configurationRejected = "configuration-rejected"
    /// What a backend has pushed can be used no more: the file's configuration holds.
    case pushedConfigurationUnusable = "pushed-configuration-unusable"
    /// There is no control socket.
    case controlSocketMissing = "control-socket-missing"

    // MARK: The door

    /// The door was opened though nobody was let through, and is open still.
    case doorForced = "door-forced"
    /// The door is open for too long, or its contact is stuck.
    case doorAjar = "door-ajar"
    /// The housing is open, or was, and nobody has reset that.
    case tampered

    /// Its place in `allCases`.
    var place: Int { FaultCode.places[self] ?? 0 }

    private static let places = Dictionary(
        uniqueKeysWithValues: FaultCode.allCases.enumerated().map { ($0.element, $0.offset) })
}

extension FaultCode {
    /// Why there is no controller: at most one of them at a time.
    public static let unreachable: [FaultCode] = [
        .controllerAbsent, .controllerBlocked, .controllerNotPermitted, .controllerTaken, .controllerLost,
    ]

    /// Why nobody can be let in by phone for want of a policy: at most one of them at a time.
    public static let withoutPolicy: [FaultCode] = [.policyUnknown, .policyLost, .policyRolledBack]

    /// What is wrong with a policy that is not this reader's.
    public init(_ refusal: PolicyRefusal) {
        self =
            switch refusal {
            case .copiesLost, .countLost: .policyLost
            case .rolledBack: .policyRolledBack
            }
    }

    /// Why the log cannot be written: at most one of them at a time.
    public static let unwritable: [FaultCode] = DiskFault.allCases.map { FaultCode($0) }

    /// What keeps the log from being written.
    public init(_ fault: DiskFault) {
        self =
            switch fault {
            case .other: .logFailing
            case .full: .diskFull
            case .inputOutput: .diskFailing
            case .readOnly: .diskReadOnly
            case .damaged: .logDamaged
            case .cannotOpen: .logCannotOpen
            case .inUse: .logInUse
            case .stalled: .diskStalled
            case .laterVersion: .logLaterVersion
            }
    }

    /// An output that cannot be set.
    public init(_ output: DoorOutput) {
        self =
            switch output {
            case .lock: .lockLine
            case .grantedIndicator: .grantedIndicatorLine
            case .deniedIndicator: .deniedIndicatorLine
            case .buzzer: .buzzerLine
            }
    }

    /// An input that cannot be read.
    public init(_ input: DoorInput) {
        self =
            switch input {
            case .contact: .contactLine
            case .exit: .exitLine
            case .fire: .fireLine
            case .tamper: .tamperLine
            }
    }
}
