// SPDX-License-Identifier: Apache-2.0

import Octets

extension DatabaseBuilder {
    /// The maximum length of a device name in octets (Core 5.4, Vol 3, Part C, 12.1).
    public static let maximumNameCount = 248

    /// Adds the Generic Access service with Device Name, Appearance and, if given, the Peripheral Preferred Connection
    /// Parameters, all read-only on any link (Core 5.4, Vol 3, Part C, 12).
    ///
    /// - Parameters:
    ///   - name: UTF-8, at most 248 octets; `build` throws for a longer one.
    ///   - appearance: a value of the Assigned Numbers; 0 is unknown.
    /// - Returns: the handle of the Device Name's value, for `GATTServer.setValue`.
    @discardableResult
    public mutating func addGAPService(
        name: String, appearance: UInt16, preferredParameters: ConnectionParameters? = nil
    ) -> AttributeHandle {
        addService(.genericAccess)
        let result = addCharacteristic(
            .deviceName, properties: .read,
            value: .static(Array(name.utf8), maximumCount: DatabaseBuilder.maximumNameCount))
        var octets: [UInt8] = []
        octets.append(littleEndian: appearance)
        addCharacteristic(.appearance, properties: .read, value: .static(octets, maximumCount: 2))
        if let preferred = preferredParameters {
            octets.removeAll()
            preferred.append(to: &octets)
            addCharacteristic(
                .preferredConnectionParameters, properties: .read, value: .static(octets, maximumCount: 8))
        }
        return result
    }

    /// Adds the Generic Attribute service: Service Changed, which is only indicated, and for robust caching Client
    /// Supported Features, Database Hash and Server Supported Features (Core 5.4, Vol 3, Part G, 2.5.2.1 and 7).
    ///
    /// The server sets the value of Server Supported Features: EATT if enhanced bearers are configured.
    ///
    /// - Parameter robustCaching: False leaves out all but Service Changed, so that subsequent handles are as in a
    ///   table without the others.
    /// - Returns: the handle of Service Changed's value.
    @discardableResult
    public mutating func addGATTService(robustCaching: Bool = true) -> AttributeHandle {
        addService(.genericAttribute)
        let result = addCharacteristic(.serviceChanged, properties: .indicate, permissions: [], value: .writeOnly)
        own.serviceChanged = attributes.lastIndex { $0.type == .serviceChanged } ?? -1
        guard robustCaching else { return result }
        addCharacteristic(.clientSupportedFeatures, properties: [.read, .write], value: .clientSupportedFeatures)
        let hash = AttributeValue.static(DatabaseHash.zero.octets, maximumCount: DatabaseHash.count)
        addCharacteristic(.databaseHash, properties: .read, value: hash)
        own.databaseHash = attributes.lastIndex { $0.type == .databaseHash } ?? -1
        addCharacteristic(.serverSupportedFeatures, properties: .read, value: .static([0], maximumCount: 1))
        own.serverFeatures = attributes.lastIndex { $0.type == .serverSupportedFeatures } ?? -1
        return result
    }
}
