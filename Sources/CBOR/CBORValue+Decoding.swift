// SPDX-License-Identifier: Apache-2.0

internal import Octets

extension CBORValue {
    /// The octets are not one data item of the kinds of `CBORValue` (RFC 8949, 3), or not in the deterministic encoding
    /// although it is required.
    public struct DecodingFault: Error, Equatable, Sendable {}

    /// The data item that is all of `octets`: of definite length, without tags and floating point, nested at most
    /// `depthLimit` deep.
    public init(decoding octets: Span<UInt8>) throws(DecodingFault) {
        var cursor = OctetCursor(octets)
        self = try CBORValue.item(octets, &cursor, depth: 0)
        guard cursor.remaining == 0 else { throw DecodingFault() }
    }

    /// The data item whose deterministic encoding (RFC 8949, 4.2.1) is all of `octets`: a longer head, another order or
    /// a key twice is refused, so that a value has one encoding.
    public init(deterministic octets: Span<UInt8>) throws(DecodingFault) {
        try self.init(decoding: octets)
        var encoded: [UInt8] = []
        guard (try? encode(limit: octets.count, into: &encoded)) != nil else { throw DecodingFault() }
        guard encoded.count == octets.count, encoded.indices.allSatisfy({ encoded[$0] == octets[$0] }) else {
            throw DecodingFault()
        }
    }

    private static func item(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor, depth: Int
    ) throws(DecodingFault) -> CBORValue {
        guard depth <= depthLimit, let initial = try? cursor.u8(octets) else { throw DecodingFault() }
        let argument = try argument(initial & 0x1F, octets, &cursor)
        switch initial >> 5 {
        case 0:
            guard let number = Int64(exactly: argument) else { throw DecodingFault() }
            return .integer(number)
        case 1:
            guard let number = Int64(exactly: argument) else { throw DecodingFault() }
            return .integer(~number)
        case 2: return .octets(try string(argument, octets, &cursor))
        case 3:
            guard let text = String(validating: try string(argument, octets, &cursor), as: UTF8.self) else {
                throw DecodingFault()
            }
            return .text(text)
        case 4:
            var elements: [CBORValue] = []
            for _ in 0..<(try count(argument, cursor)) {
                elements.append(try item(octets, &cursor, depth: depth + 1))
            }
            return .array(elements)
        case 5: return .map(try members(argument, octets, &cursor, depth: depth))
        case 7: return try simple(initial & 0x1F)
        default: throw DecodingFault()
        }
    }

    private static func simple(_ value: UInt8) throws(DecodingFault) -> CBORValue {
        switch value {
        case 20: .boolean(false)
        case 21: .boolean(true)
        case 22: .null
        default: throw DecodingFault()
        }
    }

    private static func members(
        _ argument: UInt64, _ octets: Span<UInt8>, _ cursor: inout OctetCursor, depth: Int
    ) throws(DecodingFault) -> [CBORValue: CBORValue] {
        var members: [CBORValue: CBORValue] = [:]
        for _ in 0..<(try count(argument, cursor)) {
            let key = try item(octets, &cursor, depth: depth + 1)
            guard members.updateValue(try item(octets, &cursor, depth: depth + 1), forKey: key) == nil else {
                throw DecodingFault()
            }
        }
        return members
    }

    /// The argument of an initial octet (RFC 8949, 3): its value below 24, else in the following 1, 2, 4 or 8 octets.
    static func argument(
        _ information: UInt8, _ octets: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(DecodingFault) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27, let range = try? cursor.consume(1 << Int(information - 24), of: octets) else {
            throw DecodingFault()
        }
        return range.reduce(0) { $0 << 8 | UInt64(octets[$1]) }
    }

    /// A number of elements, each of which has one octet at least.
    private static func count(_ argument: UInt64, _ cursor: OctetCursor) throws(DecodingFault) -> Int {
        guard let count = Int(exactly: argument), count <= cursor.remaining else { throw DecodingFault() }
        return count
    }

    static func string(
        _ argument: UInt64, _ octets: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(DecodingFault) -> [UInt8] {
        guard let range = try? cursor.consume(try count(argument, cursor), of: octets) else { throw DecodingFault() }
        var string: [UInt8] = []
        string.append(octets.extracting(range))
        return string
    }
}
