// SPDX-License-Identifier: Apache-2.0

/// The control octet, tag and length of an element in verified octets.
struct TLVHead {
    let tag: TLVTag
    let afterTag: Int
    let value: Range<Int>

    init(_ octets: [UInt8], at offset: Int) {
        let control = octets[offset]
        tag = TLVHead.tag(octets, at: offset)
        afterTag = offset + 1 + TLVHead.tagLength(control)
        let valueStart = afterTag + TLVHead.lengthWidth(control)
        value = valueStart..<valueStart + TLVHead.valueCount(octets, control, lengthAt: afterTag)
    }

    /// The number of octets of the tag.
    static func tagLength(_ control: UInt8) -> Int { Int([0, 1, 2, 4, 2, 4, 6, 8][Int(control >> 5)] as UInt8) }

    /// The number of octets of the length: 0 unless the element is a string.
    static func lengthWidth(_ control: UInt8) -> Int {
        switch TLVType(control: control) {
        case .text, .octets: 1 << Int(control & 3)
        default: 0
        }
    }

    /// The number of octets of the value; 0 for a container. Saturates at `Int.max`.
    static func valueCount(_ octets: [UInt8], _ control: UInt8, lengthAt offset: Int) -> Int {
        switch TLVType(control: control) {
        case .signed, .unsigned: 1 << Int(control & 3)
        case .float: 4
        case .double: 8
        case .text, .octets: Int(clamping: number(octets, at: offset, count: lengthWidth(control)))
        default: 0
        }
    }

    /// The offset after the end of the container whose members begin at `offset`.
    static func endOfContainer(_ octets: [UInt8], from offset: Int) -> Int {
        var offset = offset
        var open = 1
        while open > 0 {
            let control = octets[offset]
            let afterTag = offset + 1 + tagLength(control)
            offset = afterTag + lengthWidth(control) + valueCount(octets, control, lengthAt: afterTag)
            switch TLVType(control: control) {
            case .end: open -= 1
            case .structure, .array, .list: open += 1
            default: break
            }
        }
        return offset
    }

    private static func tag(_ octets: [UInt8], at offset: Int) -> TLVTag {
        let at = offset + 1
        return switch octets[offset] >> 5 {
        case 0: .anonymous
        case 1: .context(octets[at])
        case 2: .common(UInt32(number(octets, at: at, count: 2)))
        case 3: .common(UInt32(number(octets, at: at, count: 4)))
        case 4: .implicit(UInt32(number(octets, at: at, count: 2)))
        case 5: .implicit(UInt32(number(octets, at: at, count: 4)))
        case let form:
            .qualified(
                vendor: UInt16(number(octets, at: at, count: 2)), profile: UInt16(number(octets, at: at + 2, count: 2)),
                number: UInt32(number(octets, at: at + 4, count: form == 6 ? 2 : 4)))
        }
    }

    private static func number(_ octets: [UInt8], at offset: Int, count: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in (offset..<offset + count).reversed() { number = number << 8 | UInt64(octets[index]) }
        return number
    }
}
