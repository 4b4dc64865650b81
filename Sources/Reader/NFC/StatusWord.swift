/// The two octets that end each response APDU, SW1 and SW2 (ISO/IEC 7816-4, 5.6).
public struct StatusWord: RawRepresentable, Hashable, Sendable, Error {
    /// SW1 in the high octet, SW2 in the low one.
    public let rawValue: UInt16

    /// The status word with this value.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Done.
    public static let ok = StatusWord(rawValue: 0x9000)
    /// The file ended before the octets that were asked for.
    public static let endOfFile = StatusWord(rawValue: 0x6282)
    /// A length that is wrong, or more than is taken.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// There are no logical channels but the basic one.
    public static let channelNotSupported = StatusWord(rawValue: 0x6881)
    /// There is no secure messaging.
    public static let secureMessagingNotSupported = StatusWord(rawValue: 0x6882)
    /// This command cannot be chained.
    public static let chainingNotSupported = StatusWord(rawValue: 0x6884)
    /// Not now: no application is selected, no answer is there, or the session was closed.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// The data are not what the command takes.
    public static let wrongData = StatusWord(rawValue: 0x6A80)
    /// There is no such application or file.
    public static let notFound = StatusWord(rawValue: 0x6A82)
    /// P1 and P2 have no such values.
    public static let wrongParameters = StatusWord(rawValue: 0x6A86)
    /// The offset lies outside the file.
    public static let wrongOffset = StatusWord(rawValue: 0x6B00)
    /// There is no such instruction.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    /// There is no such class.
    public static let classNotSupported = StatusWord(rawValue: 0x6E00)
    /// The answer is not ready: poll. Proprietary, as all of 9XXX but 9000 (ISO/IEC 7816-3, 10.3.3).
    public static let pending = StatusWord(rawValue: 0x9301)

    /// Done so far, and `count` octets wait for GET RESPONSE; 256 and more are told as 00 (ISO/IEC 7816-4, 5.6).
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
