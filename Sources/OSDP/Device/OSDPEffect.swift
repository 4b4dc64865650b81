// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A request of a device to its program. Effects are performed in order.
public enum OSDPEffect: Equatable, Sendable {
    /// Send octets on the line, but not after a time: the panel has gone on then.
    case transmit([UInt8], before: Instant)
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
    /// The panel has the report of a card: its next command shows that.
    case cardReported(OSDPCardData)
    /// The number of events that were dropped: the queue was full, they expired, or the panel went. It may have the
    /// last one.
    case eventsDropped(Int)
    /// A card among the dropped events.
    case cardDropped(OSDPCardData)
    /// Octets that may have waited for so long were dropped.
    case late(Duration)
    /// A command was refused.
    case refused(code: UInt8, OSDPRefusal)

    /// The reason of the end of a session.
    public enum Reason: Equatable, Sendable {
        case silence, wrongMAC, commandInClear, newHandshake, installationEnded
    }
}
