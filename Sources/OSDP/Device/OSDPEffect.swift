// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A request of a device to its owner. Effects are performed in order.
public enum OSDPEffect: Equatable, Sendable {
    /// Send octets on the line, but not after `before`: the panel no longer waits for them then.
    case transmit([UInt8], before: Instant)
    /// Switch an output.
    case output(Int, isOn: Bool)
    case lights(OSDPLightOrder)
    case buzzer(OSDPBuzzerOrder)
    case text(OSDPTextOrder)
    /// Change to this address and speed once the previous octets are sent, and store them.
    case setLine(OSDPLine)
    /// Store this key, then call `keyStored`; the reply waits for it.
    case storeKey(OSDPKey)
    /// A part of a file, in order and without gaps. Call `fileEnded` after the last one.
    case file(OSDPFileFragment)
    /// The transfer ended before the end of the file.
    case fileAborted
    /// A manufacturer's message for this device. Answer it with `report(manufacturer:)`.
    case manufacturer(OSDPManufacturerData)
    /// An event for a log.
    case notice(OSDPNotice)
}

/// An event at a device, for a log.
public enum OSDPNotice: Equatable, Sendable {
    /// The panel is online, or was silent for too long.
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
    /// The panel received the report of a card, as its next command proves.
    case cardReported(OSDPCardData)
    /// The number of dropped events: the queue was full, they expired, or the panel went offline. The panel may have
    /// received the last one.
    case eventsDropped(Int)
    /// A card among the dropped events.
    case cardDropped(OSDPCardData)
    /// Octets that may have waited for this long were dropped.
    case late(Duration)
    /// A command was refused.
    case refused(code: UInt8, OSDPRefusal)

    /// The reason of the end of a session.
    public enum Reason: Equatable, Sendable {
        case silence, wrongMAC, commandInClear, newHandshake, installationEnded
    }
}
