// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// A CBOR data item (RFC 8949) with its extent in the octets that contain it, for structures that other programs have
/// encoded and signed: their digests are computed over the received octets.
///
/// Unlike `CBORValue`, it has tags, arrays and maps of indefinite length, and heads of any length. Strings of
/// indefinite length are refused, as is a key twice in a map.
public struct CBORNode: Sendable {
    /// The maximum nesting depth: twice the depth of a document in COSE.
    public static let depthLimit = 16

    /// The octets of the item's encoding.
    public let extent: Range<Int>
    /// The item.
    public let content: Content

    /// The kinds of items.
    public indirect enum Content: Sendable {
        /// An integer (major types 0 and 1).
        case integer(Int64)
        /// A byte string (major type 2).
        case octets([UInt8])
        /// A text string (major type 3).
        case text(String)
        /// An array (major type 4).
        case array([CBORNode])
        /// A map (major type 5), whose keys are integers and strings.
        case map([CBORValue: CBORNode])
        /// A tag and the item in it (major type 6).
        case tagged(UInt64, CBORNode)
        /// True or false (major type 7, values 20 and 21).
        case boolean(Bool)
        /// Null, and each other simple value and number (major type 7).
        case other
    }

    /// The item that is all of `octets`.
    public init(decoding octets: Span<UInt8>) throws(CBORValue.DecodingFault) {
        var cursor = OctetCursor(octets)
        self = try CBORNode(octets, &cursor, depth: 0)
        guard cursor.remaining == 0 else { throw CBORValue.DecodingFault() }
    }

    private init(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, depth: Int
    ) throws(CBORValue.DecodingFault) {
        let start = cursor.position
        guard depth <= CBORNode.depthLimit, let initial = try? cursor.u8(octets) else {
            throw CBORValue.DecodingFault()
        }
        let isIndefinite = initial == 0x9F || initial == 0xBF
        let argument = try isIndefinite ? nil : CBORValue.argument(initial & 0x1F, octets, &cursor)
        switch (initial >> 5, argument) {
        case (0, let number?): content = .integer(try CBORNode.number(number))
        case (1, let number?): content = .integer(~(try CBORNode.number(number)))
        case (2, let count?): content = .octets(try CBORValue.string(count, octets, &cursor))
        case (3, let count?):
            guard let text = String(validating: try CBORValue.string(count, octets, &cursor), as: UTF8.self) else {
                throw CBORValue.DecodingFault()
            }
            content = .text(text)
        case (4, let count): content = .array(try CBORNode.elements(count, octets, &cursor, depth: depth + 1))
        case (5, let count): content = .map(try CBORNode.members(count, octets, &cursor, depth: depth + 1))
        case (6, let tag?): content = .tagged(tag, try CBORNode(octets, &cursor, depth: depth + 1))
        case (7, 20?) where initial & 0x1F == 20: content = .boolean(false)
        case (7, 21?) where initial & 0x1F == 21: content = .boolean(true)
        case (7, _?): content = .other
        default: throw CBORValue.DecodingFault()
        }
        extent = start..<cursor.position
    }

    private static func number(_ argument: UInt64) throws(CBORValue.DecodingFault) -> Int64 {
        guard let number = Int64(exactly: argument) else { throw CBORValue.DecodingFault() }
        return number
    }

    private static func elements(
        _ count: UInt64?, _ octets: Span<UInt8>, _ cursor: inout OctetCursor, depth: Int
    ) throws(CBORValue.DecodingFault) -> [CBORNode] {
        var elements: [CBORNode] = []
        while try !isComplete(elements.count, of: count, octets, &cursor) {
            elements.append(try CBORNode(octets, &cursor, depth: depth))
        }
        return elements
    }

    private static func members(
        _ count: UInt64?, _ octets: Span<UInt8>, _ cursor: inout OctetCursor, depth: Int
    ) throws(CBORValue.DecodingFault) -> [CBORValue: CBORNode] {
        var members: [CBORValue: CBORNode] = [:]
        while try !isComplete(members.count, of: count, octets, &cursor) {
            let key: CBORValue =
                switch try CBORNode(octets, &cursor, depth: depth).content {
                case .integer(let number): .integer(number)
                case .octets(let string): .octets(string)
                case .text(let text): .text(text)
                default: throw CBORValue.DecodingFault()
                }
            guard members.updateValue(try CBORNode(octets, &cursor, depth: depth), forKey: key) == nil else {
                throw CBORValue.DecodingFault()
            }
        }
        return members
    }

    /// True if `read` elements are all that the head announced, or at the break of an indefinite length (RFC 8949,
    /// 3.2.2), which is consumed.
    private static func isComplete(
        _ read: Int, of count: UInt64?, _ octets: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(CBORValue.DecodingFault) -> Bool {
        if let count { return UInt64(read) == count }
        var next = cursor
        guard (try? next.u8(octets)) == 0xFF else { return false }
        cursor = next
        return true
    }
}

extension CBORNode {
    /// The integer; nil for another kind.
    public var integer: Int64? { if case .integer(let number) = content { number } else { nil } }
    /// The byte string; nil for another kind.
    public var octets: [UInt8]? { if case .octets(let string) = content { string } else { nil } }
    /// The text; nil for another kind.
    public var text: String? { if case .text(let text) = content { text } else { nil } }
    /// The elements of the array; nil for another kind.
    public var array: [CBORNode]? { if case .array(let elements) = content { elements } else { nil } }
    /// The members of the map; nil for another kind.
    public var map: [CBORValue: CBORNode]? { if case .map(let members) = content { members } else { nil } }
    /// True or false; nil for another kind.
    public var boolean: Bool? { if case .boolean(let flag) = content { flag } else { nil } }

    /// The item with this tag; nil for another tag or kind.
    public func tagged(_ tag: UInt64) -> CBORNode? {
        if case .tagged(tag, let item) = content { item } else { nil }
    }

    /// The member of the map with this key.
    public subscript(key: String) -> CBORNode? { map?[.text(key)] }
    /// The member of the map with this key.
    public subscript(key: Int64) -> CBORNode? { map?[.integer(key)] }
}
