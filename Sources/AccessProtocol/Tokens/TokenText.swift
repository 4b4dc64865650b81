// SPDX-License-Identifier: Apache-2.0

internal import Timekeeping

/// The signed text of a command token: `credential:command:year:month:day:hour:minute:year:month:day:hour:minute`,
/// start before end, ASCII, numbers without leading zeros, no terminator. It contains neither seconds, nor the
/// command's data, nor a device.
public enum TokenText {
    /// The maximum length in octets: identifiers of 10 and 8 octets, ten numbers of at most ten digits, eleven
    /// colons.
    public static let octetLimit = 10 + 8 + 10 * 10 + 11

    /// Appends the text for `command`, which may be the name of a group.
    public static func append(
        credentialID: String, command: CommandName, validity: TokenValidity, to text: inout [UInt8]
    ) {
        text.append(contentsOf: credentialID.utf8)
        text.append(UInt8(ascii: ":"))
        text.append(contentsOf: command.rawValue.utf8)
        append(validity.start, to: &text)
        append(validity.end, to: &text)
    }

    private static func append(_ time: CivilTime, to text: inout [UInt8]) {
        append(time.year, to: &text)
        append(time.month, to: &text)
        append(time.day, to: &text)
        append(time.hour, to: &text)
        append(time.minute, to: &text)
    }

    private static func append(_ number: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: ":"))
        // Without a `String`: each text has ten numbers, most of them of two digits, and a string for each takes
        // time.
        guard !(0...99 ~= number) else {
            if number >= 10 { text.append(UInt8(ascii: "0") + UInt8(number / 10)) }
            text.append(UInt8(ascii: "0") + UInt8(number % 10))
            return
        }
        if number < 0 { text.append(UInt8(ascii: "-")) }
        var unit: UInt = 1
        while number.magnitude / unit >= 10 { unit *= 10 }
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number.magnitude / unit % 10))
            unit /= 10
        }
    }
}
