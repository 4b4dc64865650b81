// SPDX-License-Identifier: Apache-2.0

/// The reason of a refusal (osdp_NAK, 7.3). 0x80 to 0xFF are makers' own.
public struct OSDPRefusal: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// The reason with this octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No error.
    public static let none = OSDPRefusal(rawValue: 0)
    /// A wrong CRC or checksum.
    public static let check = OSDPRefusal(rawValue: 1)
    /// A wrong length of the command.
    public static let length = OSDPRefusal(rawValue: 2)
    /// A command that the device does not support.
    public static let unknownCommand = OSDPRefusal(rawValue: 3)
    /// An unexpected sequence number.
    public static let sequence = OSDPRefusal(rawValue: 4)
    /// A security block that the device does not support.
    public static let securityUnsupported = OSDPRefusal(rawValue: 5)
    /// A command that requires a more secure channel.
    public static let securityRequired = OSDPRefusal(rawValue: 6)
    /// A biometric type that the device does not support.
    public static let biometricType = OSDPRefusal(rawValue: 7)
    /// A biometric format that the device does not support.
    public static let biometricFormat = OSDPRefusal(rawValue: 8)
    /// A record that the device is unable to process.
    public static let unable = OSDPRefusal(rawValue: 9)

    /// The reason in words; the number of a reason that the standard does not define.
    public var text: String {
        switch self {
        case .none: "no error"
        case .check: "bad check"
        case .length: "bad length"
        case .unknownCommand: "unknown command"
        case .sequence: "wrong sequence"
        case .securityUnsupported: "security block not supported"
        case .securityRequired: "secure channel required"
        case .biometricType: "biometric type not supported"
        case .biometricFormat: "biometric format not supported"
        case .unable: "unable to process"
        default: rawValue < 0x80 ? "reserved code \(rawValue)" : "private code \(rawValue)"
        }
    }
}
