// SPDX-License-Identifier: Apache-2.0

/// BER-TLV with tags of one octet (ISO/IEC 7816-4, 5.2.2).
package enum AliroWire {
    static let expedited: [UInt8] = [0xA0, 0x00, 0x00, 0x09, 0x09, 0xAC, 0xCE, 0x55, 0x01]
    static let stepUp: [UInt8] = [0xA0, 0x00, 0x00, 0x09, 0x09, 0xAC, 0xCE, 0x55, 0x02]

    /// An element with the shortest length.
    package static func element(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        switch value.count {
        case ..<0x80: [tag, UInt8(value.count)] + value
        case ..<0x100: [tag, 0x81, UInt8(value.count)] + value
        default: [tag, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
        }
    }

    /// The elements of a command by tag; nil if one is cut off, occurs twice, or has another length than `lengths`
    /// permits. Unknown tags are skipped.
    static func fields(_ octets: [UInt8], _ lengths: [UInt8: ClosedRange<Int>]) -> [UInt8: [UInt8]]? {
        var fields: [UInt8: [UInt8]] = [:]
        var rest = octets[...]
        while let tag = rest.popFirst() {
            guard var count = rest.popFirst().map(Int.init) else { return nil }
            if count == 0x81 || count == 0x82 {
                let size = count - 0x80
                guard rest.count >= size else { return nil }
                count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
            }
            guard count < 0x8000, rest.count >= count else { return nil }
            if let range = lengths[tag] {
                guard range ~= count, fields[tag] == nil else { return nil }
                fields[tag] = Array(rest.prefix(count))
            }
            rest = rest.dropFirst(count)
        }
        return fields
    }

    /// The value of the only member "data" of a CBOR map: an octet string of up to 65,535 octets; nil for other octets.
    static func sealedData(_ octets: [UInt8]) -> [UInt8]? {
        let head: [UInt8] = [0xA1, 0x64, 0x64, 0x61, 0x74, 0x61]
        guard octets.starts(with: head), octets.count > head.count else { return nil }
        let rest = octets[head.count...]
        let (size, count): (Int, Int)
        switch rest.first ?? 0 {
        case 0x40...0x57: (size, count) = (1, Int(octets[head.count] & 0x1F))
        case 0x58 where rest.count > 1: (size, count) = (2, Int(octets[head.count + 1]))
        case 0x59 where rest.count > 2:
            (size, count) = (3, Int(octets[head.count + 1]) << 8 | Int(octets[head.count + 2]))
        default: return nil
        }
        return rest.count == size + count ? Array(rest.dropFirst(size)) : nil
    }

    /// Such a map.
    static func sealed(_ data: [UInt8]) -> [UInt8] {
        let head: [UInt8] =
            switch data.count {
            case ..<24: [0x40 | UInt8(data.count)]
            case ..<0x100: [0x58, UInt8(data.count)]
            default: [0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
            }
        return [0xA1, 0x64, 0x64, 0x61, 0x74, 0x61] + head + data
    }
}
