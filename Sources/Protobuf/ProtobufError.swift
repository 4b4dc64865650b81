/// Why octets are not the message that was expected. Names places and field numbers, never contents.
public enum ProtobufError: Error, Equatable, Sendable {
    /// The octets end inside what starts at `offset`.
    case truncated(offset: Int)
    /// The number at `offset` has more than ten octets, or more than 64 bits.
    case malformedVarint(offset: Int)
    /// The tag at `offset` has the field number 0, or one above 2²⁹ − 1.
    case invalidTag(offset: Int)
    /// The field has a wire type that does not exist, or is a group; groups are not read.
    case unsupportedWireType(field: UInt32)
    /// The field is known and comes with a wire type that is not its own.
    case wrongWireType(field: UInt32)
    /// The field's number does not fit the field's type.
    case outOfRange(field: UInt32)
    /// The field must be there and is not.
    case missingRequired(field: UInt32)
    /// The field has more octets than its limit.
    case tooLong(field: UInt32)
    /// The field has not exactly as many octets as it must have.
    case wrongLength(field: UInt32)
    /// The field is there more often than its limit.
    case tooMany(field: UInt32)
    /// `bytes` octets follow a message that was to be the last thing.
    case trailing(bytes: Int)
}
