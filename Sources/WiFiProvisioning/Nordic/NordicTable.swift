public import Peripheral

/// The declaration of a characteristic of the service.
public struct NordicDeclaration: Equatable, Sendable {
    /// The characteristic.
    public let characteristic: NordicCharacteristic
    /// Its UUID: that of the service, with another last digit in the first part.
    public let type: BluetoothUUID
    /// Its properties.
    public let properties: CharacteristicProperties
    /// The link security that its value requires.
    public let security: SecurityRequirement
    /// Permissions of its client characteristic configuration; nil if it has none.
    public let configuration: AttributePermissions?

    fileprivate init(
        _ characteristic: NordicCharacteristic, _ number: UInt64, _ properties: CharacteristicProperties,
        _ security: SecurityRequirement = .none, configuration: AttributePermissions? = nil
    ) {
        let service = NordicProvisioning.service
        self.characteristic = characteristic
        type = BluetoothUUID(high: service.high + (number << 32), low: service.low)
        self.properties = properties
        self.security = security
        self.configuration = configuration
    }
}

/// The service's characteristics in a table, each under its name there: a value handle, or an identifier of a device
/// program.
public struct NordicTable<Name: Equatable & Sendable>: Equatable, Sendable {
    /// The version.
    public let information: Name
    /// The Operation Control Point.
    public let controlPoint: Name
    /// Networks and states.
    public let dataOut: Name

    /// Adds the characteristics in order to the current service. The version is readable on any link; everything else
    /// requires security, including reads of both configurations.
    ///
    /// - Parameters:
    ///   - security: the required link security.
    ///   - add: adds a characteristic and returns its name.
    public init(security: SecurityRequirement = .encrypted, adding add: (NordicDeclaration) -> Name) {
        let configuration: AttributePermissions = [security.reading, security.writing]
        information = add(NordicDeclaration(.information, 1, .read))
        controlPoint = add(
            NordicDeclaration(.controlPoint, 2, [.write, .indicate], security, configuration: configuration))
        dataOut = add(NordicDeclaration(.dataOut, 3, .notify, configuration: configuration))
    }

    /// The name of a characteristic.
    public subscript(characteristic: NordicCharacteristic) -> Name {
        switch characteristic {
        case .information: information
        case .controlPoint: controlPoint
        case .dataOut: dataOut
        }
    }

    /// The characteristic with this name; nil for other services.
    public func characteristic(_ name: Name) -> NordicCharacteristic? {
        NordicCharacteristic.allCases.first { self[$0] == name }
    }
}
