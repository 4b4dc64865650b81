// SPDX-License-Identifier: Apache-2.0

/// Characters of 5 by 7 dots: capital letters of the captions, digits and marks.
enum Glyphs {
    /// The dots of a character in 35 bits, the upper left one first; none for an unknown character.
    static func rows(_ character: UInt8) -> UInt64 {
        switch character {
        case UInt8(ascii: "0"): 0b01110_10001_10011_10101_11001_10001_01110
        case UInt8(ascii: "1"): 0b00100_01100_00100_00100_00100_00100_01110
        case UInt8(ascii: "2"): 0b01110_10001_00001_00010_00100_01000_11111
        case UInt8(ascii: "3"): 0b11111_00010_00100_00010_00001_10001_01110
        case UInt8(ascii: "4"): 0b00010_00110_01010_10010_11111_00010_00010
        case UInt8(ascii: "5"): 0b11111_10000_11110_00001_00001_10001_01110
        case UInt8(ascii: "6"): 0b00110_01000_10000_11110_10001_10001_01110
        case UInt8(ascii: "7"): 0b11111_00001_00010_00100_01000_01000_01000
        case UInt8(ascii: "8"): 0b01110_10001_10001_01110_10001_10001_01110
        case UInt8(ascii: "9"): 0b01110_10001_10001_01111_00001_00010_01100
        case UInt8(ascii: ":"): 0b00000_00100_00100_00000_00100_00100_00000
        case UInt8(ascii: "."): 0b00000_00000_00000_00000_00000_01100_01100
        case UInt8(ascii: "A"): 0b01110_10001_10001_11111_10001_10001_10001
        case UInt8(ascii: "B"): 0b11110_10001_10001_11110_10001_10001_11110
        case UInt8(ascii: "C"): 0b01110_10001_10000_10000_10000_10001_01110
        case UInt8(ascii: "D"): 0b11110_10001_10001_10001_10001_10001_11110
        case UInt8(ascii: "E"): 0b11111_10000_10000_11110_10000_10000_11111
        case UInt8(ascii: "F"): 0b11111_10000_10000_11110_10000_10000_10000
        case UInt8(ascii: "I"): 0b01110_00100_00100_00100_00100_00100_01110
        case UInt8(ascii: "M"): 0b10001_11011_10101_10101_10001_10001_10001
        case UInt8(ascii: "N"): 0b10001_11001_10101_10011_10001_10001_10001
        case UInt8(ascii: "P"): 0b11110_10001_10001_11110_10000_10000_10000
        case UInt8(ascii: "R"): 0b11110_10001_10001_11110_10100_10010_10001
        case UInt8(ascii: "S"): 0b01111_10000_10000_01110_00001_00001_11110
        case UInt8(ascii: "T"): 0b11111_00100_00100_00100_00100_00100_00100
        default: 0
        }
    }
}
