// SPDX-License-Identifier: Apache-2.0

/// The layout of a card's bits: facility code and number between parities, as panels expect them (osdp_RAW, 7.10).
public struct CardFormat: Equatable, Sendable {
    /// A parity bit, and the bits that it makes even or odd together with itself. The first bit is 0.
    public struct Parity: Equatable, Sendable {
        /// The place of the parity bit.
        public var bit: Int
        /// The bits that are counted.
        public var over: ClosedRange<Int>
        /// True for odd parity.
        public var isOdd: Bool

        /// A parity bit.
        public init(bit: Int, over: ClosedRange<Int>, isOdd: Bool) {
            self.bit = bit
            self.over = over
            self.isOdd = isOdd
        }
    }

    /// A card that does not fit.
    public enum Fault: Error, Equatable, Sendable {
        /// A field or parity lies outside the bits, or two share a bit.
        case layout
        /// The facility code needs more bits, or the format has none.
        case facility
        /// The number needs more bits.
        case number
    }

    /// The maximum of bits.
    public static let bitLimit = 512

    /// The number of bits.
    public let bitCount: Int
    /// The bits of the facility code, most significant first; empty for none.
    public let facility: Range<Int>
    /// The bits of the number, most significant first.
    public let number: Range<Int>
    /// The parities, in the order in which they are set.
    public let parities: [Parity]

    /// A layout.
    public init(bitCount: Int, facility: Range<Int>, number: Range<Int>, parities: [Parity]) throws(Fault) {
        guard (1...CardFormat.bitLimit).contains(bitCount) else { throw .layout }
        let whole = 0..<bitCount
        guard !number.isEmpty, facility.count <= 64, number.count <= 64, !facility.overlaps(number),
            facility.isEmpty || (whole.contains(facility.lowerBound) && facility.upperBound <= bitCount),
            whole.contains(number.lowerBound), number.upperBound <= bitCount,
            parities.allSatisfy({
                whole.contains($0.bit) && $0.over.lowerBound >= 0 && $0.over.upperBound < bitCount
                    && !$0.over.contains($0.bit) && !facility.contains($0.bit) && !number.contains($0.bit)
            }), Set(parities.map(\.bit)).count == parities.count
        else { throw .layout }
        self.init(bitCount, facility, number, parities)
    }

    private init(_ bitCount: Int, _ facility: Range<Int>, _ number: Range<Int>, _ parities: [Parity]) {
        self.bitCount = bitCount
        self.facility = facility
        self.number = number
        self.parities = parities
    }

    /// 26 bits (H10301): facility code of 8 bits, number of 16.
    public static let bits26 = CardFormat(
        26, 1..<9, 9..<25,
        [Parity(bit: 0, over: 1...12, isOdd: false), Parity(bit: 25, over: 13...24, isOdd: true)])
    /// 34 bits (H10306): facility code of 16 bits, number of 16.
    public static let bits34 = CardFormat(
        34, 1..<17, 17..<33,
        [Parity(bit: 0, over: 1...16, isOdd: false), Parity(bit: 33, over: 17...32, isOdd: true)])
    /// 37 bits (H10304): facility code of 16 bits, number of 19.
    public static let bits37 = CardFormat(
        37, 1..<17, 17..<36,
        [Parity(bit: 0, over: 1...18, isOdd: false), Parity(bit: 36, over: 18...35, isOdd: true)])
    /// 37 bits (H10302): a number of 35 bits, no facility code.
    public static let bits37WithoutFacility = CardFormat(
        37, 1..<1, 1..<36,
        [Parity(bit: 0, over: 1...18, isOdd: false), Parity(bit: 36, over: 18...35, isOdd: true)])

    /// The bits of a card.
    public func card(facility code: UInt64 = 0, number value: UInt64, reader: UInt8 = 0) throws(Fault) -> OSDPCardData {
        guard facility.count == 64 || code >> UInt64(facility.count) == 0 else { throw .facility }
        guard number.count == 64 || value >> UInt64(number.count) == 0 else { throw .number }
        var bits = [Bool](repeating: false, count: bitCount)
        for (range, field) in [(facility, code), (number, value)] {
            for (place, bit) in range.reversed().enumerated() { bits[bit] = field >> UInt64(place) & 1 == 1 }
        }
        for parity in parities {
            bits[parity.bit] = bits[parity.over].count(where: { $0 }).isMultiple(of: 2) == parity.isOdd
        }
        return OSDPCardData(bits: bits, format: parities.isEmpty ? 0 : 1, reader: reader)
    }

    /// True if the parities of the bits are right.
    public func verifies(_ card: OSDPCardData) -> Bool {
        let bits = card.bits
        return bits.count == bitCount
            && parities.allSatisfy { parity in
                let ones = bits[parity.over].count(where: { $0 }) + (bits[parity.bit] ? 1 : 0)
                return ones.isMultiple(of: 2) != parity.isOdd
            }
    }
}

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
