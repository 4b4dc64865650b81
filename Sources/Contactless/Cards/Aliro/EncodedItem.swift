// SPDX-License-Identifier: Apache-2.0

/// A CBOR item to encode, with tags and in any order, as phones do.
public indirect enum EncodedItem: Sendable {
    /// Major types 0 and 1.
    case integer(Int)
    /// A byte string.
    case octets([UInt8])
    /// A text string.
    case text(String)
    /// An array.
    case array([EncodedItem])
    /// A map, in this order.
    case map([(EncodedItem, EncodedItem)])
    /// An item with a tag.
    case tagged(UInt64, EncodedItem)
    /// False or true.
    case boolean(Bool)
    /// Octets that are the encoding already.
    case encoded([UInt8])

    /// The shortest encoding (RFC 8949, 4.2.1), but in the order of the maps.
    public var encoding: [UInt8] {
        switch self {
        case .integer(let number) where number >= 0: Self.head(0, UInt64(number))
        case .integer(let number): Self.head(1, UInt64(-1 - number))
        case .octets(let octets): Self.head(2, UInt64(octets.count)) + octets
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoding)
        case .map(let members): Self.head(5, UInt64(members.count)) + members.flatMap { $0.encoding + $1.encoding }
        case .tagged(let tag, let item): Self.head(6, tag) + item.encoding
        case .boolean(let flag): [flag ? 0xF5 : 0xF4]
        case .encoded(let octets): octets
        }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ...0xFF: [major << 5 | 24, UInt8(argument)]
        case ...0xFFFF: [major << 5 | 25, UInt8(argument >> 8), UInt8(argument & 0xFF)]
        case ...0xFFFF_FFFF: [major << 5 | 26] + octets(of: argument, 4)
        default: [major << 5 | 27] + octets(of: argument, 8)
        }
    }

    private static func octets(of number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(number >> UInt64(8 * $0) & 0xFF) }
    }
}

extension EncodedItem: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// An integer.
    public init(integerLiteral number: Int) { self = .integer(number) }
}
