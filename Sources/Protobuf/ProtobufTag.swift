// SPDX-License-Identifier: Apache-2.0

/// The tag of a field: number and wire type.
public struct ProtobufTag: Equatable, Sendable {
    /// The encoding of a value. The codes 3 and 4 (groups) are omitted: they are refused.
    public enum WireType: UInt8, Sendable {
        /// A varint of one to ten octets.
        case varint = 0
        /// Eight octets.
        case fixed64 = 1
        /// A length, and that many octets.
        case lengthDelimited = 2
        /// Four octets.
        case fixed32 = 5
    }

    /// The maximum field number, 2²⁹ − 1.
    public static let maxField: UInt32 = 0x1FFF_FFFF

    /// The field number, 1 to `maxField`.
    public let field: UInt32
    /// The encoding of the value.
    public let wireType: WireType

    /// The tag of a field with this wire type.
    @inlinable
    public init(field: UInt32, wireType: WireType) {
        self.field = field
        self.wireType = wireType
    }

    /// The encoded number of the tag.
    var code: UInt64 { UInt64(field) << 3 | UInt64(wireType.rawValue) }
}
