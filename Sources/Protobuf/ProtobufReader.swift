// SPDX-License-Identifier: Apache-2.0

/// A reader of a message's fields in octets owned by the caller.
///
/// Like `OctetCursor`, it holds offsets only; the octets are passed to each call. It allocates nothing, and no input
/// traps. It behaves as the reader of the protocol's other side does: unknown fields are skipped, a known field with
/// a wrong wire type or a number out of range is an error, and the last occurrence of a field counts.
///
/// ```swift
/// var reader = ProtobufReader(bytes, in: range)
/// while let tag = try reader.next(bytes) {
///     switch tag.field {
///     case 1: year = try UInt32(reading: &reader, bytes, tag)
///     default: try reader.skip(bytes, tag)
///     }
/// }
/// ```
public struct ProtobufReader: Sendable {
    /// The maximum length of a varint in octets: 64 bits, seven per octet.
    @usableFromInline
    static let maxVarintCount = 10

    /// The offset of the next octet to be read.
    public private(set) var position: Int
    /// The offset at which the message ends.
    public let end: Int

    /// A reader of all of `bytes`.
    public init(_ bytes: Span<UInt8>) {
        position = 0
        end = bytes.count
    }

    /// A reader of `range` of `bytes`, clamped to their bounds.
    public init(_ bytes: Span<UInt8>, in range: Range<Int>) {
        position = min(max(range.lowerBound, 0), bytes.count)
        end = max(position, min(range.upperBound, bytes.count))
    }

    /// The tag of the next field, or nil at the end of the message.
    public mutating func next(_ bytes: Span<UInt8>) throws(ProtobufError) -> ProtobufTag? {
        guard position < end else { return nil }
        let start = position
        let code = try varint(bytes)
        guard code >> 3 >= 1, code >> 3 <= ProtobufTag.maxField else { throw .invalidTag(offset: start) }
        let field = UInt32(truncatingIfNeeded: code >> 3)
        guard let wireType = ProtobufTag.WireType(rawValue: UInt8(truncatingIfNeeded: code & 7)) else {
            throw .unsupportedWireType(field: field)
        }
        return ProtobufTag(field: field, wireType: wireType)
    }

    /// Reads a varint of one to ten octets, least significant group first. Non-minimal encodings are accepted, as is
    /// common; more than ten octets, or bits beyond 64, are not.
    public mutating func varint(_ bytes: Span<UInt8>) throws(ProtobufError) -> UInt64 {
        let limit = min(end, bytes.count)
        var value: UInt64 = 0
        for index in 0..<ProtobufReader.maxVarintCount {
            let at = position + index
            guard at < limit else { throw .truncated(offset: position) }
            let octet = bytes[at]
            // The tenth octet has one significant bit.
            guard index < ProtobufReader.maxVarintCount - 1 || octet <= 1 else { break }
            value |= UInt64(octet & 0x7F) << (7 * UInt64(index))
            if octet < 0x80 {
                position = at + 1
                return value
            }
        }
        throw .malformedVarint(offset: position)
    }

    /// Reads the varint of a field.
    public mutating func uint64(_ bytes: Span<UInt8>, _ tag: ProtobufTag) throws(ProtobufError) -> UInt64 {
        try expect(.varint, tag)
        return try varint(bytes)
    }

    /// Skips the octets of a `bytes`, `string` or message field, and returns their range.
    public mutating func octets(_ bytes: Span<UInt8>, _ tag: ProtobufTag) throws(ProtobufError) -> Range<Int> {
        try expect(.lengthDelimited, tag)
        return try delimited(bytes)
    }

    /// Reads one occurrence of a repeated number, single or packed; at most `limit` values in total.
    @inlinable
    public mutating func numbers<Number: ProtobufNumber>(
        _ bytes: Span<UInt8>, _ tag: ProtobufTag, into values: inout [Number], limit: Int
    ) throws(ProtobufError) {
        func append(_ varint: UInt64) throws(ProtobufError) {
            guard values.count < limit else { throw .tooMany(field: tag.field) }
            guard let value = Number(varint: varint) else { throw .outOfRange(field: tag.field) }
            values.append(value)
        }
        guard tag.wireType == .lengthDelimited else { return try append(try uint64(bytes, tag)) }
        var packed = ProtobufReader(bytes, in: try delimited(bytes))
        while packed.position < packed.end { try append(try packed.varint(bytes)) }
    }

    /// Skips the value of an unknown field.
    public mutating func skip(_ bytes: Span<UInt8>, _ tag: ProtobufTag) throws(ProtobufError) {
        switch tag.wireType {
        case .varint: _ = try varint(bytes)
        case .fixed64: try advance(8, in: bytes)
        case .lengthDelimited: _ = try delimited(bytes)
        case .fixed32: try advance(4, in: bytes)
        }
    }

    /// Reads a length, skips that many octets, and returns their range.
    public mutating func delimited(_ bytes: Span<UInt8>) throws(ProtobufError) -> Range<Int> {
        let start = position
        let number = try varint(bytes)
        guard let count = Int(exactly: number), count <= available(bytes) else {
            position = start
            throw .truncated(offset: start)
        }
        position += count
        return position - count..<position
    }

    private func expect(_ wireType: ProtobufTag.WireType, _ tag: ProtobufTag) throws(ProtobufError) {
        guard tag.wireType == wireType else { throw .wrongWireType(field: tag.field) }
    }

    private mutating func advance(_ count: Int, in bytes: Span<UInt8>) throws(ProtobufError) {
        guard count <= available(bytes) else { throw .truncated(offset: position) }
        position += count
    }

    /// The number of available octets. `end` was clamped to the initial octets; a caller that passes fewer later must
    /// not trap either.
    private func available(_ bytes: Span<UInt8>) -> Int {
        min(end, bytes.count) - position
    }
}
