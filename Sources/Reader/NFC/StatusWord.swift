// SPDX-License-Identifier: Apache-2.0

/// The last two octets of each response APDU, SW1 and SW2 (ISO/IEC 7816-4, 5.6).
public struct StatusWord: RawRepresentable, Hashable, Sendable, Error {
    /// SW1 in the high octet, SW2 in the low one.
    public let rawValue: UInt16

    /// The status word with this value.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Done.
    public static let ok = StatusWord(rawValue: 0x9000)
    /// The end of the file was reached before the requested octets.
    public static let endOfFile = StatusWord(rawValue: 0x6282)
    /// Invalid or excessive length.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// Only the basic logical channel is supported.
    public static let channelNotSupported = StatusWord(rawValue: 0x6881)
    /// Secure messaging is not supported.
    public static let secureMessagingNotSupported = StatusWord(rawValue: 0x6882)
    /// This command cannot be chained.
    public static let chainingNotSupported = StatusWord(rawValue: 0x6884)
    /// No application is selected, no answer is ready, or the session was closed.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// The data are invalid.
    public static let wrongData = StatusWord(rawValue: 0x6A80)
    /// The application or file does not exist.
    public static let notFound = StatusWord(rawValue: 0x6A82)
    /// P1 and P2 are invalid.
    public static let wrongParameters = StatusWord(rawValue: 0x6A86)
    /// The offset lies outside the file.
    public static let wrongOffset = StatusWord(rawValue: 0x6B00)
    /// The instruction is not supported.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    /// The class is not supported.
    public static let classNotSupported = StatusWord(rawValue: 0x6E00)
    /// The answer is not ready: poll. Proprietary, as all of 9XXX but 9000 (ISO/IEC 7816-3, 10.3.3).
    public static let pending = StatusWord(rawValue: 0x9301)

    /// Done so far, with `count` octets left for GET RESPONSE; 256 and more are encoded as 00 (ISO/IEC 7816-4, 5.6).
    public static func more(_ count: Int) -> StatusWord {
        StatusWord(rawValue: 0x6100 | UInt16(truncatingIfNeeded: count > 0xFF ? 0 : max(count, 0)))
    }
}

extension StatusWord: CustomStringConvertible {
    /// `6A82`.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
