// SPDX-License-Identifier: Apache-2.0

import Octets

/// A UUID of an attribute: 16 bits on the Bluetooth base, or 128 bits (Core 5.4, Vol 3, Part B, 2.5.1).
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    /// The upper 64 bits of the 128-bit form.
    public let high: UInt64
    /// The lower 64 bits of the 128-bit form.
    public let low: UInt64

    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// A 16-bit UUID on the Bluetooth base.
    public init(_ short: UInt16) {
        high = UInt64(short) << 32 | BluetoothUUID.baseHigh
        low = BluetoothUUID.baseLow
    }

    /// A 128-bit UUID from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID from text: four hexadecimal digits, or the 36-character form with hyphens. Nil for anything else.
    public init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        if characters.count == 4 {
            guard let short = UInt16(text, radix: 16), characters.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else {
                return nil
            }
            self.init(short)
            return
        }
        guard characters.count == 36 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for (index, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == 0x2D else { return nil }
                continue
            }
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            halves.high = halves.high << 4 | halves.low >> 60
            halves.low = halves.low << 4 | UInt64(digit)
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// The 16-bit form, if the UUID is on the Bluetooth base.
    public var short: UInt16? {
        guard low == BluetoothUUID.baseLow, high & 0xFFFF_0000_FFFF_FFFF == BluetoothUUID.baseHigh else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }

    /// Appends the UUID in PDU format: 2 octets if it has a 16-bit form, otherwise 16; least significant first.
    public func append(to octets: inout [UInt8]) {
        if let short {
            octets.append(littleEndian: short)
        } else {
            octets.append(littleEndian: low)
            octets.append(littleEndian: high)
        }
    }

    /// The length written by `append(to:)`: 2 or 16 octets.
    public var encodedCount: Int { short == nil ? 16 : 2 }

    /// `FCBA`, or `58920001-0BB5-4F7D-ADA1-988C7FEC44E4`.
    public var description: String {
        if let short { return BluetoothUUID.digits(UInt64(short), count: 4) }
        let first = BluetoothUUID.digits(high, count: 16)
        let second = BluetoothUUID.digits(low, count: 16)
        return [first.prefix(8), first.dropFirst(8).prefix(4), first.suffix(4), second.prefix(4), second.suffix(12)]
            .joined(separator: "-")
    }

    private static func digits(_ value: UInt64, count: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
