// SPDX-License-Identifier: Apache-2.0

import Octets

/// The storage of an attribute's value, and the effect of a write.
public enum AttributeValue: Equatable, Sendable {
    /// Stored in the server: written values can be read. At most `maximumCount` octets, limited to 512. With
    /// `reportsWrites`, each write is also an event.
    case `static`(
        [UInt8], maximumCount: Int = AttributeDatabase.maximumValueCount, reportsWrites: Bool = false)
    /// Handled by the device: each write, at most 512 octets, is an event; a read returns an empty value.
    case writeOnly
    /// Handled by the device, which answers each read and write request, at once or later. Write commands are events.
    case dynamic
    /// The client characteristic configuration, one per link, of the characteristic with this value handle.
    case clientConfiguration(of: AttributeHandle, supporting: ClientConfiguration)
    /// The Client Supported Features, one per link (Core 5.4, Vol 3, Part G, 7.2). Once in a database.
    case clientSupportedFeatures
}

/// The reason that a value could not be set.
public enum AttributeValueError: Error, Equatable, Sendable {
    /// The attribute does not exist.
    case unknownHandle
    /// The attribute's value is not stored in the server.
    case notStatic
    /// The value exceeds the maximum length of the attribute.
    case tooLong(maximum: Int)
}

/// A server's attributes in the order of their handles, and its static values (Core 5.4, Vol 3, Part F, 3.2).
///
/// Built by a `DatabaseBuilder`. The values are in one array, each with room for its maximum length, so that a write
/// never moves another value and never allocates.
public struct AttributeDatabase: Sendable {
    /// The maximum length of a value in octets (Core 5.4, Vol 3, Part F, 3.2.9).
    public static let maximumValueCount = 512

    /// One attribute without its value. Trivial, so that access needs no reference counting.
    struct Attribute: Sendable {
        enum Kind: Sendable { case `static`, writeOnly, dynamic, configuration, clientFeatures }

        var handle: UInt16
        /// The last handle of the group that a declaration opens; for other attributes, their own handle.
        var groupEnd: UInt16
        var permissions: AttributePermissions
        var kind: Kind
        /// The index of the configuration of this value, or of this descriptor; -1 if none.
        var configuration: Int
        /// The offset of a static value in `values`.
        var offset: Int
        var count: Int
        var maximumCount: Int
        var type: BluetoothUUID
        /// True if writes to a static value are events.
        var reportsWrites = false
        /// True if the value may be written together with others (Core 5.4, Vol 3, Part G, 3.3.3.1).
        var isReliable = false

        var valueRange: Range<Int> { offset..<offset + count }
    }

    /// A client characteristic configuration, instantiated per link.
    struct Configuration: Sendable {
        /// The handle of the characteristic's value.
        var valueHandle: UInt16
        var supported: ClientConfiguration
        /// The index of the descriptor.
        var descriptor: Int
    }

    var attributes: [Attribute]
    var values: [UInt8]
    let configurations: [Configuration]
    /// The indices of the attributes that describe the database; -1 for those that do not exist.
    var own = OwnAttributes()
    /// The hash of the database.
    public internal(set) var hash: DatabaseHash

    /// The indices of the values that the server maintains itself.
    struct OwnAttributes: Sendable {
        var serviceChanged = -1
        var clientFeatures = -1
        var databaseHash = -1
        var serverFeatures = -1
    }

    /// The number of attributes.
    public var count: Int { attributes.count }

    /// The index of the attribute; nil if it does not exist. Constant time without gaps in the handles before it,
    /// otherwise logarithmic.
    func index(of handle: UInt16) -> Int? {
        guard attributes.count > 0 else { return nil }
        let guess = Int(handle) - Int(attributes[0].handle)
        guard guess >= 0 else { return nil }
        if guess < attributes.count, attributes[guess].handle == handle { return guess }
        let index = firstIndex(from: handle)
        return index < attributes.count && attributes[index].handle == handle ? index : nil
    }

    /// The index of the first attribute whose handle is `handle` or more; `count` without such an attribute.
    func firstIndex(from handle: UInt16) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Replaces a static value. Precondition: type and length were checked.
    mutating func store(_ value: Span<UInt8>, at index: Int) {
        let offset = attributes[index].offset
        var target = values.mutableSpan
        for position in 0..<value.count { target[offset + position] = value[position] }
        attributes[index].count = value.count
    }
}
