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

extension TLVError: CustomStringConvertible {
    /// The fault in one line.
    public var description: String {
        switch self {
        case .truncated(let offset): "the element at octet \(offset) is cut short"
        case .trailing(let count): "\(count) octets follow the element"
        case .unknownType(let offset): "the element at octet \(offset) has a reserved type"
        case .tooDeep(let offset): "the container at octet \(offset) is nested too deep"
        case .unexpectedEnd(let offset): "octet \(offset) ends a container that is not open"
        case .invalidText(let offset): "the text at octet \(offset) is not UTF-8"
        case .misplacedTag(let offset): "the tag at octet \(offset) does not suit its container"
        case .duplicate(let tag): "tag \(tag) occurs twice"
        case .wrongType(let tag): "\(tag) has another type"
        case .outOfRange(let tag): "\(tag) is out of range"
        case .missing(let tag): "tag \(tag) is missing"
        }
    }
}
