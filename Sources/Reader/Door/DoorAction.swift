// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// An action on an output of a door.
public enum DoorAction: Equatable, Sendable {
    /// Energises or de-energises the lock. The fail mode determines which of the two unlocks the door.
    case setLock(energised: Bool)
    /// Switches an indicator.
    case setIndicator(DoorIndicator, on: Bool)
    /// Switches the buzzer.
    case setBuzzer(on: Bool)

    /// The output that the action sets.
    public var output: DoorOutput {
        switch self {
        case .setLock: .lock
        case .setIndicator(.granted, _): .grantedIndicator
        case .setIndicator(.denied, _): .deniedIndicator
        case .setBuzzer: .buzzer
        }
    }

    /// True if the action sets the output active.
    public var level: Bool {
        switch self {
        case .setLock(let energised): energised
        case .setIndicator(_, let on), .setBuzzer(let on): on
        }
    }
}

/// An element of a list to which a door appends its actions.
///
/// The list is the caller's own, so that no action is copied from one list to another.
public protocol DoorEffect {
    /// Creates an element with this action. `since` is the time of arrival of the request that moves the lock; nil for
    /// any other cause.
    init(_ action: DoorAction, since: Instant?)
}

extension DoorAction: DoorEffect {
    /// Creates a copy.
    public init(_ action: DoorAction, since: Instant?) { self = action }
}

/// An indicator light of the reader.
public enum DoorIndicator: CaseIterable, Equatable, Sendable {
    /// The green light.
    case granted
    /// The red light.
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
