// SPDX-License-Identifier: Apache-2.0

/// A status code of the access protocol, in status messages and in recorded events.
///
/// 0 is success and 1 "not yet"; all failures are negative. The set is open: a number that is not named here, from a
/// phone or a lock, is passed on unchanged.
///
/// Each comment has the published meaning, and behind it the uses by this reader: "Sent:" to the phone, "Silence:" for
/// a code in the log only, "Never:" with the reason. `script/tables` writes them into docs/protocol/status-codes.md.
public struct StatusCode: RawRepresentable, Hashable, Sendable, Error {
    /// The number in a message header, two's complement.
    public let rawValue: Int16

    /// The code with this number, named here or not.
    @inlinable
    public init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// 0: success. Sent: done.
    public static let ok = StatusCode(rawValue: 0)
    /// 1: not yet done. Never: nothing is answered before it is done.
    public static let pending = StatusCode(rawValue: 1)
    /// −1: an error without a code of its own. Never: every fault has its own code.
    public static let error = StatusCode(rawValue: -1)
    /// −3: invalid arguments. Sent: an empty signature; a time that a phone may not set.
    public static let invalidArguments = StatusCode(rawValue: -3)
    /// −4: invalid state. Silence: a first frame that is too short. Sent: `time`, while the system's clock is
    /// synchronised.
    public static let invalidState = StatusCode(rawValue: -4)
    /// −5: not supported, such as an unknown command. Sent: a command that is not known or not served, a request
    /// without a payload.
    public static let notSupported = StatusCode(rawValue: -5)
    /// −6: end of file. Sent: a credential's file that ends too early.
    public static let endOfFile = StatusCode(rawValue: -6)
    /// −7: more octets than the buffer holds. Sent: at the header, for more than 2048 octets.
    public static let overflow = StatusCode(rawValue: -7)
    /// −8: no storage left. Sent: no room in the blacklist, in the log, or on the disk.
    public static let storageFull = StatusCode(rawValue: -8)
    /// −9: the checksum of a message does not match. Silence: a checksum that does not fit.
    public static let crc = StatusCode(rawValue: -9)
    /// −10: an invalid memory address. Never: there are no raw addresses.
    public static let memoryAddress = StatusCode(rawValue: -10)
    /// −11: an unsupported version. Sent: a pushed configuration whose version is not later; credentials have −230 and
    /// −280.
    public static let version = StatusCode(rawValue: -11)
    /// −12: a signature does not verify. Sent: a wrong signature.
    public static let signature = StatusCode(rawValue: -12)
    /// −13: outside the validity of a token. Sent: outside the token's time; a command's credential that is revoked.
    public static let validity = StatusCode(rawValue: -13)
    /// −14: the cryptographic library failed; on a phone, a response that cannot be opened. Never: only if libcrypto
    /// itself fails, which no input causes.
    public static let cryptography = StatusCode(rawValue: -14)
    /// −16: not found. Never: nothing is looked up or made by name.
    public static let notFound = StatusCode(rawValue: -16)
    /// −17: already exists. Never: nothing is looked up or made by name.
    public static let exists = StatusCode(rawValue: -17)
    /// −18: time-out. Never: a timeout is −21, and a phone that has left gets nothing.
    public static let timeout = StatusCode(rawValue: -18)
    /// −19: the link has ended. Never: a timeout is −21, and a phone that has left gets nothing.
    public static let disconnected = StatusCode(rawValue: -19)
    /// −20: an invalid pointer. Never: there are no raw addresses.
    public static let pointer = StatusCode(rawValue: -20)
    /// −21: unavailable, such as a device that is busy. Sent: the disk takes too long or fails, the door refuses all
    /// people, the start is not over, an updater is at work. Silence: a frame before the answer.
    public static let unavailable = StatusCode(rawValue: -21)
    /// −22: aborted. Sent: the reader ends.
    public static let aborted = StatusCode(rawValue: -22)
    /// −29: used by tests. Never: for tests only.
    public static let test = StatusCode(rawValue: -29)
    /// −30: a message could not be encoded. Sent: a result of more than 1792 octets.
    public static let encode = StatusCode(rawValue: -30)
    /// −31: a message could not be encoded; the second code of this meaning. Never: −30 is used instead.
    public static let encodeSecond = StatusCode(rawValue: -31)
    /// −32: a message could not be decoded. Sent: no token, or no data of the command. Silence: no handshake.
    public static let decode = StatusCode(rawValue: -32)
    /// −33: an advertisement carries another company identifier. Never: the phone's own.
    public static let companyIdentifier = StatusCode(rawValue: -33)
    /// −34: the system configuration is missing or invalid. Sent: a pushed configuration with a value out of range.
    public static let systemConfiguration = StatusCode(rawValue: -34)
    /// −35: provisioning failed. Start: an invalid device id.
    public static let provisioning = StatusCode(rawValue: -35)

    /// −100: a card returned no result. Never: cards; this version reads none.
    public static let cardNoResult = StatusCode(rawValue: -100)
    /// −101: a card refused a command. Never: cards; this version reads none.
    public static let cardCommand = StatusCode(rawValue: -101)
    /// −102: a card has no storage left. Never: cards; this version reads none.
    public static let cardStorageFull = StatusCode(rawValue: -102)
    /// −103: authentication with a card failed. Never: cards; this version reads none.
    public static let cardAuthentication = StatusCode(rawValue: -103)
    /// −104: the transponder is invalid. Never: cards; this version reads none.
    public static let invalidTransponder = StatusCode(rawValue: -104)
    /// −105: the access service is missing. Never: the phone's own.
    public static let serviceMissing = StatusCode(rawValue: -105)
    /// −106: a characteristic of the access service is missing. Never: the phone's own.
    public static let characteristicMissing = StatusCode(rawValue: -106)
    /// −107: notifications could not be enabled. Never: the phone's own.
    public static let notifyNotEnabled = StatusCode(rawValue: -107)

    /// −150: a salt has too few distinct values. Sent: a weak salt.
    public static let salt = StatusCode(rawValue: -150)
    /// −151: hashing failed. Never: only if libcrypto itself fails, which no input causes.
    public static let hashing = StatusCode(rawValue: -151)
    /// −152: signing failed. Never: only if libcrypto itself fails, which no input causes.
    public static let signing = StatusCode(rawValue: -152)
    /// −153: no strong salt could be generated. Sent: no own salt of the reader.
    public static let ownSalt = StatusCode(rawValue: -153)
    /// −154: the peer's salt is unusable. Never: a weak salt of the phone is −150.
    public static let peerSalt = StatusCode(rawValue: -154)
    /// −155: encryption failed. Never: only if libcrypto itself fails, which no input causes.
    public static let encrypt = StatusCode(rawValue: -155)
    /// −156: decryption failed. Sent: a request that does not open.
    public static let decrypt = StatusCode(rawValue: -156)
    /// −157: the current time is unknown. Silence: the clock is not set. Sent: then, for an update without a time.
    public static let currentTime = StatusCode(rawValue: -157)
    /// −158: the signed text could not be composed. Never: there is such a text for every token that can be decoded,
    /// else −32.
    public static let signatureText = StatusCode(rawValue: -158)
    /// −170: the peer sent a status instead of a message. Silence: the phone sent a status.
    public static let peerStatus = StatusCode(rawValue: -170)
}
