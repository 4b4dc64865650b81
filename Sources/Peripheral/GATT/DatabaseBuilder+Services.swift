import Octets

/// What a peripheral would like of a connection (Core 5.4, Vol 3, Part C, 12.3), in the units of HCI.
public struct PreferredConnectionParameters: Equatable, Sendable {
    /// Connection interval in 1.25 ms, 6 to 3200; 0xFFFF for none.
    public var minimumInterval: UInt16
    /// Connection interval in 1.25 ms, 6 to 3200; 0xFFFF for none.
    public var maximumInterval: UInt16
    /// Connection events that the peripheral may miss, 0 to 499.
    public var latency: UInt16
    /// Supervision time-out in 10 ms, 10 to 3200; 0xFFFF for none.
    public var supervisionTimeout: UInt16

    /// These parameters.
    public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

extension DatabaseBuilder {
    /// The longest device name (Core 5.4, Vol 3, Part C, 12.1).
    public static let maximumNameCount = 248

    /// Adds the Generic Access service with Device Name, Appearance and, if given, the Peripheral Preferred Connection
    /// Parameters, all to be read by anyone and written by nobody (Core 5.4, Vol 3, Part C, 12).
    ///
    /// - Parameters:
    ///   - name: UTF-8, at most 248 octets; `build` throws for a longer one.
    ///   - appearance: a value of the Assigned Numbers; 0 is unknown.
    /// - Returns: the handle of the Device Name's value, for `GATTServer.setValue`.
    @discardableResult
    public mutating func addGAPService(
        name: String, appearance: UInt16, preferredParameters: PreferredConnectionParameters? = nil
    ) -> AttributeHandle {
        addService(.genericAccess)
        let result = addCharacteristic(
            .deviceName, properties: .read,
            value: .stored(Array(name.utf8), maximumCount: DatabaseBuilder.maximumNameCount))
        var octets: [UInt8] = []
        octets.append(littleEndian: appearance)
        addCharacteristic(.appearance, properties: .read, value: .stored(octets, maximumCount: 2))
        if let preferred = preferredParameters {
            octets.removeAll()
            octets.append(littleEndian: preferred.minimumInterval)
            octets.append(littleEndian: preferred.maximumInterval)
            octets.append(littleEndian: preferred.latency)
            octets.append(littleEndian: preferred.supervisionTimeout)
            addCharacteristic(
                .preferredConnectionParameters, properties: .read, value: .stored(octets, maximumCount: 8))
        }
        return result
    }

    /// Adds the Generic Attribute service: Service Changed, which is only indicated, and for robust caching Client
    /// Supported Features, Database Hash and Server Supported Features (Core 5.4, Vol 3, Part G, 2.5.2.1 and 7).
    ///
    /// The value of Server Supported Features is the server's: it says EATT where enhanced bearers are offered.
    ///
    /// - Parameter robustCaching: false leaves out all but Service Changed, so that the handles behind it are those of a
    ///   table without.
    /// - Returns: the handle of Service Changed's value.
    @discardableResult
    public mutating func addGATTService(robustCaching: Bool = true) -> AttributeHandle {
        addService(.genericAttribute)
        let result = addCharacteristic(.serviceChanged, properties: .indicate, permissions: [], value: .delivered)
        own.serviceChanged = attributes.lastIndex { $0.type == .serviceChanged } ?? -1
        guard robustCaching else { return result }
        addCharacteristic(.clientSupportedFeatures, properties: [.read, .write], value: .clientSupportedFeatures)
        let hash = AttributeValue.stored(DatabaseHash.zero.octets, maximumCount: DatabaseHash.count)
        addCharacteristic(.databaseHash, properties: .read, value: hash)
        own.databaseHash = attributes.lastIndex { $0.type == .databaseHash } ?? -1
        addCharacteristic(.serverSupportedFeatures, properties: .read, value: .stored([0], maximumCount: 1))
        own.serverFeatures = attributes.lastIndex { $0.type == .serverSupportedFeatures } ?? -1
        return result
    }
}
