// SPDX-License-Identifier: Apache-2.0

/// An order about the door that comes by no phone's session: from an operator, a back end, a Matter node or an access
/// panel. The raw value is its name in machine-readable output.
public enum DoorOrder: String, CaseIterable, Sendable {
    /// Unlock for one pulse.
    case pulse
    /// Unlock for the extended time.
    case extended
    /// Office mode on: unlocked until it is switched off.
    case officeOn = "office-on"
    /// Office mode off; also ends a pulse or an extended opening.
    case officeOff = "office-off"
    /// Begin a lockdown.
    case lockdownOn = "lockdown-on"
    /// End a lockdown.
    case lockdownOff = "lockdown-off"
    /// Unblock the door after a tamper.
    case tamperReset = "tamper-reset"
    /// Unlock until `panelOff`: an access panel holds the door.
    case panelOn = "panel-on"
    /// End `panelOn`.
    case panelOff = "panel-off"

    /// The request to the door, for an order that waits for its record; nil for an order that is executed at once.
    public var opening: DoorRequest? {
        switch self {
        case .pulse: .pulse
        case .extended: .extended
        case .officeOn: .officeOn
        case .officeOff, .lockdownOn, .lockdownOff, .tamperReset, .panelOn, .panelOff: nil
        }
    }

    /// True for an order that opens the door or ends a protection, which is refused if it is late or its record has no
    /// room. An order that secures the door is executed in any case.
    public var mayRelease: Bool {
        switch self {
        case .officeOff, .lockdownOn, .panelOff: false
        case .pulse, .extended, .officeOn, .lockdownOff, .tamperReset, .panelOn: true
        }
    }

    /// The name of the command in event records; at most 8 octets.
    public var command: String {
        switch self {
        case .pulse: "pulse"
        case .extended: "extended"
        case .officeOn: "office"
        case .officeOff: "office-x"
        case .lockdownOn: "lockdown"
        case .lockdownOff: "unlockdn"
        case .tamperReset: "tamper"
        case .panelOn, .panelOff: "osdp"
        }
    }
}

/// The progress of an order when the call with it returns.
public enum DoorOutcome: Equatable, Sendable {
    /// Executed.
    case done
    /// The door is in the ordered state already; nothing needs a record.
    case unchanged
    /// Not executed.
    case refused(DoorRefusal)
    /// The order waits for its record; `ReaderEffect.operated` answers it.
    case waits
}
