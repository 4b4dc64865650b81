// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

@Suite struct DigitsTests {
    @Test func octetsHaveTwoDigitsEach() {
        #expect(Hexadecimal.text([0x00, 0x0A, 0xFF]) == "000aff")
        #expect(Hexadecimal.text([0x0A, 0xFF], separator: ":", uppercase: true) == "0A:FF")
        #expect(Hexadecimal.text([]) == "")
        var text: [UInt8] = [0x3A]
        text.append(hexadecimal: [0x00, 0x0A, 0xFF])
        #expect(text == Array(":000aff".utf8))
    }

    @Test func digitsInEitherCaseAreRead() {
        #expect(Hexadecimal.octets("000aFf") == [0x00, 0x0A, 0xFF])
        #expect(Hexadecimal.octets("0A:ff", separator: UInt8(ascii: ":")) == [0x0A, 0xFF])
        #expect(Hexadecimal.octets("") == [])
        #expect(Hexadecimal.octets(digits: "000aFf".utf8) == [0x00, 0x0A, 0xFF])
        #expect(Hexadecimal.octets(digits: []) == [])
    }

    @Test(arguments: ["0", "000", "0g", "+1", " 1", "0a:", "é"])
    func otherTextIsNotRead(text: String) {
        #expect(Hexadecimal.octets(text) == nil)
        #expect(Hexadecimal.octets(digits: text.utf8) == nil)
        #expect(Hexadecimal.octets("00:" + text, separator: UInt8(ascii: ":")) == nil)
    }

    @Test(arguments: ["0011", "00-11", "00:1", "00::11", ":", "", "00:11:"])
    func theSeparatorStandsBetweenOctets(text: String) {
        #expect(Hexadecimal.octets(text, separator: UInt8(ascii: ":")) == nil)
    }

    @Test func numbersHaveLeadingZeros() {
        #expect(7.padded(to: 2) == "07")
        #expect(123.padded(to: 2) == "123")
        #expect(UInt16(0x2C).padded(to: 4, radix: 16, uppercase: true) == "002C")
    }
}
