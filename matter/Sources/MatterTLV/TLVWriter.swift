// SPDX-License-Identifier: Apache-2.0

import Octets

/// Writes TLV elements, integers and lengths in their shortest form: signatures and hashes cover the octets.
///
/// ```swift
/// let octets = TLVWriter.structure { response in
///     response.unsigned(0, as: 0)
///     response.unsigned(12, as: 255)
/// }
/// ```
public struct TLVWriter: Sendable {
    /// The octets written so far.
    public private(set) var octets: [UInt8]

    /// An empty writer.
    ///
    /// - Parameter reservedCount: the expected number of octets.
    public init(reserving reservedCount: Int = 0) {
        octets = []
        octets.reserveCapacity(reservedCount)
    }

    /// The octets of a structure without a tag, with the members that `body` writes.
    ///
    /// - Parameter reservedCount: the expected number of octets.
    public static func structure(
        reserving reservedCount: Int = 0, _ body: (inout TLVWriter) -> Void
    ) -> [UInt8] {
        var writer = TLVWriter(reserving: reservedCount)
        writer.structure(as: .anonymous, body)
        return writer.octets
    }

    /// The number of octets written so far.
    public var count: Int { octets.count }

    /// Writes an unsigned integer.
    public mutating func unsigned(_ value: some UnsignedInteger, as tag: TLVTag) {
        let value = UInt64(value)
        let width = value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : value <= 0xFFFF_FFFF ? 2 : 3
        control(TLVType.unsigned.rawValue + UInt8(width), tag)
        append(low: 1 << width, of: value)
    }

    /// Writes a signed integer.
    public mutating func signed(_ value: some SignedInteger, as tag: TLVTag) {
        let value = Int64(value)
        let width =
            Int8(exactly: value) != nil ? 0 : Int16(exactly: value) != nil ? 1 : Int32(exactly: value) != nil ? 2 : 3
        control(TLVType.signed.rawValue + UInt8(width), tag)
        append(low: 1 << width, of: UInt64(bitPattern: value))
    }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool, as tag: TLVTag) {
        control((value ? TLVType.true : .false).rawValue, tag)
    }

    /// Writes a null.
    public mutating func null(as tag: TLVTag) { control(TLVType.null.rawValue, tag) }

    /// Writes a UTF-8 string.
    public mutating func text(_ value: String, as tag: TLVTag) {
        length(value.utf8.count, of: .text, tag)
        octets.append(contentsOf: value.utf8)
    }

    /// Writes an octet string.
    public mutating func octets(_ value: some Collection<UInt8>, as tag: TLVTag) {
        length(value.count, of: .octets, tag)
        octets.append(contentsOf: value)
    }

    /// Writes a structure with the members that `body` writes.
    public mutating func structure<Failure: Error>(
        as tag: TLVTag, _ body: (inout TLVWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try container(.structure, tag, body)
    }

    /// Writes an array with the elements that `body` writes, each with an anonymous tag.
    public mutating func array<Failure: Error>(
        as tag: TLVTag, _ body: (inout TLVWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try container(.array, tag, body)
    }

    /// Writes a list with the members that `body` writes.
    public mutating func list<Failure: Error>(
        as tag: TLVTag, _ body: (inout TLVWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try container(.list, tag, body)
    }

    /// Writes a copy of `element` with another tag.
    public mutating func element(_ element: TLVElement, as tag: TLVTag) {
        control(element.controlType, tag)
        octets.append(contentsOf: element.octetsAfterTag)
    }

    /// Opens a container without a closure, for a message that is assembled in parts. `close()` ends it.
    public mutating func open(_ type: TLVContainer, as tag: TLVTag) { control(type.type.rawValue, tag) }

    /// Ends the innermost container of `open(_:as:)`.
    public mutating func close() { octets.append(TLVType.end.rawValue) }

    /// Removes all octets after the first `count`: an element that turned out not to fit.
    public mutating func truncate(to count: Int) { octets.removeLast(max(0, octets.count - count)) }

    private mutating func container<Failure: Error>(
        _ type: TLVType, _ tag: TLVTag, _ body: (inout TLVWriter) throws(Failure) -> Void
    ) throws(Failure) {
        control(type.rawValue, tag)
        try body(&self)
        close()
    }

    private mutating func length(_ count: Int, of type: TLVType, _ tag: TLVTag) {
        let width = count <= 0xFF ? 0 : count <= 0xFFFF ? 1 : count <= 0xFFFF_FFFF ? 2 : 3
        control(type.rawValue + UInt8(width), tag)
        append(low: 1 << width, of: UInt64(count))
    }

    private mutating func control(_ type: UInt8, _ tag: TLVTag) {
        octets.append(tag.form << 5 | type)
        switch tag {
        case .anonymous: break
        case .context(let number): octets.append(number)
        case .common(let number), .implicit(let number): append(number: number)
        case .qualified(let vendor, let profile, let number):
            octets.append(littleEndian: vendor)
            octets.append(littleEndian: profile)
            append(number: number)
        }
    }

    private mutating func append(number: UInt32) {
        append(low: number <= 0xFFFF ? 2 : 4, of: UInt64(number))
    }

    private mutating func append(low count: Int, of value: UInt64) {
        for index in 0..<count { octets.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}

/// The types of a container.
public enum TLVContainer: Sendable {
    /// Members with distinct tags.
    case structure
    /// Elements without tags.
    case array
    /// Members with tags that may repeat: a path.
    case list

    var type: TLVType {
        switch self {
        case .structure: .structure
        case .array: .array
        case .list: .list
        }
    }
}
