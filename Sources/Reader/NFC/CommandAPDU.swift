// SPDX-License-Identifier: Apache-2.0

import Octets

/// The limits of APDUs.
public enum APDULimit {
    /// The maximum length of data in a command or a response, in octets. The front end carries 262 octets per exchange,
    /// header, status word and its own octets included, and its library ends the process beyond that.
    public static let data = 240
    /// The longest command: header, Lc, data, Le.
    public static let command = 4 + 1 + data + 1
    /// The longest response: data and status word.
    public static let response = data + 2
}

/// The fields of a short command APDU (ISO/IEC 7816-4, 5.1 and 5.2). The data are not copied.
public struct CommandAPDU: Equatable, Sendable {
    /// The class without the bit for chaining.
    public let cla: UInt8
    /// True if it is part of a chain and not the last (5.3.3.2, bit 5 of CLA).
    public let isChained: Bool
    /// The instruction.
    public let ins: UInt8
    /// The first parameter.
    public let p1: UInt8
    /// The second parameter.
    public let p2: UInt8
    /// The range of the data; empty for a command without data.
    public let data: Range<Int>
    /// The maximum length of response data, 1 to 256 octets; nil if Le is absent.
    public let expected: Int?

    /// Parses all of `octets` as a command of any of the four cases (5.1). Extended lengths, more data than
    /// `APDULimit.data`, missing and surplus octets are `wrongLength`; `checkClass` checks the class.
    public init(_ octets: Span<UInt8>) throws(StatusWord) {
        var cursor = OctetCursor(octets)
        do throws(OctetError) {
            let octet = try cursor.u8(octets)
            cla = octet & ~CommandAPDU.chaining
            isChained = octet & CommandAPDU.chaining != 0
            ins = try cursor.u8(octets)
            p1 = try cursor.u8(octets)
            p2 = try cursor.u8(octets)
            switch cursor.remaining {
            case 0:
                (data, expected) = (cursor.position..<cursor.position, nil)
            case 1:
                data = cursor.position..<cursor.position
                expected = CommandAPDU.expected(try cursor.u8(octets))
            default:
                // 0 would begin an extended length.
                let count = Int(try cursor.u8(octets))
                guard 1...APDULimit.data ~= count else { throw OctetError.trailing(offset: 4, count: count) }
                data = try cursor.consume(count, of: octets)
                expected = cursor.remaining == 0 ? nil : CommandAPDU.expected(try cursor.u8(octets))
            }
            try cursor.finish()
        } catch {
            throw .wrongLength
        }
    }

    /// Throws unless the class is `interindustry` or `proprietary`, on the basic channel and in clear (5.4.1).
    public func checkClass() throws(StatusWord) {
        guard cla & 0x60 == 0 else { throw .classNotSupported }
        guard cla & 0x0C == 0 else { throw .secureMessagingNotSupported }
        guard cla & 0x03 == 0 else { throw .channelNotSupported }
    }

    /// The class of the instructions that ISO/IEC 7816-4 defines.
    public static let interindustry: UInt8 = 0x00
    /// The class of proprietary instructions.
    public static let proprietary: UInt8 = 0x80

    /// The bit of the class for a part of a chain that is not the last.
    static let chaining: UInt8 = 0x10

    private static func expected(_ octet: UInt8) -> Int { octet == 0 ? 256 : Int(octet) }
}
