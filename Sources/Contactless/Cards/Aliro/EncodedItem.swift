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
        var octets: [UInt8] = []
        append(to: &octets)
        return octets
    }

    private func append(to octets: inout [UInt8]) {
        switch self {
        case .integer(let number) where number >= 0: Self.append(0, UInt64(number), to: &octets)
        case .integer(let number): Self.append(1, UInt64(-1 - number), to: &octets)
        case .octets(let string):
            Self.append(2, UInt64(string.count), to: &octets)
            octets += string
        case .text(let text):
            Self.append(3, UInt64(text.utf8.count), to: &octets)
            octets += text.utf8
        case .array(let items):
            Self.append(4, UInt64(items.count), to: &octets)
            for item in items { item.append(to: &octets) }
        case .map(let members):
            Self.append(5, UInt64(members.count), to: &octets)
            for (key, value) in members {
                key.append(to: &octets)
                value.append(to: &octets)
            }
        case .tagged(let tag, let item):
            Self.append(6, tag, to: &octets)
            item.append(to: &octets)
        case .boolean(let flag): octets.append(flag ? 0xF5 : 0xF4)
        case .encoded(let encoding): octets += encoding
        }
    }

    private static func append(_ major: UInt8, _ argument: UInt64, to octets: inout [UInt8]) {
        switch argument {
        case ..<24: octets.append(major << 5 | UInt8(argument))
        case ...0xFF: append(major, 24, argument, 1, to: &octets)
        case ...0xFFFF: append(major, 25, argument, 2, to: &octets)
        case ...0xFFFF_FFFF: append(major, 26, argument, 4, to: &octets)
        default: append(major, 27, argument, 8, to: &octets)
        }
    }

    private static func append(
        _ major: UInt8, _ width: UInt8, _ argument: UInt64, _ count: Int, to octets: inout [UInt8]
    ) {
        octets.append(major << 5 | width)
        for place in (0..<count).reversed() { octets.append(UInt8(argument >> UInt64(8 * place) & 0xFF)) }
    }
}

extension EncodedItem: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// An integer.
    public init(integerLiteral number: Int) { self = .integer(number) }
}
