// SPDX-License-Identifier: Apache-2.0

/// Up to `capacity` octets, stored inline: copying allocates nothing.
///
/// The description has the length only, since the content may be a key. Comparison is not constant-time.
public struct BoundedBytes<let capacity: Int>: Sendable {
    @usableFromInline
    var storage: InlineArray<capacity, UInt8>

    @usableFromInline
    var length: Int

    /// The number of octets, 0 to `capacity`.
    @inlinable
    public var count: Int { length }

    /// No octets.
    @inlinable
    public init() {
        storage = InlineArray(repeating: 0)
        length = 0
    }

    /// A copy of `octets`; nil above `capacity`.
    @inlinable
    public init?(copying octets: Span<UInt8>) {
        guard octets.count <= capacity else { return nil }
        self.init()
        length = octets.count
        var span = storage.mutableSpan
        span.withUnsafeMutableBufferPointer { target in
            octets.withUnsafeBufferPointer { _ = target.update(fromContentsOf: $0) }
        }
    }

    /// A copy of `octets`.
    ///
    /// - Throws: `ProtobufError.tooLong`, with field 0, above `capacity`.
    @inlinable
    public init(_ octets: Span<UInt8>) throws(ProtobufError) {
        guard let value = BoundedBytes(copying: octets) else { throw .tooLong(field: 0) }
        self = value
    }

    /// A copy of `octets`; throws as `init(_: Span<UInt8>)` does.
    @inlinable
    public init(_ octets: [UInt8]) throws(ProtobufError) {
        try self.init(octets.span)
    }

    /// The ASCII characters of `text`; throws as `init(_: Span<UInt8>)` does, and `outOfRange`, with field 0, for any
    /// other character.
    @inlinable
    public init(ascii text: String) throws(ProtobufError) {
        self.init()
        for octet in text.utf8 {
            guard octet < 0x80 else { throw .outOfRange(field: 0) }
            guard count < capacity else { throw .tooLong(field: 0) }
            storage[count] = octet
            length += 1
        }
    }

    /// True if there are no octets.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// Lends the octets to `body`.
    @inlinable
    public func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(first: count))
    }

    /// Appends the octets to `octets`.
    @inlinable
    public func append(to octets: inout [UInt8]) {
        withSpan { $0.withUnsafeBufferPointer { octets.append(contentsOf: $0) } }
    }

    /// The octets as text if all are ASCII, otherwise nil. Allocates above 15 octets.
    @inlinable
    public var ascii: String? {
        withSpan { span in
            for index in span.indices where span[index] >= 0x80 { return nil }
            return span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension BoundedBytes: Hashable {
    /// Compares the octets. Not constant-time.
    @inlinable
    public static func == (left: BoundedBytes, right: BoundedBytes) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left.storage[index] != right.storage[index] { return false }
        return true
    }

    /// Feeds the count and the octets into `hasher`.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withSpan { $0.bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension BoundedBytes: CustomStringConvertible {
    /// The length; the content may be secret.
    @inlinable
    public var description: String { "\(count) octets" }
}
