/// What a door asks of its outputs.
public enum DoorAction: Equatable, Sendable {
    /// Gives the lock current, or takes it away. What that means for the door is the configuration's fail mode.
    case setLock(energised: Bool)
    /// Lights an indicator, or darkens it.
    case setIndicator(DoorIndicator, on: Bool)
    /// Sounds the buzzer, or silences it.
    case setBuzzer(on: Bool)

    /// The output that it is about.
    public var output: DoorOutput {
        switch self {
        case .setLock: .lock
        case .setIndicator(.granted, _): .grantedIndicator
        case .setIndicator(.denied, _): .deniedIndicator
        case .setBuzzer: .buzzer
        }
    }

    /// Whether it sets the output active.
    public var level: Bool {
        switch self {
        case .setLock(let energised): energised
        case .setIndicator(_, let on), .setBuzzer(let on): on
        }
    }
}

/// A light of the reader.
public enum DoorIndicator: CaseIterable, Equatable, Sendable {
    /// Green: go.
    case granted
    /// Red: no.
    case denied
}

/// An output of a door.
public enum DoorOutput: String, CaseIterable, Hashable, Sendable {
    /// The relay of the lock; active means energised.
    case lock
    /// The green light.
    case grantedIndicator = "granted indicator"
    /// The red light.
    case deniedIndicator = "denied indicator"
    /// The buzzer.
    case buzzer
}
