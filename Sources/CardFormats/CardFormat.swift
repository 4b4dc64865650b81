// SPDX-License-Identifier: Apache-2.0

/// The layout of a card's bits as access panels expect them: facility code and number between parities.
///
/// Bit 0 is the first on the line and the most significant.
public struct CardFormat: Equatable, Sendable {
    /// A parity bit, and the bits that it makes even or odd together with itself.
    public struct Parity: Equatable, Sendable {
        /// The place of the parity bit.
        public var bit: Int
        /// The bits that are counted.
        public var over: [Int]
        /// True for odd parity.
        public var isOdd: Bool

        /// A parity bit.
        public init(bit: Int, over: some Sequence<Int>, isOdd: Bool) {
            self.bit = bit
            self.over = Array(over)
            self.isOdd = isOdd
        }
    }

    /// A card that does not fit.
    public enum Fault: Error, Equatable, Sendable {
        /// The facility code needs more bits, or the format has none.
        case facility
        /// The number needs more bits.
        case number
    }

    /// The maximum number of bits: osdp_RAW counts to 65535, the readers of panels to far less.
    public static let bitLimit = 512
    /// The maximum number of bits of a facility code or number.
    public static let fieldLimit = 64

    /// The number of bits.
    public let bitCount: Int
    /// The bits of the facility code, most significant first; empty for none.
    public let facility: [Int]
    /// The bits of the number, most significant first.
    public let number: [Int]
    /// The bits that are 1 on every card.
    public let ones: [Int]
    /// The parities, in the order in which they are set: a later one may count an earlier one.
    public let parities: [Parity]

    init(
        _ bitCount: Int, facility: some Sequence<Int>, number: some Sequence<Int>, ones: [Int] = [],
        _ parities: [Parity]
    ) {
        self.bitCount = bitCount
        self.facility = Array(facility)
        self.number = Array(number)
        self.ones = ones
        self.parities = parities
    }

    /// 26 bits (H10301): facility code of 8 bits, number of 16.
    public static let bits26 = CardFormat(
        26, facility: 1..<9, number: 9..<25,
        [Parity(bit: 0, over: 1...12, isOdd: false), Parity(bit: 25, over: 13...24, isOdd: true)])
    /// 34 bits (H10306): facility code of 16 bits, number of 16.
    public static let bits34 = CardFormat(
        34, facility: 1..<17, number: 17..<33,
        [Parity(bit: 0, over: 1...16, isOdd: false), Parity(bit: 33, over: 17...32, isOdd: true)])
    /// 37 bits (H10304): facility code of 16 bits, number of 19.
    public static let bits37 = CardFormat(
        37, facility: 1..<17, number: 17..<36,
        [Parity(bit: 0, over: 1...18, isOdd: false), Parity(bit: 36, over: 18...35, isOdd: true)])
    /// 37 bits (H10302): a number of 35 bits, no facility code.
    public static let bits37WithoutFacility = CardFormat(
        37, facility: 1..<1, number: 1..<36,
        [Parity(bit: 0, over: 1...18, isOdd: false), Parity(bit: 36, over: 18...35, isOdd: true)])

    /// The maximum facility code.
    public var facilityLimit: UInt64 { facility.count < 64 ? 1 << UInt64(facility.count) - 1 : .max }

    /// The bits of a card.
    public func bits(facility code: UInt64 = 0, number value: UInt64) throws(Fault) -> [Bool] {
        guard code <= facilityLimit else { throw .facility }
        guard number.count == 64 || value >> UInt64(number.count) == 0 else { throw .number }
        var bits = [Bool](repeating: false, count: bitCount)
        for bit in ones { bits[bit] = true }
        for (places, field) in [(facility, code), (number, value)] {
            for (power, bit) in places.reversed().enumerated() { bits[bit] = field >> UInt64(power) & 1 == 1 }
        }
        for parity in parities {
            bits[parity.bit] = parity.over.count(where: { bits[$0] }).isMultiple(of: 2) == parity.isOdd
        }
        return bits
    }

    /// True if number and parities of the bits, and those that are fixed, are right.
    public func verifies(_ bits: [Bool]) -> Bool {
        bits.count == bitCount && ones.allSatisfy { bits[$0] }
            && parities.allSatisfy { parity in
                let counted = parity.over.count(where: { bits[$0] }) + (bits[parity.bit] ? 1 : 0)
                return counted.isMultiple(of: 2) != parity.isOdd
            }
    }
}
