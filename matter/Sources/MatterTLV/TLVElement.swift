// SPDX-License-Identifier: Apache-2.0

/// One TLV element within verified octets.
///
/// The octets are verified as a whole before any element is accessible, so that walking the members cannot fail.
/// Elements share the octets and copy nothing until a value is requested.
public struct TLVElement: Sendable {
    /// The limit of containers within each other. The deepest of the interaction model, an access control target in a
    /// write request, has seven.
    public static let deepestNesting = 12

    /// The tag.
    public let tag: TLVTag

    let source: [UInt8]
    /// The offset of the control octet.
    let start: Int
    /// The offset of the length or value, after the tag.
    let afterTag: Int
    /// The value; of a container, its members and the end of container.
    let value: Range<Int>

    /// Verifies `octets`, which hold exactly one element.
    ///
    /// - Throws: the first fault, with its offset.
    public init(_ octets: [UInt8]) throws(TLVError) {
        try TLVVerifier.verify(octets)
        self.init(verified: octets, at: 0)
    }

    /// The element at `offset` of verified octets.
    init(verified octets: [UInt8], at offset: Int) {
        let head = TLVHead(octets, at: offset)
        source = octets
        start = offset
        tag = head.tag
        afterTag = head.afterTag
        value = head.value
    }

    var controlType: UInt8 { source[start] & 0x1F }
    var type: TLVType { TLVType(control: source[start]) ?? .end }

    /// The offset after the element.
    var end: Int { type.isContainer ? TLVHead.endOfContainer(source, from: value.lowerBound) : value.upperBound }

    /// The octets after the tag: length and value, or members and end.
    var octetsAfterTag: ArraySlice<UInt8> { source[afterTag..<end] }

    /// The encoding of the whole element with its tag.
    public var encoding: ArraySlice<UInt8> { source[start..<end] }

    /// True for a null.
    public var isNull: Bool { type == .null }

    /// True for a structure, array or list.
    public var isContainer: Bool { type.isContainer }

    /// An unsigned integer of any width that fits `Value`.
    ///
    /// - Throws: `wrongType`, or `outOfRange` if the number does not fit.
    public func unsigned<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(TLVError) -> Value {
        guard type == .unsigned else { throw .wrongType(tag) }
        guard let value = Value(exactly: number) else { throw .outOfRange(tag) }
        return value
    }

    /// A signed integer of any width that fits `Value`.
    ///
    /// - Throws: `wrongType`, or `outOfRange` if the number does not fit.
    public func signed<Value: FixedWidthInteger & SignedInteger>(
        _: Value.Type = Value.self
    ) throws(TLVError) -> Value {
        guard type == .signed else { throw .wrongType(tag) }
        let shift = 64 - 8 * value.count
        guard let value = Value(exactly: Int64(bitPattern: number << shift) >> shift) else { throw .outOfRange(tag) }
        return value
    }

    /// A truth value.
    public func bool() throws(TLVError) -> Bool {
        switch type {
        case .true: true
        case .false: false
        default: throw .wrongType(tag)
        }
    }

    /// A UTF-8 string.
    ///
    /// - Parameter limit: the greatest number of octets.
    public func text(upTo limit: Int = .max) throws(TLVError) -> String {
        guard type == .text else { throw .wrongType(tag) }
        guard value.count <= limit else { throw .outOfRange(tag) }
        return String(decoding: source[value], as: UTF8.self)
    }

    /// An octet string.
    ///
    /// - Parameter limit: the greatest number of octets.
    public func octets(upTo limit: Int = .max) throws(TLVError) -> [UInt8] {
        guard type == .octets else { throw .wrongType(tag) }
        guard value.count <= limit else { throw .outOfRange(tag) }
        return Array(source[value])
    }

    /// An octet string of exactly `count` octets.
    public func octets(exactly count: Int) throws(TLVError) -> [UInt8] {
        let octets = try octets(upTo: count)
        guard octets.count == count else { throw .outOfRange(tag) }
        return octets
    }

    /// The members of a structure, which have distinct tags.
    public func structure() throws(TLVError) -> TLVFields {
        guard type == .structure else { throw .wrongType(tag) }
        return try TLVFields(distinct: members)
    }

    /// The elements of an array.
    public func array() throws(TLVError) -> TLVMembers {
        guard type == .array else { throw .wrongType(tag) }
        return members
    }

    /// The members of a list that is read as a path: distinct tags.
    public func list() throws(TLVError) -> TLVFields {
        guard type == .list else { throw .wrongType(tag) }
        return try TLVFields(distinct: members)
    }

    /// The members of a list in their order, which is part of a distinguished name.
    public func orderedList() throws(TLVError) -> TLVMembers {
        guard type == .list else { throw .wrongType(tag) }
        return members
    }

    private var members: TLVMembers { TLVMembers(source: source, offset: value.lowerBound) }

    private var number: UInt64 {
        var number: UInt64 = 0
        for index in value.reversed() { number = number << 8 | UInt64(source[index]) }
        return number
    }
}

/// The elements of a container in their order.
public struct TLVMembers: Sequence, IteratorProtocol, Sendable {
    let source: [UInt8]
    var offset: Int

    /// The next element; nil at the end of the container.
    public mutating func next() -> TLVElement? {
        guard source[offset] & 0x1F != TLVType.end.rawValue else { return nil }
        let element = TLVElement(verified: source, at: offset)
        offset = element.end
        return element
    }
}

/// The members of a structure or path by context tag. Members with other tags are ignored.
public struct TLVFields: Sendable {
    let members: TLVMembers

    init(distinct members: TLVMembers) throws(TLVError) {
        var seen = InlineArray<4, UInt64>(repeating: 0)
        for member in members {
            guard case .context(let number) = member.tag else { continue }
            let bit = UInt64(1) << UInt64(number & 63)
            guard seen[Int(number >> 6)] & bit == 0 else { throw .duplicate(number) }
            seen[Int(number >> 6)] |= bit
        }
        self.members = members
    }

    /// The member with context tag `number`, if it is present.
    public subscript(number: UInt8) -> TLVElement? { members.first { $0.tag == .context(number) } }

    /// The octet string with context tag `number`; nil if it is absent or empty, which the CHIP project's
    /// implementation does not distinguish and controllers rely on.
    ///
    /// - Parameter limit: the greatest number of octets.
    public func optionalOctets(_ number: UInt8, upTo limit: Int = .max) throws(TLVError) -> [UInt8]? {
        guard let octets = try self[number]?.octets(upTo: limit), !octets.isEmpty else { return nil }
        return octets
    }

    /// The member with context tag `number`.
    ///
    /// - Throws: `missing`.
    public func required(_ number: UInt8) throws(TLVError) -> TLVElement {
        guard let member = self[number] else { throw .missing(number) }
        return member
    }
}
