// SPDX-License-Identifier: Apache-2.0

import CardFormats
import Testing

/// Layouts of card bits.
struct CardFormatTests {
    @Test func limits() throws {
        #expect(throws: CardFormat.Fault.facility) { try CardFormat.bits26.bits(facility: 256, number: 0) }
        #expect(throws: CardFormat.Fault.number) { try CardFormat.bits26.bits(facility: 0, number: 65536) }
        #expect(throws: CardFormat.Fault.facility) { try CardFormat.bits37WithoutFacility.bits(facility: 1, number: 1) }
        let widest = try CardFormat(pattern: [String(repeating: "N", count: 64)])
        #expect(try widest.bits(number: .max) == [Bool](repeating: true, count: 64))
    }

    /// Each single changed bit breaks a parity.
    @Test(arguments: [CardFormat.bits26, .bits34, .bits37, .bits37WithoutFacility])
    func parities(_ format: CardFormat) throws {
        for number: UInt64 in [0, 1, 4711, 0xFFFF] {
            let bits = try format.bits(facility: format.facility.isEmpty ? 0 : 99, number: number)
            #expect(bits.count == format.bitCount && format.verifies(bits))
            for bit in bits.indices {
                var changed = bits
                changed[bit].toggle()
                #expect(!format.verifies(changed))
            }
        }
    }
}

/// Layouts as a site writes them.
struct CardPatternTests {
    @Test func theKnownLayout() throws {
        let written = try CardFormat(pattern: [
            "PFFFFFFFFNNNNNNNNNNNNNNNNP",
            "EXXXXXXXXXXXX.............",
            ".............XXXXXXXXXXXXO",
        ])
        #expect(written == .bits26)
    }

    /// 35 bits (Corporate 1000): facility code 1234, number 56789; the last parity counts the two others.
    @Test func parityOverParities() throws {
        let format = try CardFormat(pattern: [
            "PPFFFFFFFFFFFFNNNNNNNNNNNNNNNNNNNNP",
            ".EXX.XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.",
            ".XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.O",
            "OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        ])
        let bits = try format.bits(facility: 1234, number: 56789)
        #expect(bits.map { $0 ? "1" : "0" }.joined() == "01010011010010000011011101110101010")
    }

    @Test func fixedBits() throws {
        let format = try CardFormat(pattern: ["01NN10"])
        #expect(try format.bits(number: 2) == [false, true, true, false, true, false])
        #expect(!format.verifies([false, false, true, false, true, false]))
    }

    @Test(
        arguments: [
            ([], .length), ([""], .length), ([String(repeating: "N", count: 513)], .length),
            (["PN", "EX", "E"], .uneven(line: 3)), (["P?N"], .character("?", line: 1)),
            (["PN", "EN"], .character("N", line: 2)), (["0101"], .fields),
            ([String(repeating: "N", count: 65)], .fields), ([String(repeating: "F", count: 65) + "N"], .fields),
            (["PN", "XX"], .parity(line: 2)), (["PPN", "EOX"], .parity(line: 2)), (["PN", "XE"], .parity(line: 2)),
            (["PN", "EX", "OX"], .parity(line: 3)), (["PNP", "EX."], .unset),
        ] as [([String], CardFormat.PatternFault)])
    func noLayout(_ lines: [String], _ fault: CardFormat.PatternFault) {
        #expect(throws: fault) { try CardFormat(pattern: lines) }
    }
}

/// FASC-N, "Smart Card Enabled Physical Access Control Systems" 2.3, section 6.2.
struct FASCNTests {
    private func octets(_ bits: [Bool]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { first in
            bits[first..<first + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// 0032-0001-092446-0-1-1112223333112232, a published number.
    @Test func theKnownNumber() throws {
        let number = try #require(FASCNPattern("0032-0001-092446-0-1-111222333311223#")?.number(2))
        #expect(number.bits.count == 200)
        #expect(
            octets(number.bits) == [
                0xD0, 0x43, 0x94, 0x58, 0x21, 0x0C, 0x2C, 0x19, 0xA0, 0x84, 0x6D, 0x83, 0x68, 0x5A, 0x10, 0x82, 0x10,
                0x8C, 0xE7, 0x39, 0x84, 0x10, 0x8C, 0xA3, 0xFC,
            ])
    }

    @Test func openDigits() {
        let number = FASCNPattern("9999-9999-######-0-1-##########399991")?.number(9_912_345_678_901_234_567)
        #expect(number?.digits.map(String.init).joined() == "99999999234567018901234567399991")
    }

    @Test func noNumber() {
        #expect(FASCN(digits: [UInt8](repeating: 10, count: 32)) == nil)
        #expect(FASCN(digits: [UInt8](repeating: 9, count: 31)) == nil)
        for text in ["", "9999-9999-999999-0-1-9999999999399991", "9999-9999-######-#-1-##########399991", "9999 ####"]
        {
            #expect(FASCNPattern(text) == nil, "\(text)")
        }
    }
}
