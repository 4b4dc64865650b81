public import Peripheral

/// A characteristic of the service as it is declared.
public struct NordicDeclaration: Equatable, Sendable {
    /// Which one.
    public let characteristic: NordicCharacteristic
    /// Its type: the service's, with another last digit in its first part.
    public let type: BluetoothUUID
    /// What clients may do with it.
    public let properties: CharacteristicProperties
    /// What a link has to be for its value.
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

/// The service's characteristics in a table, each by what it is called there: by the handle of its value, or as a program
/// of devices calls it.
public struct NordicTable<Name: Equatable & Sendable>: Equatable, Sendable {
    /// The version.
    public let information: Name
    /// The Operation Control Point.
    public let controlPoint: Name
    /// Networks and states.
    public let dataOut: Name

    /// Adds the characteristics in their order to the service that is open. Everybody may read the version; all else wants a
    /// link that is protected, the reading of both configurations too.
    ///
    /// - Parameters:
    ///   - security: what a link has to be.
    ///   - add: adds one, and gives its name.
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

    /// The characteristic of this name; nil for other services' ones.
    public func characteristic(_ name: Name) -> NordicCharacteristic? {
        NordicCharacteristic.allCases.first { self[$0] == name }
    }
}
