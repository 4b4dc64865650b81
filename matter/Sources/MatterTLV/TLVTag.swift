// SPDX-License-Identifier: Apache-2.0

/// The tag of a TLV element: its position in the container that holds it.
///
/// Messages and certificates use anonymous tags and context tags alone; the other forms are read, so that an element
/// with one can be skipped. An integer literal is a context tag.
public enum TLVTag: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// No tag: the outermost element, and the elements of an array.
    case anonymous
    /// A field of a structure or list, 0 to 255.
    case context(UInt8)
    /// A tag of the common profile, in 2 or 4 octets.
    case common(UInt32)
    /// A tag of the profile that the context implies, in 2 or 4 octets.
    case implicit(UInt32)
    /// A fully qualified tag, in 6 or 8 octets.
    case qualified(vendor: UInt16, profile: UInt16, number: UInt32)

    /// The context tag `value`.
    public init(integerLiteral value: UInt8) { self = .context(value) }

    /// The tag form: bits 5 to 7 of the control octet.
    var form: UInt8 {
        switch self {
        case .anonymous: 0
        case .context: 1
        case .common(let number): number <= 0xFFFF ? 2 : 3
        case .implicit(let number): number <= 0xFFFF ? 4 : 5
        case .qualified(_, _, let number): number <= 0xFFFF ? 6 : 7
        }
    }
}

extension TLVTag: CustomStringConvertible {
    /// The tag with its form.
    public var description: String {
        switch self {
        case .anonymous: "an element without a tag"
        case .context(let number): "tag \(number)"
        case .common(let number): "common tag \(number)"
        case .implicit(let number): "implicit tag \(number)"
        case .qualified(let vendor, let profile, let number): "tag \(number) of profile \(profile), vendor \(vendor)"
        }
    }
}
