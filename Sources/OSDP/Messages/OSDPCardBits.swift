// SPDX-License-Identifier: Apache-2.0

public import CardFormats

extension OSDPCardData {
    /// A card of these bits, the first most significant.
    public init(bits: [Bool], format: UInt8 = 0, reader: UInt8 = 0) {
        var octets = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (place, bit) in bits.enumerated() where bit { octets[place / 8] |= 0x80 >> UInt8(place % 8) }
        self.init(reader: reader, format: format, bitCount: UInt16(clamping: bits.count), octets: octets)
    }

    /// The bits.
    public var bits: [Bool] {
        (0..<min(Int(bitCount), octets.count * 8)).map { octets[$0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }
    }
}

extension CardFormat {
    /// The card of a facility code and a number, for osdp_RAW.
    public func card(facility code: UInt64 = 0, number value: UInt64, reader: UInt8 = 0) throws(Fault) -> OSDPCardData {
        OSDPCardData(bits: try bits(facility: code, number: value), format: parities.isEmpty ? 0 : 1, reader: reader)
    }
}

extension FASCN {
    /// The card of the number, for osdp_RAW.
    public func card(reader: UInt8 = 0) -> OSDPCardData { OSDPCardData(bits: bits, reader: reader) }
}
