// SPDX-License-Identifier: Apache-2.0

/// The element types: bits 0 to 4 of the control octet. Integers and strings have four widths each; this is the
/// narrowest.
enum TLVType: UInt8 {
    case signed = 0x00
    case unsigned = 0x04
    case `false` = 0x08
    case `true` = 0x09
    case float = 0x0A
    case double = 0x0B
    case text = 0x0C
    case octets = 0x10
    case null = 0x14
    case structure = 0x15
    case array = 0x16
    case list = 0x17
    case end = 0x18

    /// The type of a control octet; nil for a reserved one.
    init?(control: UInt8) {
        switch control & 0x1F {
        case 0x00...0x03: self = .signed
        case 0x04...0x07: self = .unsigned
        case 0x0C...0x0F: self = .text
        case 0x10...0x13: self = .octets
        case let other:
            guard let type = TLVType(rawValue: other) else { return nil }
            self = type
        }
    }

    /// True for the types that hold elements.
    var isContainer: Bool { self == .structure || self == .array || self == .list }
}
