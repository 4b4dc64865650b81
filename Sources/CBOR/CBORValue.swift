// SPDX-License-Identifier: Apache-2.0

/// A CBOR data item (RFC 8949) without tags and floating point, which answers and orders do not contain.
///
/// The encoding is the deterministic one (RFC 8949, 4.2.1): shortest heads, definite lengths, and the keys of a map
/// in the bytewise order of their encodings.
public indirect enum CBORValue: Hashable, Sendable {
    /// An integer (major types 0 and 1).
    case integer(Int64)
    /// A byte string (major type 2).
    case octets([UInt8])
    /// A text string (major type 3).
    case text(String)
    /// An array (major type 4).
    case array([CBORValue])
    /// A map (major type 5).
    case map([CBORValue: CBORValue])
    /// True or false (major type 7, values 20 and 21).
    case boolean(Bool)
    /// Null (major type 7, value 22).
    case null
}

/// The reason why a value cannot be encoded.
public enum CBORError: Error, Equatable, Sendable {
    /// The encoding exceeds the limit.
    case tooLong
    /// Arrays and maps are nested more deeply than `CBORValue.depthLimit`.
    case tooDeep
}

extension CBORValue {
    /// The maximum nesting depth of arrays and maps: twice the depth of any answer.
    public static let depthLimit = 8

    /// Appends the value's deterministic encoding of at most `limit` octets.
    ///
    /// - Throws: `CBORError`; nothing is appended then.
    public func encode(limit: Int, into octets: inout [UInt8]) throws(CBORError) {
        var encoded: [UInt8] = []
        try encode(limit: limit, depth: 0, into: &encoded)
        octets += encoded
    }

    private func encode(limit: Int, depth: Int, into octets: inout [UInt8]) throws(CBORError) {
        guard depth <= CBORValue.depthLimit else { throw .tooDeep }
        switch self {
        case .integer(let number) where number >= 0: CBORValue.head(.unsigned, UInt64(number), into: &octets)
        // The argument of −1 − n is the bitwise complement of n.
        case .integer(let number): CBORValue.head(.negative, UInt64(~number), into: &octets)
        case .octets(let string):
            CBORValue.head(.octets, UInt64(string.count), into: &octets)
            octets += string
        case .text(let text):
            CBORValue.head(.text, UInt64(text.utf8.count), into: &octets)
            octets += text.utf8
        case .array(let elements):
            CBORValue.head(.array, UInt64(elements.count), into: &octets)
            for element in elements { try element.encode(limit: limit, depth: depth + 1, into: &octets) }
        case .map(let values): try CBORValue.encode(values, limit: limit, depth: depth, into: &octets)
        case .boolean(let flag): CBORValue.head(.simple, flag ? 21 : 20, into: &octets)
        case .null: CBORValue.head(.simple, 22, into: &octets)
        }
        guard octets.count <= limit else { throw .tooLong }
    }

    private static func encode(
        _ values: [CBORValue: CBORValue], limit: Int, depth: Int, into octets: inout [UInt8]
    ) throws(CBORError) {
        var entries: [(key: [UInt8], value: CBORValue)] = []
        for (key, value) in values {
            var encoded: [UInt8] = []
            try key.encode(limit: limit, depth: depth + 1, into: &encoded)
            entries.append((encoded, value))
        }
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        head(.map, UInt64(entries.count), into: &octets)
        for entry in entries {
            octets += entry.key
            try entry.value.encode(limit: limit, depth: depth + 1, into: &octets)
        }
    }

    /// RFC 8949, 3.1.
    private enum MajorType: UInt8 {
        case unsigned
        case negative
        case octets
        case text
        case array
        case map
        case simple = 7
    }

    /// Appends the initial octet and the argument in as few octets as possible (RFC 8949, 3 and 4.2.1).
    private static func head(_ type: MajorType, _ argument: UInt64, into octets: inout [UInt8]) {
        let major = type.rawValue << 5
        let count =
            switch argument {
            case ..<24: 0
            case ...0xFF: 1
            case ...0xFFFF: 2
            case ...0xFFFF_FFFF: 4
            default: 8
            }
        guard count > 0 else { return octets.append(major | UInt8(truncatingIfNeeded: argument)) }
        // Additional information 24 to 27 encodes the number of following octets.
        octets.append(major | (24 + UInt8(count.trailingZeroBitCount)))
        for place in (0..<count).reversed() {
            octets.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * place)))
        }
    }
}
