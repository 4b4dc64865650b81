/// What stands before a field: its number, and how its value is written.
public struct ProtobufTag: Equatable, Sendable {
    /// How a value is written. The codes 3 and 4 (groups) are not here: they are refused.
    public enum WireType: UInt8, Sendable {
        /// A number of one to ten octets.
        case varint = 0
        /// Eight octets.
        case fixed64 = 1
        /// A length, and as many octets.
        case lengthDelimited = 2
        /// Four octets.
        case fixed32 = 5
    }

    /// The largest number a field may have, 2²⁹ − 1.
    public static let maxField: UInt32 = 0x1FFF_FFFF

    /// The field's number, 1 to `maxField`.
    public let field: UInt32
    /// How its value is written.
    public let wireType: WireType

    /// The tag of `field`, written as `wireType`.
    @inlinable
    public init(field: UInt32, wireType: WireType) {
        self.field = field
        self.wireType = wireType
    }

    /// The tag as the number that goes before the value.
    var code: UInt64 { UInt64(field) << 3 | UInt64(wireType.rawValue) }
}
