// SPDX-License-Identifier: Apache-2.0

/// A value of a field: a number, an enumeration, octets or a message.
public protocol ProtobufValue: Sendable {
    /// Reads the value of the field whose tag has just been read.
    init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError)
}

/// The fields of a message in octets owned by the caller, read by their numbers.
///
/// Each field is searched for in a pass of its own; messages have few. It allocates nothing but repeated fields, and no
/// input traps. Unknown fields are skipped, a known field with a wrong wire type or a number out of range is an error,
/// and the last occurrence of a field counts.
public struct ProtobufFields: Sendable {
    @usableFromInline
    let range: Range<Int>

    /// The fields in `range` of `bytes`.
    ///
    /// - Throws: a `ProtobufError` unless tags and lengths are well-formed to the end.
    public init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ProtobufError) {
        self.range = range
        var reader = ProtobufReader(bytes, in: range)
        while let tag = try reader.next(bytes) { try reader.skip(bytes, tag) }
    }

    /// The value of an optional field; nil if it is absent.
    @inlinable
    @inline(never)  // one copy for each type, not for each field
    public func optional<Value: ProtobufValue>(_ field: UInt32, _ bytes: Span<UInt8>) throws(ProtobufError) -> Value? {
        var reader = ProtobufReader(bytes, in: range)
        var value: Value?
        while let tag = try reader.next(field, bytes) { value = try Value(reading: &reader, bytes, tag) }
        return value
    }

    /// The value of a required field.
    ///
    /// - Throws: `ProtobufError.missingRequired` if it is absent.
    @inlinable
    public func required<Value: ProtobufValue>(_ field: UInt32, _ bytes: Span<UInt8>) throws(ProtobufError) -> Value {
        guard let value: Value = try optional(field, bytes) else { throw .missingRequired(field: field) }
        return value
    }

    /// The values of a repeated field; more than `limit` are an error.
    @inlinable
    public func repeated<Value: ProtobufValue>(
        _ field: UInt32, _ bytes: Span<UInt8>, limit: Int
    ) throws(ProtobufError) -> [Value] {
        var reader = ProtobufReader(bytes, in: range)
        var values: [Value] = []
        while let tag = try reader.next(field, bytes) {
            guard values.count < limit else { throw .tooMany(field: field) }
            values.append(try Value(reading: &reader, bytes, tag))
        }
        return values
    }

    /// The values of a repeated number, single or packed; more than `limit` are an error.
    @inlinable
    public func numbers<Number: ProtobufNumber>(
        _ field: UInt32, _ bytes: Span<UInt8>, limit: Int
    ) throws(ProtobufError) -> [Number] {
        var reader = ProtobufReader(bytes, in: range)
        var values: [Number] = []
        while let tag = try reader.next(field, bytes) { try reader.numbers(bytes, tag, into: &values, limit: limit) }
        return values
    }

    /// Checks the length of a `bytes` or `string` field, whose value is not needed.
    @inlinable
    public func check(_ field: UInt32, _ bytes: Span<UInt8>, limit: Int) throws(ProtobufError) {
        var reader = ProtobufReader(bytes, in: range)
        while let tag = try reader.next(field, bytes) {
            guard try reader.octets(bytes, tag).count <= limit else { throw .tooLong(field: field) }
        }
    }
}

extension ProtobufReader {
    /// Skips other fields, and returns the tag of the next one with this number; nil at the end of the message.
    public mutating func next(_ field: UInt32, _ bytes: Span<UInt8>) throws(ProtobufError) -> ProtobufTag? {
        while let tag = try next(bytes) {
            if tag.field == field { return tag }
            try skip(bytes, tag)
        }
        return nil
    }
}
