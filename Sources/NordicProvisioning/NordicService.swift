// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The service's attributes in a device's table, and the server configuration that it requires.
public struct NordicService: Equatable, Sendable {
    /// The value handles.
    private let handles: NordicTable<AttributeHandle>

    /// The value handle of Information.
    public var information: AttributeHandle { handles.information }
    /// The value handle of the Operation Control Point.
    public var controlPoint: AttributeHandle { handles.controlPoint }
    /// The value handle of Data Out.
    public var dataOut: AttributeHandle { handles.dataOut }

    /// The ATT_MTU of the firmware, 147.
    public static let exactMTU = 147

    /// Adds the service to a table.
    ///
    /// - Parameters:
    ///   - uuids: the UUIDs of the service and its characteristics.
    ///   - security: the required link security: encryption by default, as in the firmware. More requires a device that
    ///     can display or enter a passkey.
    public init(
        addingTo builder: inout DatabaseBuilder, uuids: NordicUUIDs = NordicUUIDs(),
        security: SecurityRequirement = .encrypted
    ) {
        builder.addService(uuids.service)
        handles = NordicTable(uuids: uuids, security: security) { declaration in
            // A characteristic that can be neither read nor written has no stored value.
            let isDelivered = declaration.properties.isDisjoint(with: [.read, .write])
            return builder.addCharacteristic(
                declaration.type, properties: declaration.properties, security: declaration.security,
                configuration: declaration.configuration, value: isDelivered ? .writeOnly : .dynamic)
        }
    }

    /// A device with this service and the mandatory ones only.
    public static func device(
        named name: String, profile: NordicProfile, advertisingSets: [UInt8]
    ) throws(DatabaseError) -> (ServedDevice, NordicService) {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: name, appearance: 0, preferredParameters: preferredParameters)
        builder.addGATTService()
        let service = NordicService(addingTo: &builder)
        let device = ServedDevice(
            database: try builder.build(), advertisingSets: advertisingSets, server: server(profile), security: security
        )
        return (device, service)
    }

    /// 30 to 50 ms, and a supervision time-out of 750 ms, so that the link survives a scan on the same antenna.
    public static let preferredParameters = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 75)

    /// The server configuration of a profile. The firmware refuses long writes; `gateway` accepts them.
    public static func server(_ profile: NordicProfile) -> GATTServer.Configuration {
        var server = GATTServer.Configuration()
        guard profile == .exact else { return server }
        server.maximumMTU = exactMTU
        server.preparedWriting = .refused(.requestNotSupported)
        return server
    }

    /// Just Works, with Secure Connections if the phone supports them, without bonding.
    public static var security: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        policy.keepsBonds = false
        policy.minimumKeySize = 7
        return policy
    }

    /// The characteristic of a value handle; nil for other services.
    public func characteristic(_ handle: AttributeHandle) -> NordicCharacteristic? { handles.characteristic(handle) }

    /// The value handle of a characteristic.
    public func handle(_ characteristic: NordicCharacteristic) -> AttributeHandle { handles[characteristic] }
}
