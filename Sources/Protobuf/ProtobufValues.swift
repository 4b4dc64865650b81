// SPDX-License-Identifier: Apache-2.0

// The types of fields, and how each is read.

extension UInt32: ProtobufValue {
    /// A larger number is an error.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self = try reader.uint32(bytes, tag)
    }
}

extension UInt64: ProtobufValue {
    /// Reads a varint of 64 bits.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self = try reader.uint64(bytes, tag)
    }
}

extension Int32: ProtobufValue {
    /// Reads the low 32 bits of a varint.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self = try reader.int32(bytes, tag)
    }
}

extension Bool: ProtobufValue {
    /// Any number except 0 is true.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self = try reader.bool(bytes, tag)
    }
}

extension BoundedBytes: ProtobufValue {
    /// Copies the octets of a `bytes` or `string` field with a maximum length.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        let range = try reader.octets(bytes, tag)
        guard let value = Self(copying: bytes.extracting(range)) else { throw .tooLong(field: tag.field) }
        self = value
    }
}

extension FixedBytes: ProtobufValue {
    /// Copies the octets of a `bytes` field of fixed length.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        let range = try reader.octets(bytes, tag)
        guard let value = Self(copying: bytes.extracting(range)) else { throw .wrongLength(field: tag.field) }
        self = value
    }
}

extension ProtobufMessage {
    /// Reads a message in a field.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        try self.init(decoding: bytes, in: reader.octets(bytes, tag))
    }
}

/// An open enumeration: other numbers than those declared may come. Its numbers are `int32` on the wire.
public protocol ProtobufEnumeration: RawRepresentable<Int32>, Hashable, ProtobufValue {
    /// The value with this number.
    init(rawValue: Int32)
}

extension ProtobufEnumeration {
    /// Reads the low 32 bits of a varint.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self.init(rawValue: try reader.int32(bytes, tag))
    }
}

/// An open enumeration whose numbers are `uint32` on the wire: a larger one is an error.
public protocol ProtobufUnsignedEnumeration: ProtobufEnumeration {}

extension ProtobufUnsignedEnumeration {
    /// A number of more than 32 bits is an error.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        self.init(rawValue: Int32(bitPattern: try reader.uint32(bytes, tag)))
    }
}

extension ProtobufWriter {
    /// Writes an enumeration field; a negative number has ten octets.
    @inlinable
    public mutating func put(_ value: some ProtobufEnumeration, field: UInt32) { put(value.rawValue, field: field) }

    /// Writes an enumeration field whose numbers are unsigned.
    @inlinable
    public mutating func put(_ value: some ProtobufUnsignedEnumeration, field: UInt32) {
        put(UInt32(bitPattern: value.rawValue), field: field)
    }
}
