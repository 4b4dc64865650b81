// SPDX-License-Identifier: Apache-2.0

import WiFi

extension ControlText {
    /// Decodes an escaped name in `range`, in the supplicant's format: `\"`, `\\`, `\e`, `\n`, `\r`, `\t`, `\xHH`,
    /// and every other octet from 20 to 7E as itself. Nil if it is malformed, or too long for a name.
    static func name(_ octets: Span<UInt8>, _ range: Range<Int>) -> WiFiName? {
        var name: [UInt8] = []
        var position = range.lowerBound
        while position < range.upperBound {
            guard name.count < WiFiName.maximumCount,
                let (octet, next) = octet(octets, position..<range.upperBound)
            else { return nil }
            name.append(octet)
            position = next
        }
        return WiFiName(name)
    }

    /// Decodes one octet, and returns the position of the next.
    private static func octet(_ octets: Span<UInt8>, _ range: Range<Int>) -> (UInt8, next: Int)? {
        let first = octets[range.lowerBound]
        guard first == UInt8(ascii: "\\") else {
            return (0x20...0x7E).contains(first) ? (first, range.lowerBound + 1) : nil
        }
        guard range.count >= 2 else { return nil }
        let next = range.lowerBound + 2
        switch octets[range.lowerBound + 1] {
        case UInt8(ascii: "\\"): return (UInt8(ascii: "\\"), next)
        case UInt8(ascii: "\""): return (UInt8(ascii: "\""), next)
        case UInt8(ascii: "e"): return (0x1B, next)
        case UInt8(ascii: "n"): return (0x0A, next)
        case UInt8(ascii: "r"): return (0x0D, next)
        case UInt8(ascii: "t"): return (0x09, next)
        case UInt8(ascii: "x"):
            guard range.count >= 4, let high = digit(octets[next], base: 16),
                let low = digit(octets[next + 1], base: 16)
            else { return nil }
            return (UInt8(high << 4 | low), next + 2)
        default: return nil
        }
    }

    /// Parses an address such as `02:00:00:00:01:00` from all of `range`.
    static func address(_ octets: Span<UInt8>, _ range: Range<Int>) -> WiFiAddress? {
        octets.extracting(range).withUnsafeBufferPointer { WiFiAddress(String(decoding: $0, as: UTF8.self)) }
    }

    /// Parses an address such as `192.168.0.42` from all of `range`.
    static func ipv4(_ octets: Span<UInt8>, _ range: Range<Int>) -> IPv4Address? {
        var address: [UInt8] = []
        var start = range.lowerBound
        for position in range.lowerBound...range.upperBound
        where position == range.upperBound || octets[position] == UInt8(ascii: ".") {
            guard let part = number(octets, start..<position), let octet = UInt8(exactly: part),
                address.count < 4
            else {
                return nil
            }
            address.append(octet)
            start = position + 1
        }
        return IPv4Address(address)
    }
}

extension [UInt8] {
    /// Appends a decimal number.
    mutating func append(decimal number: Int) { append(contentsOf: String(number).utf8) }
}
