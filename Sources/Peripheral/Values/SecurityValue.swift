// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// A number of the Security Manager with a fixed length in octets: a key, nonce, confirm value or coordinate.
///
/// It is stored most significant octet first, as in the specification; PDUs and HCI use the least significant octet
/// first. Many values are secret: the description has no contents, and comparison takes constant time.
public struct SecurityValue<let count: Int>: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The octets, most significant first.
    public var octets: InlineArray<count, UInt8>

    /// The number with these octets, most significant first.
    public init(_ octets: InlineArray<count, UInt8>) {
        self.octets = octets
    }

    /// The number with the octets of `span`, most significant first; nil unless `span` has `count` octets.
    public init?(mostSignificantFirst span: Span<UInt8>) {
        guard span.count == count else { return nil }
        octets = InlineArray { span[$0] }
    }

    /// The number with the octets of `span`, least significant first as in PDUs and HCI; nil unless `span` has `count`
    /// octets.
    public init?(leastSignificantFirst span: Span<UInt8>) {
        guard span.count == count else { return nil }
        octets = InlineArray { span[count - 1 - $0] }
    }

    /// Random octets, the first one drawn being the most significant.
    public init(from random: inout any RandomSource) {
        octets = InlineArray(repeating: 0)
        var span = octets.mutableSpan
        random.fill(&span)
    }

    /// Zero.
    public static var zero: SecurityValue { SecurityValue(InlineArray(repeating: 0)) }

    /// True if all octets are zero; constant time.
    public var isZero: Bool { self == .zero }

    /// Appends the octets least significant first, as in PDUs and HCI.
    public func append(leastSignificantFirstTo buffer: inout [UInt8]) {
        for index in 0..<count { buffer.append(octets[count - 1 - index]) }
    }

    /// The number with all but its `size` least significant octets cleared, as an encryption key is shortened (Core
    /// 5.4, Vol 3, Part H, 2.3.4).
    func shortened(to size: Int) -> SecurityValue {
        var result = self
        for index in 0..<max(0, min(count, count - size)) { result.octets[index] = 0 }
        return result
    }

    /// True if both are equal; the time does not depend on the contents.
    public static func == (left: SecurityValue, right: SecurityValue) -> Bool {
        constantTimeEqual(left.octets.span, right.octets.span)
    }

    /// The length in bits, without the contents.
    public var description: String { "\(count * 8) bits" }

    /// No children, so that a dump shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// 128 bits: keys, nonces, confirm and check values.
public typealias Value128 = SecurityValue<16>

/// 256 bits: coordinates of P-256 and the key agreed on it.
public typealias Value256 = SecurityValue<32>
