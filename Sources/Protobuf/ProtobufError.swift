// SPDX-License-Identifier: Apache-2.0

/// The reason why octets are not the expected message. It contains positions and field numbers, never contents.
public enum ProtobufError: Error, Equatable, Sendable {
    /// The octets end inside the element that starts at `offset`.
    case truncated(offset: Int)
    /// The varint at `offset` has more than ten octets, or more than 64 bits.
    case malformedVarint(offset: Int)
    /// The tag at `offset` has field number 0, or one above 2²⁹ − 1.
    case invalidTag(offset: Int)
    /// The field has an undefined wire type, or is a group, which is not supported.
    case unsupportedWireType(field: UInt32)
    /// A known field has the wrong wire type.
    case wrongWireType(field: UInt32)
    /// The value exceeds the range of the field's type.
    case outOfRange(field: UInt32)
    /// A required field is missing.
    case missingRequired(field: UInt32)
    /// The field exceeds its maximum length.
    case tooLong(field: UInt32)
    /// The field does not have its required length.
    case wrongLength(field: UInt32)
    /// The field occurs more often than its maximum.
    case tooMany(field: UInt32)
    /// `bytes` octets follow the end of the message.
    case trailing(bytes: Int)
}

extension ProtobufError: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .truncated(let offset): "it ends inside the element at octet \(offset)"
        case .malformedVarint(let offset): "the number at octet \(offset) is too long"
        case .invalidTag(let offset): "the tag at octet \(offset) is invalid"
        case .unsupportedWireType(let field): "field \(field) has an undefined wire type, or is a group"
        case .wrongWireType(let field): "field \(field) has another type"
        case .outOfRange(let field): "the value of field \(field) is out of range"
        case .missingRequired(let field): "field \(field) is missing"
        case .tooLong(let field): "field \(field) is too long"
        case .wrongLength(let field): "field \(field) has another length"
        case .tooMany(let field): "field \(field) occurs too often"
        case .trailing(let bytes): "\(bytes) octets follow the end"
        }
    }
}
