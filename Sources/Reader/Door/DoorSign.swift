// SPDX-License-Identifier: Apache-2.0

/// The state of a door as its lights show it continuously.
public enum DoorSign: String, CaseIterable, Hashable, Sendable {
    /// The lock is secured.
    case locked
    /// The lock is released for a pulse or an exit.
    case open
    /// The lock is released until its cause ends: extended time, office mode, hours, a panel, fire.
    case heldOpen = "held-open"
    /// The lock is secured, and access is refused: lockdown or tamper block.
    case lockdown
    /// A fault of the reader while the lock is secured, or a lock that cannot be set.
    case fault

    /// The light where the reader alone drives the lights.
    public var standingLight: SignLight {
        switch self {
        case .locked: .red
        case .open: .green
        case .heldOpen: .greenBlinking
        case .lockdown: .redBlinking
        case .fault: .amber
        }
    }

    /// The light where an access panel drives the lights: a secured door and a fault are left to the panel.
    public var lightWithPanel: SignLight {
        switch self {
        case .locked, .fault: .off
        case .open, .heldOpen: .green
        case .lockdown: .red
        }
    }
}

/// The lights of a sign.
public enum SignLight: String, CaseIterable, Hashable, Sendable {
    /// None.
    case off
    /// The red light.
    case red
    /// The green light.
    case green
    /// Both lights.
    case amber
    /// The red light, one second on and one off.
    case redBlinking = "red-blinking"
    /// The green light, one second on and one off.
    case greenBlinking = "green-blinking"
    /// Both lights, one second on and one off.
    case amberBlinking = "amber-blinking"

    /// True if it lights the green light.
    public var hasGreen: Bool { [.green, .amber, .greenBlinking, .amberBlinking].contains(self) }

    /// True if it lights the red light.
    public var hasRed: Bool { [.red, .amber, .redBlinking, .amberBlinking].contains(self) }

    var isBlinking: Bool { [.redBlinking, .greenBlinking, .amberBlinking].contains(self) }
}

/// A fault as the lights show it.
public enum DoorFault: Equatable, Sendable {
    /// The lock cannot be set, so that neither a locked nor an open door is shown.
    case lock
    /// Another fault of the reader, shown while the lock is secured.
    case reader
}
