// SPDX-License-Identifier: Apache-2.0

/// The reason for refusing a `DoorOrder`. The raw value is its name in logs and machine-readable output.
public enum DoorRefusal: String, CaseIterable, Sendable {
    /// The order waited too long before it was read.
    case late
    /// Too many orders at once.
    case busy
    /// The sender's share of the event log is used up.
    case tooOften = "too-often"
    /// The configuration does not permit the order.
    case forbidden
    /// The door is not started, or was shut down.
    case inactive
    /// A lockdown is active.
    case lockdown
    /// The housing was opened, and the tamper policy blocks the door until a reset.
    case tampered
    /// Too many attempts were refused before.
    case lockedOut = "locked-out"
    /// No tamper to reset, or the housing is still open.
    case nothingToReset = "nothing-to-reset"
    /// The event log is full and refuses records.
    case logFull = "log-full"
    /// The event could not be recorded.
    case notRecorded = "not-recorded"
    /// The validity of the order ended before its record was written.
    case expired

    /// The refusal for a verdict of the door; nil for none.
    public init?(_ verdict: DoorVerdict) {
        switch verdict {
        case .done: return nil
        // An operator is on the reader's side, so the door leaves no order to a panel.
        case .inactive, .leftToPanel: self = .inactive
        case .lockdown: self = .lockdown
        case .tampered: self = .tampered
        case .lockedOut: self = .lockedOut
        }
    }
}
