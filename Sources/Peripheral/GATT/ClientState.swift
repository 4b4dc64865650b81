// SPDX-License-Identifier: Apache-2.0

public import Octets

/// The reason that octets are not a valid client state.
public enum ClientStateError: Error, Equatable, Sendable {
    /// The octets are too short or too long.
    case malformed(OctetError)
    /// The version is not supported.
    case unknownVersion(UInt8)
    /// A field has an invalid value.
    case invalid
}

/// The persistent state of a bonded client (Core 5.4, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2): its configurations, its
/// features, and the hash of the database it knows.
public struct ClientState: Equatable, Sendable {
    /// One client characteristic configuration that is not 0.
    public struct Configuration: Equatable, Sendable {
        /// The handle of the characteristic's value.
        public var handle: AttributeHandle
        /// The characteristic's UUID, to detect that another one has the handle now.
        public var characteristic: BluetoothUUID
        /// The configuration; not empty.
        public var value: ClientConfiguration

        /// A configuration with these fields.
        public init(handle: AttributeHandle, characteristic: BluetoothUUID, value: ClientConfiguration) {
            self.handle = handle
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// The maximum number of configurations, more than a product's database has; further ones are not stored.
    public static let maximumConfigurations = 256
    /// The version in the first octet.
    public static let version: UInt8 = 1
    /// The maximum length of a state in octets.
    public static let maximumCount = headCount + maximumConfigurations * entryCount

    private static let headCount = 5 + DatabaseHash.count
    private static let entryCount = 19
    private static let changeAware: UInt8 = 0x01

    /// The configurations in the order of handles.
    public var configurations: [Configuration]
    /// The features supported by the client.
    public var features: ClientFeatures
    /// The hash of the database at that time.
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

    /// The encoding: version, flags, features, hash, number of configurations, and for each the handle, value and UUID;
    /// least significant first.
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

    /// Decodes the complete output of `octets`. Handles must be ascending, configurations not 0.
    ///
    /// - Throws: `ClientStateError`.
    public init(_ octets: Span<UInt8>) throws(ClientStateError) {
        var cursor = OctetCursor(octets)
        let version = try ClientState.read(octets, &cursor) { (octets, cursor) throws(OctetError) in
            try cursor.u8(octets)
        }
        guard version == ClientState.version else { throw .unknownVersion(version) }
        let (head, hash, count) = try ClientState.read(octets, &cursor) { (octets, cursor) throws(OctetError) in
            let head = try (flags: cursor.u8(octets), features: cursor.u8(octets))
            return try (head, cursor.consume(DatabaseHash.count, of: octets), cursor.u16(octets))
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

/// The Client Supported Features (Core 5.4, Vol 3, Part G, 7.2, table 7.6).
public struct ClientFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of Client Supported Features.
    public var rawValue: UInt8
    /// The features with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Robust caching: a change of the database is reported to the client by an error.
    public static let robustCaching = ClientFeatures(rawValue: 0x01)
    /// Enhanced ATT bearers.
    public static let enhancedBearer = ClientFeatures(rawValue: 0x02)
    /// Multiple Handle Value Notifications.
    public static let multipleNotifications = ClientFeatures(rawValue: 0x04)

    /// The defined features; a client's other bits are ignored.
    static let known: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
}
