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

    /// True for a command that ends a protection: a new protection may have begun since the order was signed.
    public var endsProtection: Bool {
        switch self {
        case .lockdownOff, .tamperReset: true
        case .pulse, .extended, .officeOn, .officeOff, .lockdownOn: false
        }
    }

    /// True for a command that opens or ends a protection, which must not be late. It is never retained.
    public var mustBeFresh: Bool { isOpening || endsProtection }

    /// The maximum time in seconds from `not-before` to `expires`.
    public var lifeSeconds: UInt64 { mustBeFresh ? RemoteCommand.freshSeconds : RemoteCommand.otherSeconds }

    /// The maximum life in seconds of an order that must not be late: a broker that delays it must not open the door
    /// for another person.
    public static let freshSeconds: UInt64 = 30
    /// The maximum life of other orders in seconds, so that they reach a reader after a working day without a network.
    public static let otherSeconds: UInt64 = 86_400
}
