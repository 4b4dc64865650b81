// SPDX-License-Identifier: Apache-2.0

/// The reason of Pairing Failed (Core 5.4, Vol 3, Part H, 3.5.5).
public struct PairingFailureReason: RawRepresentable, Error, Hashable, Sendable {
    /// The octet of the PDU.
    public var rawValue: UInt8
    /// The reason with this octet, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user did not enter the passkey.
    public static let passkeyEntryFailed = PairingFailureReason(rawValue: 0x01)
    /// The out-of-band data is not available.
    public static let outOfBandNotAvailable = PairingFailureReason(rawValue: 0x02)
    /// The capabilities of the two sides do not meet the authentication requirements.
    public static let authenticationRequirements = PairingFailureReason(rawValue: 0x03)
    /// The confirm value does not match.
    public static let confirmValueFailed = PairingFailureReason(rawValue: 0x04)
    /// Pairing is not supported, or is refused for this peer or at this time.
    public static let pairingNotSupported = PairingFailureReason(rawValue: 0x05)
    /// The encryption key would be shorter than the minimum.
    public static let encryptionKeySize = PairingFailureReason(rawValue: 0x06)
    /// The command is not supported by this side.
    public static let commandNotSupported = PairingFailureReason(rawValue: 0x07)
    /// An unspecified reason; also a command out of order.
    public static let unspecified = PairingFailureReason(rawValue: 0x08)
    /// The peer must wait after failed attempts.
    public static let repeatedAttempts = PairingFailureReason(rawValue: 0x09)
    /// The command has an invalid length or parameter.
    public static let invalidParameters = PairingFailureReason(rawValue: 0x0A)
    /// The DHKey check value does not match, or the public key is invalid.
    public static let keyCheckFailed = PairingFailureReason(rawValue: 0x0B)
    /// The user reported that the numbers differ.
    public static let numericComparisonFailed = PairingFailureReason(rawValue: 0x0C)
    /// A pairing over BR/EDR is in progress.
    public static let otherTransportPairing = PairingFailureReason(rawValue: 0x0D)
    /// The key of the other transport cannot be used.
    public static let crossTransportNotAllowed = PairingFailureReason(rawValue: 0x0E)
    /// The device refuses the key.
    public static let keyRejected = PairingFailureReason(rawValue: 0x0F)
    /// The device is busy.
    public static let busy = PairingFailureReason(rawValue: 0x10)
}
