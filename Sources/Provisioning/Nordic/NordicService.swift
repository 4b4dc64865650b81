public import Peripheral

/// The service's attributes in a device's table, and what the device's server has to be like.
public struct NordicService: Equatable, Sendable {
    /// The handles of its values.
    private let handles: NordicTable<AttributeHandle>

    /// The value of Information.
    public var information: AttributeHandle { handles.information }
    /// The value of the Operation Control Point.
    public var controlPoint: AttributeHandle { handles.controlPoint }
    /// The value of Data Out.
    public var dataOut: AttributeHandle { handles.dataOut }

    /// The longest value of the firmware: its ATT_MTU is 147.
    public static let exactMTU = 147

    /// Adds the service.
    ///
    /// - Parameter security: what a link has to be: encrypted, as for the firmware, if nothing else is said. More wants a
    ///   device that can show or take in a passkey.
    public init(addingTo builder: inout DatabaseBuilder, security: SecurityRequirement = .encrypted) {
        builder.addService(NordicProvisioning.service)
        handles = NordicTable(security: security) { declaration in
            // What can be neither read nor written has no value of its own.
            let isDelivered = declaration.properties.isDisjoint(with: [.read, .write])
            return builder.addCharacteristic(
                declaration.type, properties: declaration.properties, security: declaration.security,
                configuration: declaration.configuration, value: isDelivered ? .delivered : .handled)
        }
    }

    /// A device that has nothing but this service, and what comes with every device.
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

    /// 30 to 50 ms, and 750 ms until a link counts as lost, so that it lives through a scan on the same antenna.
    public static let preferredParameters = PreferredConnectionParameters(
        minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 75)

    /// The server of a profile. The firmware's takes no long writes; `gateway` does.
    public static func server(_ profile: NordicProfile) -> GATTServer.Configuration {
        var server = GATTServer.Configuration()
        guard profile == .exact else { return server }
        server.maximumMTU = exactMTU
        server.preparedWriting = .refused(.requestNotSupported)
        return server
    }

    /// Just Works, by Secure Connections where the phone has them; nothing is kept.
    public static var security: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        policy.keepsBonds = false
        policy.minimumKeySize = 7
        return policy
    }

    /// Which characteristic a value belongs to; nil for other services' ones.
    public func characteristic(_ handle: AttributeHandle) -> NordicCharacteristic? { handles.characteristic(handle) }

    /// The handle of a characteristic's value.
    public func handle(_ characteristic: NordicCharacteristic) -> AttributeHandle { handles[characteristic] }
}
