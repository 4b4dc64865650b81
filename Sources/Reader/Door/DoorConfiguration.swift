/// How a door is opened, and what its lock does without power.
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

    /// How long one grant unlocks the door.
    public var pulse: Duration
    /// What the lock does without power.
    public var failMode: FailMode
    /// What people see and hear.
    public var signals: DoorSignals

    /// A door with these properties.
    public init(
        pulse: Duration = .seconds(5), failMode: FailMode = .secure, signals: DoorSignals = DoorSignals()
    ) {
        self.pulse = pulse
        self.failMode = failMode
        self.signals = signals
    }
}

/// What people see and hear of a decision. While the door is unlocked its `granted` indicator is lit throughout.
public struct DoorSignals: Equatable, Sendable {
    /// The buzzer on a grant: one short beep.
    public var grantedBeeps: SignalPattern
    /// The `denied` indicator on a refusal: three flashes.
    public var deniedFlashes: SignalPattern
    /// The buzzer on a refusal: three short beeps.
    public var deniedBeeps: SignalPattern

    /// These patterns.
    public init(
        grantedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .zero, count: 1),
        deniedFlashes: SignalPattern = SignalPattern(on: .milliseconds(200), off: .milliseconds(200), count: 3),
        deniedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .milliseconds(100), count: 3)
    ) {
        self.grantedBeeps = grantedBeeps
        self.deniedFlashes = deniedFlashes
        self.deniedBeeps = deniedBeeps
    }
}
