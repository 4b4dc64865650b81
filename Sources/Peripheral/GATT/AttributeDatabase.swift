import Octets

/// Where an attribute's value is, and what a write to it does.
public enum AttributeValue: Equatable, Sendable {
    /// In the server: what is written can be read. At most `maximumCount` octets, which is held to 512. With
    /// `reportsWrites`, each write is an event too.
    case `static`(
        [UInt8], maximumCount: Int = AttributeDatabase.maximumValueCount, reportsWrites: Bool = false)
    /// With the device: each write, of at most 512 octets, becomes an event; what is read is empty.
    case writeOnly
    /// With the device, which answers each read and each write request itself, at once or later. Write commands become
    /// events.
    case dynamic
    /// The client characteristic configuration, one for each link, of the characteristic whose value has this handle.
    case clientConfiguration(of: AttributeHandle, supporting: ClientConfiguration)
    /// What the client says it can do, one for each link (Core 5.4, Vol 3, Part G, 7.2). Once in a database.
    case clientSupportedFeatures
}

/// Why a value could not be set.
public enum AttributeValueError: Error, Equatable, Sendable {
    /// There is no such attribute.
    case unknownHandle
    /// The server does not hold this attribute's value.
    case notStatic
    /// The value is longer than the attribute takes.
    case tooLong(maximum: Int)
}

/// A server's attributes in the order of their handles, and the values that it stores (Core 5.4, Vol 3, Part F, 3.2).
///
/// Made by a `DatabaseBuilder`. The values lie in one array, each with room for its maximum, so that writing one
/// never moves another and never allocates.
public struct AttributeDatabase: Sendable {
    /// The longest value of an attribute (Core 5.4, Vol 3, Part F, 3.2.9).
    public static let maximumValueCount = 512

    /// One attribute without its value's octets. Trivial, so that reading one costs no reference count.
    struct Attribute: Sendable {
        enum Kind: Sendable { case `static`, writeOnly, dynamic, configuration, clientFeatures }

        var handle: UInt16
        /// The last handle of the group that a declaration opens; the attribute's own for all others.
        var groupEnd: UInt16
        var permissions: AttributePermissions
        var kind: Kind
        /// Which configuration belongs to this value, or is this descriptor; -1 if none.
        var configuration: Int
        /// Where a static value begins in `values`.
        var offset: Int
        var count: Int
        var maximumCount: Int
        var type: BluetoothUUID
        /// Whether writes to a static value are events.
        var reportsWrites = false
        /// Whether the value may be written together with others (Core 5.4, Vol 3, Part G, 3.3.3.1).
        var isReliable = false

        var valueRange: Range<Int> { offset..<offset + count }
    }

    /// A client characteristic configuration, of which every link has one.
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
    /// Where what a client must know about the database itself is; -1 for what there is not.
    var own = OwnAttributes()
    /// What the database is called by.
    public internal(set) var hash: DatabaseHash

    /// The indices of the values that the server speaks of by itself.
    struct OwnAttributes: Sendable {
        var serviceChanged = -1
        var clientFeatures = -1
        var databaseHash = -1
        var serverFeatures = -1
    }

    /// How many attributes there are.
    public var count: Int { attributes.count }

    /// The attribute's index; nil if there is none. Constant time where handles have no gaps before it, else
    /// logarithmic.
    func index(of handle: UInt16) -> Int? {
        guard attributes.count > 0 else { return nil }
        let guess = Int(handle) - Int(attributes[0].handle)
        guard guess >= 0 else { return nil }
        if guess < attributes.count, attributes[guess].handle == handle { return guess }
        let index = firstIndex(from: handle)
        return index < attributes.count && attributes[index].handle == handle ? index : nil
    }

    /// The index of the first attribute whose handle is `handle` or more; `count` if there is none.
    func firstIndex(from handle: UInt16) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Replaces a stored value. The caller has checked kind and length.
    mutating func store(_ value: Span<UInt8>, at index: Int) {
        let offset = attributes[index].offset
        var target = values.mutableSpan
        for position in 0..<value.count { target[offset + position] = value[position] }
        attributes[index].count = value.count
    }
}
