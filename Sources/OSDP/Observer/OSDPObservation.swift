// SPDX-License-Identifier: Apache-2.0

/// A piece of a line's octets, explained to an observer.
public struct OSDPObservation: Equatable, Sendable {
    /// The contents of a frame.
    public enum Message: Equatable, Sendable {
        case command(OSDPCommand)
        case reply(OSDPReply)
        /// Data under a key that the observer does not have.
        case encrypted
        /// Contents that have no meaning.
        case unreadable(OSDPFault)
    }

    /// The protection of a frame.
    public enum Protection: String, Sendable {
        case clear
        /// Part of a handshake.
        case handshake
        /// Under a MAC that the observer has not verified: it lacks the key, or the beginning of the session.
        case unverified
        /// Under a MAC that is right.
        case verified
        /// Under a MAC that is wrong.
        case wrong
    }

    /// A peculiarity that an installer should know of.
    public enum Warning: String, Sendable, CaseIterable {
        /// Octets that are no frame, or one whose check is wrong.
        case damaged
        /// A frame whose check is right, with reserved bits in its header or a security block that is unknown.
        case header
        /// A handshake under SCBK-D: every listener knows what follows.
        case wellKnownKey
        /// A key for the device, readable for this observer.
        case keyDisclosed
        /// A new key that is refused by careful devices: one of the keys that a published attack tries.
        case weakKey
        /// A card or keys in clear.
        case clearCredential
        /// A frame without MAC in a session.
        case clearInSession
        /// A wrong MAC.
        case wrongMAC
        /// A cryptogram that belongs to none of the keys.
        case unknownKey
        /// A frame of a session that was there before, and not the one before.
        case replayed
        /// A random number of a handshake that was there before.
        case repeatedRandom
    }

    /// The octets, from the start to the check.
    public let octets: [UInt8]
    /// The frame; nil for octets that are none.
    public let frame: OSDPFrame?
    /// The contents; nil without a frame.
    public internal(set) var message: Message?
    /// The protection.
    public internal(set) var protection = Protection.clear
    /// True for a command that repeats the one before, or the reply to that.
    public internal(set) var isRepeated = false
    /// The warnings.
    public internal(set) var warnings: [Warning] = []

    /// True if the octets may hold a key in clear, which no log should have.
    public var mayHoldKey: Bool {
        guard let frame else {
            return octets.count > OSDPFrame.headerCount && octets[0] == OSDPFrame.start && octets[1] & 0x80 == 0
                && octets[OSDPFrame.headerCount] == OSDPCommand.Code.setKey.rawValue
        }
        return !frame.isReply && frame.code == OSDPCommand.Code.setKey.rawValue
            && frame.security?.kind.isEncrypted != true
    }
}
