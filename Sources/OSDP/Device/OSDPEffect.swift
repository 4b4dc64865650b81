// SPDX-License-Identifier: Apache-2.0

/// A request of a device to its program. Effects are performed in order.
public enum OSDPEffect: Equatable, Sendable {
    /// Send octets on the line.
    case transmit([UInt8])
    /// Switch an output.
    case output(Int, isOn: Bool)
    case lights(OSDPLightOrder)
    case buzzer(OSDPBuzzerOrder)
    case text(OSDPTextOrder)
    /// Change to this address and speed, after everything before it was sent, and keep them.
    case setLine(OSDPLine)
    /// Keep this key, then call `keyStored`, on which the reply waits.
    case storeKey(OSDPKey)
    /// A part of a file, in order and without gaps. After the last one call `fileEnded`.
    case file(OSDPFileFragment)
    /// The transfer ended before the end of the file.
    case fileAborted
    /// A maker's message for this device, to be answered with `report(manufacturer:)`.
    case manufacturer(OSDPManufacturerData)
    /// An occurrence for a log.
    case notice(OSDPNotice)
}

/// An occurrence at a device.
public enum OSDPNotice: Equatable, Sendable {
    /// The panel is there, or was silent too long.
    case online
    case offline
    /// A secure session began; with the well-known key only in an installation window.
    case secured(isWithWellKnownKey: Bool)
    /// The secure session ended.
    case unsecured(Reason)
    /// A new key is in use for the next session.
    case keyChanged
    /// The installation window closed.
    case installationEnded
    /// The number of events that could not be reported: the queue was full, or they were too old.
    case eventsDropped(Int)
    /// A command was refused.
    case refused(code: UInt8, OSDPReply.Refusal)

    /// The reason of the end of a session.
    public enum Reason: Equatable, Sendable {
        case silence, wrongMAC, commandInClear, newHandshake, installationEnded
    }
}
