// SPDX-License-Identifier: Apache-2.0

/// A piece of a line's octets, explained to an observer.
public struct OSDPObservation: Equatable, Sendable {
    /// The contents of a frame.
    public enum Message: Equatable, Sendable {
        case command(OSDPCommand)
        case reply(OSDPReply)
        /// Data under a key that the observer does not have.
        case encrypted
        /// Contents that cannot be decoded.
        case unreadable(OSDPFault)
    }

    /// The protection of a frame.
    public enum Protection: String, Sendable {
        case clear
        /// Part of a handshake.
        case handshake
        /// With a MAC that the observer cannot verify: it lacks the key, or the beginning of the session.
        case unverified
        /// With a valid MAC.
        case verified
        /// With a wrong MAC.
        case wrong
    }

    /// A peculiarity that matters to an installer.
    public enum Warning: String, Sendable, CaseIterable {
        /// Octets that are not a frame, or a frame with a wrong check.
        case damaged
        /// A frame with a valid check, but with reserved bits in its header or an unknown security block.
        case header
        /// A handshake under SCBK-D: every listener can decrypt the session.
        case wellKnownKey
        /// A key for the device that this observer can read.
        case keyDisclosed
        /// A new key that careful devices refuse, since a published attack tries it.
        case weakKey
        /// A card or keys in clear.
        case clearCredential
        /// A frame without MAC in a session.
        case clearInSession
        /// A wrong MAC.
        case wrongMAC
        /// A cryptogram that belongs to none of the keys.
        case unknownKey
        /// An earlier frame of a session again, other than the previous one.
        case replayed
        /// A random number that an earlier handshake has used.
        case repeatedRandom
    }

    /// The octets, from the start to the check.
    public let octets: [UInt8]
    /// The frame; nil for octets that are not a frame.
    public let frame: OSDPFrame?
    /// The contents; nil without a frame.
    public internal(set) var message: Message?
    /// The protection.
    public internal(set) var protection = Protection.clear
    /// True for a command that repeats the previous one, or the reply to it.
    public internal(set) var isRepeated = false
    /// The warnings.
    public internal(set) var warnings: [Warning] = []

    /// True if the octets may hold a key in clear, which must not be logged.
    public var mayHoldKey: Bool {
        guard let frame else {
            return octets.count > OSDPFrame.headerCount && octets[0] == OSDPFrame.start && octets[1] & 0x80 == 0
                && octets[OSDPFrame.headerCount] == OSDPCommand.Code.setKey.rawValue
        }
        return !frame.isReply && frame.code == OSDPCommand.Code.setKey.rawValue
            && frame.security?.kind.isEncrypted != true
    }
}
