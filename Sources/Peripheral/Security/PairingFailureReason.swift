/// Why a pairing ends: the reason of Pairing Failed (Core 5.4, Vol 3, Part H, 3.5.5).
public struct PairingFailureReason: RawRepresentable, Error, Hashable, Sendable {
    /// The octet of the PDU.
    public var rawValue: UInt8
    /// The reason with this octet, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user did not enter the passkey.
    public static let passkeyEntryFailed = PairingFailureReason(rawValue: 0x01)
    /// The out-of-band data is not there.
    public static let outOfBandNotAvailable = PairingFailureReason(rawValue: 0x02)
    /// What the two sides can do does not meet what one of them asks for.
    public static let authenticationRequirements = PairingFailureReason(rawValue: 0x03)
    /// The confirm value does not match.
    public static let confirmValueFailed = PairingFailureReason(rawValue: 0x04)
    /// The device does not pair, or not with this peer, or not now.
    public static let pairingNotSupported = PairingFailureReason(rawValue: 0x05)
    /// The key would be too short.
    public static let encryptionKeySize = PairingFailureReason(rawValue: 0x06)
    /// The command is not one for this side.
    public static let commandNotSupported = PairingFailureReason(rawValue: 0x07)
    /// Anything else; also a command that does not belong here.
    public static let unspecified = PairingFailureReason(rawValue: 0x08)
    /// Too many attempts in too short a time.
    public static let repeatedAttempts = PairingFailureReason(rawValue: 0x09)
    /// A command of the wrong length, or a field with a value that it cannot have.
    public static let invalidParameters = PairingFailureReason(rawValue: 0x0A)
    /// The check value does not match, or the public key is none.
    public static let keyCheckFailed = PairingFailureReason(rawValue: 0x0B)
    /// The user said that the numbers differ.
    public static let numericComparisonFailed = PairingFailureReason(rawValue: 0x0C)
    /// A pairing over BR/EDR is going on.
    public static let otherTransportPairing = PairingFailureReason(rawValue: 0x0D)
    /// A key of the other transport cannot be used here.
    public static let crossTransportNotAllowed = PairingFailureReason(rawValue: 0x0E)
    /// The device refuses the key.
    public static let keyRejected = PairingFailureReason(rawValue: 0x0F)
    /// The device is busy.
    public static let busy = PairingFailureReason(rawValue: 0x10)
}
