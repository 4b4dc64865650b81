// SPDX-License-Identifier: Apache-2.0

/// A writer that appends a message's fields to octets, or only counts them.
///
/// A message implements `write(to:)` only; its length is determined by the same code. Appending allocates only if the
/// array's capacity is exceeded.
public struct ProtobufWriter: Sendable {
    @usableFromInline
    var octets: [UInt8]
    @usableFromInline
    let counts: Bool

    /// The number of octets written.
    public private(set) var count = 0

    /// A writer that only counts.
    @usableFromInline
    init() {
        octets = []
        counts = true
    }

    /// A writer that appends to `octets`.
    @usableFromInline
    init(_ octets: consuming [UInt8]) {
        self.octets = octets
        counts = false
    }

    /// The number of octets that `body` writes.
    @inlinable
    public static func count(_ body: (inout ProtobufWriter) -> Void) -> Int {
        var writer = ProtobufWriter()
        body(&writer)
        return writer.count
    }

    /// Appends the octets that `body` writes.
    @inlinable
    public static func append(to octets: inout [UInt8], _ body: (inout ProtobufWriter) -> Void) {
        // The array moves into the writer and back, so that it has one owner and is not copied.
        var writer = ProtobufWriter([])
        swap(&writer.octets, &octets)
        body(&writer)
        swap(&writer.octets, &octets)
    }

    /// Writes one octet.
    public mutating func put(octet: UInt8) {
        count += 1
        if !counts { octets.append(octet) }
    }

    /// Writes octets.
    public mutating func put(octets span: Span<UInt8>) {
        count += span.count
        if !counts { span.withUnsafeBufferPointer { octets.append(contentsOf: $0) } }
    }

    /// Writes a varint in the minimal number of octets, least significant group first.
    public mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            put(octet: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(octet: UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a tag.
    public mutating func put(_ tag: ProtobufTag) {
        put(varint: tag.code)
    }

    /// Writes a number, a truth value or an enumeration.
    @inlinable
    public mutating func put(_ value: some ProtobufNumber, field: UInt32) { put(varint: value.varint, field: field) }

    /// Writes a varint field.
    public mutating func put(varint value: UInt64, field: UInt32) {
        put(ProtobufTag(field: field, wireType: .varint))
        put(varint: value)
    }

    /// Writes a `bytes` or `string` field.
    public mutating func put(_ value: Span<UInt8>, field: UInt32) {
        put(ProtobufTag(field: field, wireType: .lengthDelimited))
        put(varint: UInt64(value.count))
        put(octets: value)
    }

    /// Writes a `bytes` or `string` field with a maximum length.
    @inlinable
    public mutating func put<let capacity: Int>(_ value: borrowing BoundedBytes<capacity>, field: UInt32) {
        put(value.storage.span.extracting(first: value.count), field: field)
    }

    /// Writes a `bytes` field of fixed length.
    @inlinable
    public mutating func put<let count: Int>(_ value: borrowing FixedBytes<count>, field: UInt32) {
        put(value.octets.span, field: field)
    }

    /// Writes a message field.
    @inlinable
    public mutating func put(_ value: some ProtobufMessage, field: UInt32) {
        put(ProtobufTag(field: field, wireType: .lengthDelimited))
        put(varint: UInt64(value.encodedCount))
        value.write(to: &self)
    }
}
