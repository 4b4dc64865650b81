// SPDX-License-Identifier: Apache-2.0

/// A command that a back end may sign.
public enum RemoteCommand: String, CaseIterable, Sendable {
    /// Opens for a pulse.
    case pulse
    /// Opens for the extended time.
    case extended
    /// Opens until further notice.
    case officeOn = "office-on"
    /// Ends `officeOn`.
    case officeOff = "office-off"
    /// Begins a lockdown.
    case lockdownOn = "lockdown-on"
    /// Ends a lockdown.
    case lockdownOff = "lockdown-off"
    /// Unblocks the door after a tamper.
    case tamperReset = "tamper-reset"

    /// True for a command that opens.
    public var isOpening: Bool {
        switch self {
        case .pulse, .extended, .officeOn: true
        case .officeOff, .lockdownOn, .lockdownOff, .tamperReset: false
        }
    }

    /// The maximum time in seconds from `not-before` to `expires`: an opening that was held back must not come late.
    public var lifeSeconds: UInt64 { isOpening ? RemoteCommand.openingSeconds : RemoteCommand.otherSeconds }

    /// The maximum life of an order to open in seconds: the person stands at the door, and a broker that holds it back
    /// must not choose who does later.
    public static let openingSeconds: UInt64 = 30
    /// The maximum life of another order in seconds: it reaches a reader that was without a network for a working day.
    public static let otherSeconds: UInt64 = 86_400
}
