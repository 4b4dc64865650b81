// SPDX-License-Identifier: Apache-2.0

/// A reading position in octets owned by the caller.
///
/// The octets are passed to each call, so that the cursor holds no memory and needs no lifetime, and a field can be
/// returned uncopied as a `Range<Int>`. Short input does not trap: every read throws.
///
/// ```swift
/// var cursor = OctetCursor(bytes)
/// let handle = try cursor.u16(bytes)
/// let value = cursor.rest()
/// try cursor.finish()
/// ```
public struct OctetCursor: Sendable {
    @usableFromInline
    var offset: Int
    /// The offset at which reading ends.
    public let end: Int

    /// A cursor over all of `bytes`.
    @inlinable
    public init(_ bytes: Span<UInt8>) {
        offset = 0
        end = bytes.count
    }

    /// A cursor over `range` of `bytes`, clamped to their bounds.
    @inlinable
    public init(_ bytes: Span<UInt8>, in range: Range<Int>) {
        offset = Swift.min(Swift.max(range.lowerBound, 0), bytes.count)
        end = Swift.max(offset, Swift.min(range.upperBound, bytes.count))
    }

    /// The offset of the next octet to be read.
    @inlinable
    public var position: Int { offset }

    /// The number of remaining octets.
    @inlinable
    public var remaining: Int { end - position }

    /// Reads one octet.
    @inlinable
    public mutating func u8(_ bytes: Span<UInt8>) throws(OctetError) -> UInt8 {
        bytes[try advance(1, in: bytes)]
    }

    /// Reads one octet as a two's complement number.
    @inlinable
    public mutating func i8(_ bytes: Span<UInt8>) throws(OctetError) -> Int8 {
        Int8(bitPattern: try u8(bytes))
    }

    /// Reads two octets, least significant first.
    @inlinable
    public mutating func u16(_ bytes: Span<UInt8>) throws(OctetError) -> UInt16 {
        let at = try advance(2, in: bytes)
        return UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
    }

    /// Reads three octets, least significant first.
    @inlinable
    public mutating func u24(_ bytes: Span<UInt8>) throws(OctetError) -> UInt32 {
        let at = try advance(3, in: bytes)
        return UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16
    }

    /// Reads four octets, least significant first.
    @inlinable
    public mutating func u32(_ bytes: Span<UInt8>) throws(OctetError) -> UInt32 {
        UInt32(try u16(bytes)) | UInt32(try u16(bytes)) << 16
    }

    /// Reads eight octets, least significant first.
    @inlinable
    public mutating func u64(_ bytes: Span<UInt8>) throws(OctetError) -> UInt64 {
        UInt64(try u32(bytes)) | UInt64(try u32(bytes)) << 32
    }

    /// Reads two octets, most significant first.
    @inlinable
    public mutating func u16BigEndian(_ bytes: Span<UInt8>) throws(OctetError) -> UInt16 {
        try u16(bytes).byteSwapped
    }

    /// Skips `count` octets, and returns their range.
    @inlinable
    public mutating func consume(_ count: Int, of bytes: Span<UInt8>) throws(OctetError) -> Range<Int> {
        let at = try advance(count, in: bytes)
        return at..<at + count
    }

    /// Skips all remaining octets, and returns their range.
    @inlinable
    public mutating func rest() -> Range<Int> {
        let range = offset..<end
        offset = end
        return range
    }

    /// Requires that nothing remains.
    @inlinable
    public func finish() throws(OctetError) {
        guard position == end else { throw .trailing(offset: position, count: end - position) }
    }

    @usableFromInline
    mutating func advance(_ count: Int, in bytes: Span<UInt8>) throws(OctetError) -> Int {
        // `end` was clamped to the initial octets; a caller that passes fewer later must not trap either.
        let limit = Swift.min(end, bytes.count)
        guard count >= 0, limit - position >= count else {
            throw .truncated(offset: position, needed: count - (limit - position))
        }
        let at = position
        offset += count
        return at
    }
}
