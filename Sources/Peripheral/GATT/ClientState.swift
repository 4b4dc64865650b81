public import Octets

/// Why octets are not the state of a client.
public enum ClientStateError: Error, Equatable, Sendable {
    /// They end too early, or too late.
    case malformed(OctetError)
    /// They were written by another version.
    case unknownVersion(UInt8)
    /// A field has a value that `ClientState.octets` does not write.
    case invalid
}

/// What a server keeps of a bonded client from one connection to the next (Core 5.4, Vol 3, Part G, 2.5.2.1, 3.3.3.3
/// and 7.2): its configurations, what it can do, and which database it knows.
public struct ClientState: Equatable, Sendable {
    /// One client characteristic configuration that is not 0.
    public struct Configuration: Equatable, Sendable {
        /// The handle of the characteristic's value.
        public var handle: AttributeHandle
        /// The characteristic, so that one that has got the handle later is not taken for it.
        public var characteristic: BluetoothUUID
        /// What the client has asked for; not nothing.
        public var value: ClientConfiguration

        /// A configuration like this.
        public init(handle: AttributeHandle, characteristic: BluetoothUUID, value: ClientConfiguration) {
            self.handle = handle
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// More configurations than a database for one product has; what is beyond them is not kept.
    public static let maximumConfigurations = 256
    /// What the octets begin with.
    public static let version: UInt8 = 1
    /// The most octets that a state has.
    public static let maximumCount = headCount + maximumConfigurations * entryCount

    private static let headCount = 5 + DatabaseHash.count
    private static let entryCount = 19
    private static let changeAware: UInt8 = 0x01

    /// In the order of handles.
    public var configurations: [Configuration]
    /// What the client says it can do.
    public var features: ClientFeatures
    /// The database as it was when the state was taken.
    public var databaseHash: DatabaseHash
    /// True if the client knew this database.
    public var isChangeAware: Bool

    /// The state with these fields.
    public init(
        configurations: [Configuration], features: ClientFeatures, databaseHash: DatabaseHash, isChangeAware: Bool
    ) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
        self.isChangeAware = isChangeAware
    }

    /// The state as octets: version, flags, features, hash, how many configurations, and of each handle, value and
    /// UUID; least significant first.
    public var octets: [UInt8] {
        let kept = configurations.prefix(ClientState.maximumConfigurations)
        var octets: [UInt8] = []
        octets.reserveCapacity(ClientState.headCount + kept.count * ClientState.entryCount)
        octets.append(ClientState.version)
        octets.append(isChangeAware ? ClientState.changeAware : 0)
        octets.append(features.rawValue)
        octets += databaseHash.octets
        octets.append(littleEndian: UInt16(kept.count))
        for configuration in kept {
            octets.append(littleEndian: configuration.handle.rawValue)
            octets.append(UInt8(truncatingIfNeeded: configuration.value.rawValue))
            octets.append(littleEndian: configuration.characteristic.low)
            octets.append(littleEndian: configuration.characteristic.high)
        }
        return octets
    }

    /// Reads what `octets` wrote, all of it. Handles rise, and no configuration is 0.
    public init(_ octets: Span<UInt8>) throws(ClientStateError) {
        var cursor = OctetCursor(octets)
        let version = try ClientState.read(octets, &cursor) { (octets, cursor) throws(OctetError) in
            try cursor.u8(octets)
        }
        guard version == ClientState.version else { throw .unknownVersion(version) }
        let (head, hash, count) = try ClientState.read(octets, &cursor) { (octets, cursor) throws(OctetError) in
            let head = try (flags: cursor.u8(octets), features: cursor.u8(octets))
            return try (head, cursor.take(DatabaseHash.count, of: octets), cursor.u16(octets))
        }
        let features = ClientFeatures(rawValue: head.features)
        guard head.flags & ~ClientState.changeAware == 0, features.isSubset(of: .known),
            count <= ClientState.maximumConfigurations,
            let databaseHash = DatabaseHash(octets: hash.map { octets[$0] })
        else { throw .invalid }
        var configurations: [Configuration] = []
        for _ in 0..<count {
            let next = try ClientState.read(octets, &cursor) { (octets, cursor) throws(OctetError) in
                let handle = try AttributeHandle(octets, &cursor)
                let value = ClientConfiguration(rawValue: UInt16(try cursor.u8(octets)))
                let low = try cursor.u64(octets)
                let uuid = BluetoothUUID(high: try cursor.u64(octets), low: low)
                return Configuration(handle: handle, characteristic: uuid, value: value)
            }
            guard next.handle.rawValue > configurations.last?.handle.rawValue ?? 0, !next.value.isEmpty,
                next.value.isSubset(of: [.notification, .indication])
            else { throw .invalid }
            configurations.append(next)
        }
        do throws(OctetError) { try cursor.finish() } catch { throw .malformed(error) }
        self.init(
            configurations: configurations, features: features, databaseHash: databaseHash,
            isChangeAware: head.flags & ClientState.changeAware != 0)
    }

    private static func read<Value>(
        _ octets: Span<UInt8>, _ cursor: inout OctetCursor,
        _ body: (Span<UInt8>, inout OctetCursor) throws(OctetError) -> Value
    ) throws(ClientStateError) -> Value {
        do throws(OctetError) { return try body(octets, &cursor) } catch { throw .malformed(error) }
    }
}

/// What a client says it can do (Core 5.4, Vol 3, Part G, 7.2, table 7.6).
public struct ClientFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of Client Supported Features.
    public var rawValue: UInt8
    /// The features with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It caches robustly: it wants to be told, by an error, that the database has changed.
    public static let robustCaching = ClientFeatures(rawValue: 0x01)
    /// It can have enhanced ATT bearers.
    public static let enhancedBearer = ClientFeatures(rawValue: 0x02)
    /// It takes several values in one notification.
    public static let multipleNotifications = ClientFeatures(rawValue: 0x04)

    /// The features that have a meaning; a client's other bits are ignored.
    static let known: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
}
