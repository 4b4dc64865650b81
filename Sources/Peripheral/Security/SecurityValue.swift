public import Crypto
import Octets

/// A number of the Security Manager with a fixed count of octets: a key, a nonce, a confirm value, a coordinate.
///
/// It is kept as the specification prints it, most significant octet first; PDUs and HCI carry the least significant
/// octet first. Many of them are secret: the description shows nothing, and comparing takes constant time.
public struct SecurityValue<let count: Int>: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The octets, most significant first.
    public var octets: InlineArray<count, UInt8>

    /// The number with these octets, most significant first.
    public init(_ octets: InlineArray<count, UInt8>) {
        self.octets = octets
    }

    /// The number that starts with the most significant octet of `span`; nil unless `span` has `count` octets.
    public init?(mostSignificantFirst span: Span<UInt8>) {
        guard span.count == count else { return nil }
        octets = InlineArray { span[$0] }
    }

    /// The number as PDUs and HCI carry it; nil unless `span` has `count` octets.
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

    /// Nought.
    public static var zero: SecurityValue { SecurityValue(InlineArray(repeating: 0)) }

    /// Whether every octet is zero; constant time.
    public var isZero: Bool { self == .zero }

    /// Appends the octets as PDUs and HCI carry them, least significant first.
    public func append(leastSignificantFirstTo buffer: inout [UInt8]) {
        for index in 0..<count { buffer.append(octets[count - 1 - index]) }
    }

    /// The number with all but its `size` least significant octets zero, as an encryption key is shortened
    /// (Core 5.4, Vol 3, Part H, 2.3.4).
    func shortened(to size: Int) -> SecurityValue {
        var result = self
        for index in 0..<max(0, min(count, count - size)) { result.octets[index] = 0 }
        return result
    }

    /// Whether both are the same; the time does not depend on where they differ.
    public static func == (left: SecurityValue, right: SecurityValue) -> Bool {
        constantTimeEqual(left.octets.span, right.octets.span)
    }

    /// How long it is, and nothing of what it says.
    public var description: String { "\(count * 8) bits" }

    /// No children, so that a dump shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// 128 bits: keys, nonces, confirm and check values.
public typealias Value128 = SecurityValue<16>

/// 256 bits: coordinates of P-256 and the key agreed on it.
public typealias Value256 = SecurityValue<32>
