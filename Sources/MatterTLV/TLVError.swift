// SPDX-License-Identifier: Apache-2.0

/// A fault in TLV octets, or a difference between an element and the type requested of it.
public enum TLVError: Error, Equatable, Sendable {
    /// The octets end within the element at `offset`.
    case truncated(offset: Int)
    /// `count` octets follow the element.
    case trailing(count: Int)
    /// A reserved element type in the control octet at `offset`.
    case unknownType(offset: Int)
    /// More than `TLVElement.deepestNesting` containers within each other.
    case tooDeep(offset: Int)
    /// An end of container at `offset` where no container is open.
    case unexpectedEnd(offset: Int)
    /// A text at `offset` that is not UTF-8.
    case invalidText(offset: Int)
    /// A member at `offset` of an array with a tag, or of a structure without one.
    case misplacedTag(offset: Int)
    /// Two members of a structure with the same context tag.
    case duplicate(UInt8)
    /// The element has another type than requested.
    case wrongType(TLVTag)
    /// The number or length exceeds the requested type or limit.
    case outOfRange(TLVTag)
    /// A structure lacks a required member.
    case missing(UInt8)
}
