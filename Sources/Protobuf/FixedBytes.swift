// SPDX-License-Identifier: Apache-2.0

/// Exactly `count` octets, stored inline.
///
/// The description has the length only. Comparison is not constant-time.
public struct FixedBytes<let count: Int>: Sendable {
    /// The octets.
    public var octets: InlineArray<count, UInt8>

    /// These octets.
    @inlinable
    public init(_ octets: InlineArray<count, UInt8>) {
        self.octets = octets
    }

    /// A copy of `octets`; nil unless there are exactly `count`.
    @inlinable
    public init?(copying octets: Span<UInt8>) {
        guard octets.count == count else { return nil }
        self.octets = InlineArray { octets[$0] }
    }
}

extension FixedBytes: Hashable {
    /// Compares the octets. Not constant-time.
    @inlinable
    public static func == (left: FixedBytes, right: FixedBytes) -> Bool {
        for index in left.octets.indices where left.octets[index] != right.octets[index] { return false }
        return true
    }

    /// Feeds the octets into `hasher`.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        octets.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension FixedBytes: CustomStringConvertible {
    /// The length; the content may be secret.
    @inlinable
    public var description: String { "\(count) octets" }
}
