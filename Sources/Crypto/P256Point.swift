/// A point of P-256 as it goes over the air: 04 ‖ X ‖ Y, 65 octets (SEC 1, 2.3.3, uncompressed).
///
/// The form is checked, not that the point is on the curve: `P256PublicKey` and `P256PrivateKey` do that.
public struct P256Point: Equatable, Sendable {
    /// How many octets a point has.
    public static let count = 65

    /// The octets, 04 first.
    public let octets: InlineArray<65, UInt8>

    /// Copies `octets`; throws `invalidPoint` unless there are 65 and the first is 04.
    public init(_ octets: Span<UInt8>) throws(CryptoError) {
        guard octets.count == P256Point.count, octets[0] == 0x04 else { throw .invalidPoint }
        self.octets = InlineArray { octets[$0] }
    }

    /// Octets that this module made itself.
    init(trusted octets: InlineArray<65, UInt8>) {
        self.octets = octets
    }

    /// Whether both are the same octets.
    public static func == (left: P256Point, right: P256Point) -> Bool {
        constantTimeEqual(left.octets.span, right.octets.span)
    }
}
