// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends two octets, least significant first.
    @inlinable
    public mutating func append(littleEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends four octets, least significant first.
    @inlinable
    public mutating func append(littleEndian value: UInt32) {
        append(littleEndian: UInt16(truncatingIfNeeded: value))
        append(littleEndian: UInt16(truncatingIfNeeded: value >> 16))
    }

    /// Appends eight octets, least significant first.
    @inlinable
    public mutating func append(littleEndian value: UInt64) {
        append(littleEndian: UInt32(truncatingIfNeeded: value))
        append(littleEndian: UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Appends the three low octets, least significant first.
    @inlinable
    public mutating func append(littleEndian24 value: UInt32) {
        append(littleEndian: UInt16(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Appends two octets, most significant first.
    @inlinable
    public mutating func append(bigEndian value: UInt16) {
        append(littleEndian: value.byteSwapped)
    }

    /// Appends the octets of `span`; allocates only if the array's capacity is exceeded.
    @inlinable
    public mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
