// SPDX-License-Identifier: Apache-2.0

/// A status code of the access protocol, in status messages and in recorded events.
///
/// 0 is success and 1 "not yet"; all failures are negative. The set is open: a number that is not named here, from a
/// phone or a lock, is passed on unchanged.
public struct StatusCode: RawRepresentable, Hashable, Sendable, Error {
    /// The number in a message header, two's complement.
    public let rawValue: Int16

    /// The code with this number, named here or not.
    @inlinable
    public init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// 0: success.
    public static let ok = StatusCode(rawValue: 0)
    /// 1: not yet done.
    public static let pending = StatusCode(rawValue: 1)
    /// −1: an error without a code of its own.
    public static let error = StatusCode(rawValue: -1)
    /// −3: invalid arguments; also the answer to a token whose signature is empty.
    public static let invalidArguments = StatusCode(rawValue: -3)
    /// −4: invalid state; also a first frame too short for the message header.
    public static let invalidState = StatusCode(rawValue: -4)
    /// −5: not supported, such as an unknown command.
    public static let notSupported = StatusCode(rawValue: -5)
    /// −6: end of file.
    public static let endOfFile = StatusCode(rawValue: -6)
    /// −7: more octets than the buffer holds.
    public static let overflow = StatusCode(rawValue: -7)
    /// −8: no storage left.
    public static let storageFull = StatusCode(rawValue: -8)
    /// −9: the checksum of a message does not match.
    public static let crc = StatusCode(rawValue: -9)
    /// −10: an invalid memory address.
    public static let memoryAddress = StatusCode(rawValue: -10)
    /// −11: an unsupported version.
    public static let version = StatusCode(rawValue: -11)
    /// −12: a signature does not verify.
    public static let signature = StatusCode(rawValue: -12)
    /// −13: outside the validity of a token.
    public static let validity = StatusCode(rawValue: -13)
    /// −14: the cryptographic library failed; on a phone, a response that cannot be opened.
    public static let cryptography = StatusCode(rawValue: -14)
    /// −16: not found.
    public static let notFound = StatusCode(rawValue: -16)
    /// −17: already exists.
    public static let exists = StatusCode(rawValue: -17)
    /// −18: time-out.
    public static let timeout = StatusCode(rawValue: -18)
    /// −19: the link has ended.
    public static let disconnected = StatusCode(rawValue: -19)
    /// −20: an invalid pointer.
    public static let pointer = StatusCode(rawValue: -20)
    /// −21: unavailable, such as a device that is busy.
    public static let unavailable = StatusCode(rawValue: -21)
    /// −22: aborted.
    public static let aborted = StatusCode(rawValue: -22)
    /// −29: used by tests.
    public static let test = StatusCode(rawValue: -29)
    /// −30: a message could not be encoded.
    public static let encode = StatusCode(rawValue: -30)
    /// −31: a message could not be encoded; the second code of this meaning.
    public static let encodeSecond = StatusCode(rawValue: -31)
    /// −32: a message could not be decoded.
    public static let decode = StatusCode(rawValue: -32)
    /// −33: an advertisement carries another company identifier.
    public static let companyIdentifier = StatusCode(rawValue: -33)
    /// −34: the system configuration is missing or invalid.
    public static let systemConfiguration = StatusCode(rawValue: -34)
    /// −35: provisioning failed.
    public static let provisioning = StatusCode(rawValue: -35)

    /// −100: a card returned no result.
    public static let cardNoResult = StatusCode(rawValue: -100)
    /// −101: a card refused a command.
    public static let cardCommand = StatusCode(rawValue: -101)
    /// −102: a card has no storage left.
    public static let cardStorageFull = StatusCode(rawValue: -102)
    /// −103: authentication with a card failed.
    public static let cardAuthentication = StatusCode(rawValue: -103)
    /// −104: the transponder is invalid.
    public static let invalidTransponder = StatusCode(rawValue: -104)
    /// −105: the access service is missing.
    public static let serviceMissing = StatusCode(rawValue: -105)
    /// −106: a characteristic of the access service is missing.
    public static let characteristicMissing = StatusCode(rawValue: -106)
    /// −107: notifications could not be enabled.
    public static let notifyNotEnabled = StatusCode(rawValue: -107)

    /// −150: a salt has too few distinct values.
    public static let salt = StatusCode(rawValue: -150)
    /// −151: hashing failed.
    public static let hashing = StatusCode(rawValue: -151)
    /// −152: signing failed.
    public static let signing = StatusCode(rawValue: -152)
    /// −153: no strong salt could be generated.
    public static let ownSalt = StatusCode(rawValue: -153)
    /// −154: the peer's salt is unusable.
    public static let peerSalt = StatusCode(rawValue: -154)
    /// −155: encryption failed.
    public static let encrypt = StatusCode(rawValue: -155)
    /// −156: decryption failed.
    public static let decrypt = StatusCode(rawValue: -156)
    /// −157: the current time is unknown.
    public static let currentTime = StatusCode(rawValue: -157)
    /// −158: the signed text could not be composed.
    public static let signatureText = StatusCode(rawValue: -158)
    /// −170: the peer sent a status instead of a message.
    public static let peerStatus = StatusCode(rawValue: -170)
}
