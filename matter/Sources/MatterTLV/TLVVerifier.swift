// SPDX-License-Identifier: Apache-2.0

/// Verification of untrusted octets: exactly one element, every length within the octets, containers closed, texts in
/// UTF-8, members of structures with tags and elements of arrays without.
enum TLVVerifier {
    static func verify(_ octets: [UInt8]) throws(TLVError) {
        var offset = 0
        // One bit per open container from the innermost on: set for an array.
        var open: [TLVType] = []
        repeat {
            guard offset < octets.count else { throw .truncated(offset: offset) }
            let control = octets[offset]
            guard let type = TLVType(control: control) else { throw .unknownType(offset: offset) }
            if type == .end {
                guard control == TLVType.end.rawValue, open.popLast() != nil else {
                    throw .unexpectedEnd(offset: offset)
                }
                offset += 1
                continue
            }
            try verifyTag(control, in: open.last, at: offset)
            offset = try verifyValue(octets, control, type, at: offset)
            if type.isContainer {
                guard open.count < TLVElement.deepestNesting else { throw .tooDeep(offset: offset) }
                open.append(type)
            }
        } while !open.isEmpty
        guard offset == octets.count else { throw .trailing(count: octets.count - offset) }
    }

    private static func verifyTag(_ control: UInt8, in container: TLVType?, at offset: Int) throws(TLVError) {
        let isAnonymous = control >> 5 == 0
        switch container {
        case .structure where isAnonymous: throw .misplacedTag(offset: offset)
        case .array where !isAnonymous: throw .misplacedTag(offset: offset)
        default: break
        }
    }

    /// Returns the offset after the value, or of the first member.
    private static func verifyValue(
        _ octets: [UInt8], _ control: UInt8, _ type: TLVType, at offset: Int
    ) throws(TLVError) -> Int {
        let afterTag = offset + 1 + TLVHead.tagLength(control)
        let valueStart = afterTag + TLVHead.lengthWidth(control)
        guard valueStart <= octets.count else { throw .truncated(offset: offset) }
        let count = TLVHead.valueCount(octets, control, lengthAt: afterTag)
        guard count <= octets.count - valueStart else { throw .truncated(offset: offset) }
        if type == .text {
            let text = octets[valueStart..<valueStart + count]
            guard String(validating: text, as: UTF8.self) != nil else { throw .invalidText(offset: offset) }
        }
        return valueStart + count
    }
}
