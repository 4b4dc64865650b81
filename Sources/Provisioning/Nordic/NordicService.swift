public import Peripheral

/// The service's attributes in a device's table, and what the device's server has to be like.
public struct NordicService: Equatable, Sendable {
    /// The value of Information.
    public let information: AttributeHandle
    /// The value of the Operation Control Point.
    public let controlPoint: AttributeHandle
    /// The value of Data Out.
    public let dataOut: AttributeHandle

    /// The longest value of the firmware: its ATT_MTU is 147.
    public static let exactMTU = 147

    /// Adds the service. Everybody may read the version; all else wants a link that is protected, the reading of both
    /// configurations too.
    ///
    /// - Parameter security: what a link has to be: encrypted, as for the firmware, if nothing else is said. More wants a
    ///   device that can show or take in a passkey.
    public init(addingTo builder: inout DatabaseBuilder, security: SecurityRequirement = .encrypted) {
        let configuration: AttributePermissions = [security.reading, security.writing]
        builder.addService(NordicProvisioning.service)
        information = builder.addCharacteristic(NordicService.type(1), properties: .read, value: .handled)
        controlPoint = builder.addCharacteristic(
            NordicService.type(2), properties: [.write, .indicate], security: security, configuration: configuration,
            value: .handled)
        dataOut = builder.addCharacteristic(
            NordicService.type(3), properties: .notify, permissions: [], configuration: configuration,
            value: .delivered)
    }

    /// The type of a characteristic: the service's, with another last digit in its first part.
    private static func type(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: NordicProvisioning.service.high + (number << 32), low: NordicProvisioning.service.low)
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
    public func characteristic(_ handle: AttributeHandle) -> NordicCharacteristic? {
        switch handle {
        case information: .information
        case controlPoint: .controlPoint
        case dataOut: .dataOut
        default: nil
        }
    }

    /// The handle of a characteristic's value.
    public func handle(_ characteristic: NordicCharacteristic) -> AttributeHandle {
        switch characteristic {
        case .information: information
        case .controlPoint: controlPoint
        case .dataOut: dataOut
        }
    }
}
