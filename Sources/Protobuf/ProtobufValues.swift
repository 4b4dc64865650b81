// SPDX-License-Identifier: Apache-2.0

// The types of fields, and how each is read.

/// A value that is a varint on the wire: a number, a truth value or an enumeration.
public protocol ProtobufNumber: ProtobufValue {
    /// The value of a varint; nil if it is out of range.
    init?(varint: UInt64)

    /// The varint of the value.
    var varint: UInt64 { get }
}

extension ProtobufNumber {
    /// Reads a varint; one out of range is an error.
    @inlinable
    public init(
        reading reader: inout ProtobufReader, _ bytes: Span<UInt8>, _ tag: ProtobufTag
    ) throws(ProtobufError) {
        guard let value = Self(varint: try reader.uint64(bytes, tag)) else { throw .outOfRange(field: tag.field) }
        self = value
    }
}

extension UInt32: ProtobufNumber {
    /// Nil for a larger number.
    @inlinable
    public init?(varint: UInt64) { self.init(exactly: varint) }

    /// The number.
    @inlinable
    public var varint: UInt64 { UInt64(self) }
}

extension UInt64: ProtobufNumber {
    /// The number.
    @inlinable
    public init(varint: UInt64) { self = varint }

    /// The number.
    @inlinable
    public var varint: UInt64 { self }
}

extension Int32: ProtobufNumber {
    /// The low 32 bits, because a negative number may be encoded with 32 or 64 bits.
    @inlinable
    public init(varint: UInt64) { self.init(truncatingIfNeeded: varint) }

    /// The number with 64 bits: a negative one has ten octets.
    @inlinable
    public var varint: UInt64 { UInt64(bitPattern: Int64(self)) }
}

extension Bool: ProtobufNumber {
    /// Any number except 0 is true.
    @inlinable
    public init(varint: UInt64) { self = varint != 0 }

    /// 1 for true.
    @inlinable
    public var varint: UInt64 { self ? 1 : 0 }
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
public protocol ProtobufEnumeration: RawRepresentable<Int32>, Hashable, ProtobufNumber {
    /// The value with this number.
    init(rawValue: Int32)
}

extension ProtobufEnumeration {
    /// The value of the low 32 bits.
    @inlinable
    public init?(varint: UInt64) { self.init(rawValue: Int32(varint: varint)) }

    /// The number with 64 bits: a negative one has ten octets.
    @inlinable
    public var varint: UInt64 { rawValue.varint }
}

/// An open enumeration whose numbers are `uint32` on the wire: a larger one is an error.
public protocol ProtobufUnsignedEnumeration: ProtobufEnumeration {}

extension ProtobufUnsignedEnumeration {
    /// Nil for a number of more than 32 bits.
    @inlinable
    public init?(varint: UInt64) {
        guard let number = UInt32(varint: varint) else { return nil }
        self.init(rawValue: Int32(bitPattern: number))
    }

    /// The number with 32 bits.
    @inlinable
    public var varint: UInt64 { UInt64(UInt32(bitPattern: rawValue)) }
}
