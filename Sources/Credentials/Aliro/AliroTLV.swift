// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Elements of BER-TLV (ISO 7816-4, 5.2.2), as Aliro has them: lengths in one octet, or after 81 and 82.
struct AliroTLV {
    /// The tag's octets as a number.
    let tag: UInt32
    let value: Range<Int>
    /// Tag, length and value.
    let extent: Range<Int>

    /// A permitted element of a structure.
    struct Field {
        let tag: UInt32
        let count: ClosedRange<Int>
        let isMandatory: Bool

        init(_ tag: UInt32, _ count: ClosedRange<Int>, optional: Bool = false) {
            self.tag = tag
            self.count = count
            isMandatory = !optional
        }
    }

    /// Tags of Aliro and ISO 7816-4 have one or two octets; a third is read to skip an unknown tag.
    private static let maximumTagCount = 3

    /// All elements in `range`.
    static func elements(of octets: Span<UInt8>, in range: Range<Int>) throws(CardRefusal) -> [AliroTLV] {
        var cursor = OctetCursor(octets, in: range)
        var elements: [AliroTLV] = []
        do {
            while cursor.remaining > 0 { elements.append(try element(octets, &cursor)) }
        } catch { throw .malformed }
        return elements
    }

    /// The elements in `range` that `fields` names: each in its order unless `isOrdered` is false, once, and with its
    /// length. Unknown tags are skipped, as later versions may have more.
    static func fields(
        _ fields: [Field], of octets: Span<UInt8>, in range: Range<Int>, isOrdered: Bool = true
    ) throws(CardRefusal) -> [UInt32: AliroTLV] {
        var found: [UInt32: AliroTLV] = [:]
        var next = 0
        for element in try elements(of: octets, in: range) {
            guard let index = fields.firstIndex(where: { $0.tag == element.tag }) else { continue }
            guard fields[index].count.contains(element.value.count), index >= next || !isOrdered,
                found.updateValue(element, forKey: element.tag) == nil
            else { throw .malformed }
            next = index + 1
        }
        guard fields.allSatisfy({ !$0.isMandatory || found[$0.tag] != nil }) else { throw .malformed }
        return found
    }

    /// The value of the one element with `tag` that is all of `range`.
    static func content(of tag: UInt32, in octets: Span<UInt8>, _ range: Range<Int>) throws(CardRefusal) -> Range<Int> {
        let elements = try elements(of: octets, in: range)
        guard elements.count == 1, elements[0].tag == tag else { throw .malformed }
        return elements[0].value
    }

    private static func element(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws -> AliroTLV {
        let start = cursor.position
        var tag = UInt32(try cursor.u8(octets))
        if tag & 0x1F == 0x1F {
            var more = true
            while more {
                guard cursor.position - start < maximumTagCount else { throw CardRefusal.malformed }
                let octet = try cursor.u8(octets)
                tag = tag << 8 | UInt32(octet)
                more = octet & 0x80 != 0
            }
        }
        let first = try cursor.u8(octets)
        let count =
            switch first {
            case ..<0x80: Int(first)
            case 0x81: Int(try cursor.u8(octets))
            case 0x82: Int(try cursor.u16BigEndian(octets))
            default: throw CardRefusal.malformed
            }
        let value = try cursor.consume(count, of: octets)
        return AliroTLV(tag: tag, value: value, extent: start..<value.upperBound)
    }
}

extension [UInt8] {
    /// Appends an element of BER-TLV; `value` has less than 65,536 octets.
    mutating func append(tag: UInt8, _ value: [UInt8]) {
        append(tag)
        switch value.count {
        case ..<0x80: append(UInt8(value.count))
        case ..<0x100: self += [0x81, UInt8(value.count)]
        default: self += [0x82, UInt8(truncatingIfNeeded: value.count >> 8), UInt8(truncatingIfNeeded: value.count)]
        }
        self += value
    }

    /// A copy of `octets`.
    init(_ octets: Span<UInt8>) {
        self.init()
        append(octets)
    }

    /// A copy of an inline array.
    init<let count: Int>(inline octets: InlineArray<count, UInt8>) {
        self.init(octets.span)
    }
}
