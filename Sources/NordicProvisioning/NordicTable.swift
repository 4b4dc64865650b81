// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The declaration of a characteristic of the service.
public struct NordicDeclaration: Equatable, Sendable {
    /// The characteristic.
    public let characteristic: NordicCharacteristic
    /// Its UUID.
    public let type: BluetoothUUID
    /// Its properties.
    public let properties: CharacteristicProperties
    /// The link security that its value requires.
    public let security: SecurityRequirement
    /// Permissions of its client characteristic configuration; nil if it has none.
    public let configuration: AttributePermissions?

    fileprivate init(
        _ characteristic: NordicCharacteristic, _ type: BluetoothUUID, _ properties: CharacteristicProperties,
        _ security: SecurityRequirement = .none, configuration: AttributePermissions? = nil
    ) {
        self.characteristic = characteristic
        self.type = type
        self.properties = properties
        self.security = security
        self.configuration = configuration
    }
}

/// The UUIDs of a device. A product may have its own, which Nordic's libraries take as a setting.
public struct NordicUUIDs: Equatable, Sendable {
    /// The service.
    public var service: BluetoothUUID
    /// Information.
    public var information: BluetoothUUID
    /// The Operation Control Point.
    public var controlPoint: BluetoothUUID
    /// Data Out.
    public var dataOut: BluetoothUUID

    /// The UUIDs of a service and its characteristics, whose first 32 bits are greater by 1, 2 and 3, as in Nordic's.
    public init(service: BluetoothUUID = NordicProvisioning.service) {
        func next(_ number: UInt64) -> BluetoothUUID {
            BluetoothUUID(high: service.high &+ (number << 32), low: service.low)
        }
        self.service = service
        information = next(1)
        controlPoint = next(2)
        dataOut = next(3)
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
    ///   - uuids: the UUIDs of the characteristics.
    ///   - security: the required link security.
    ///   - add: adds a characteristic and returns its name.
    public init(
        uuids: NordicUUIDs = NordicUUIDs(), security: SecurityRequirement = .encrypted,
        adding add: (NordicDeclaration) -> Name
    ) {
        let configuration: AttributePermissions = [security.reading, security.writing]
        information = add(NordicDeclaration(.information, uuids.information, .read))
        controlPoint = add(
            NordicDeclaration(
                .controlPoint, uuids.controlPoint, [.write, .indicate], security, configuration: configuration))
        dataOut = add(NordicDeclaration(.dataOut, uuids.dataOut, .notify, configuration: configuration))
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
