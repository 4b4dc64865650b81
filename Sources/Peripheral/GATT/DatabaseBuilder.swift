// SPDX-License-Identifier: Apache-2.0

import Octets

/// A builder of an attribute database, service by service.
///
/// Handles are assigned in order; an explicit one leaves a gap. The first fault is retained and thrown by `build`.
///
/// ```swift
/// var builder = DatabaseBuilder()
/// builder.addGAPService(name: "reader", appearance: 0)
/// builder.addService(BluetoothUUID(0xFCBA))
/// let receive = builder.addCharacteristic(rx, properties: [.write, .writeWithoutResponse], value: .writeOnly)
/// let transmit = builder.addCharacteristic(tx, properties: .notify)
/// let database = try builder.build()
/// ```
public struct DatabaseBuilder: Sendable {
    private typealias Attribute = AttributeDatabase.Attribute

    struct Service {
        var index: Int
        var explicitEnd: UInt16?
    }

    struct Include {
        var index: Int
        var service: AttributeHandle
    }

    var attributes: [AttributeDatabase.Attribute] = []
    var values: [UInt8] = []
    private var configurations: [AttributeDatabase.Configuration] = []
    var services: [Service] = []
    var includes: [Include] = []
    var own = AttributeDatabase.OwnAttributes()
    private var next = 1
    private var fault: DatabaseError?

    /// The bit of Characteristic Extended Properties that permits reliable writes.
    static let reliableWrite: UInt8 = 0x01
    /// The maximum length of the features written by a client. Three bits are defined; future bits are accepted.
    private static let maximumFeaturesCount = 16

    /// An empty builder; the first attribute has handle 1.
    public init() {}

    /// Opens a service; subsequent attributes belong to it (Core 5.4, Vol 3, Part G, 3.1).
    ///
    /// - Parameters:
    ///   - handle: the declaration's handle, if not the next one.
    ///   - end: the last handle of the service, if that is beyond its last attribute.
    /// - Returns: the declaration's handle.
    @discardableResult
    public mutating func addService(
        _ uuid: BluetoothUUID, primary: Bool = true, at handle: AttributeHandle? = nil,
        through end: AttributeHandle? = nil
    ) -> AttributeHandle {
        if let end = services.last?.explicitEnd, handle == nil { next = max(next, Int(end) + 1) }
        services.append(Service(index: attributes.count, explicitEnd: end?.rawValue))
        return append(
            primary ? .primaryService : .secondaryService, .read, constant: DatabaseBuilder.encoded(uuid), at: handle)
    }

    /// Includes another service of this database, added before or after, in the open one
    /// (Core 5.4, Vol 3, Part G, 3.2); returns the declaration's handle.
    @discardableResult
    public mutating func addInclude(of service: AttributeHandle, at handle: AttributeHandle? = nil) -> AttributeHandle {
        includes.append(Include(index: attributes.count, service: service))
        return append(.include, .read, value: .static([], maximumCount: 6), at: handle)
    }

    /// Adds a characteristic: declaration, value and, if it notifies or indicates, its client characteristic
    /// configuration (Core 5.4, Vol 3, Part G, 3.3).
    ///
    /// - Parameters:
    ///   - security: the security that the operations of the properties require of a link.
    ///   - permissions: permissions of the value; by default they are derived from properties and security.
    ///   - configuration: permissions of the client characteristic configuration; by default they are derived from the
    ///     permissions of the value.
    ///   - reliableWrites: the value may be written together with others, all or none: adds Characteristic Extended
    ///     Properties (Core 5.4, Vol 3, Part G, 3.3.3.1).
    ///   - handle: the declaration's handle, if not the next one.
    ///   - valueHandle: the value's handle, if not the one after the declaration.
    /// - Returns: the value's handle.
    @discardableResult
    public mutating func addCharacteristic(
        _ uuid: BluetoothUUID, properties: CharacteristicProperties, security: SecurityRequirement = .none,
        permissions: AttributePermissions? = nil, configuration: AttributePermissions? = nil,
        value: AttributeValue = .writeOnly, reliableWrites: Bool = false,
        at handle: AttributeHandle? = nil, valueAt valueHandle: AttributeHandle? = nil
    ) -> AttributeHandle {
        let properties = reliableWrites ? properties.union(.extended) : properties
        let permissions = permissions ?? security.permissions(for: properties)
        let number = valueHandle.map { Int($0.rawValue) } ?? (handle.map { Int($0.rawValue) } ?? next) + 1
        var declaration: [UInt8] = []
        CharacteristicDeclaration(
            properties: properties, value: AttributeHandle(rawValue: UInt16(clamping: number)), uuid: uuid
        ).append(to: &declaration)
        append(.characteristic, .read, constant: declaration, at: handle)
        let result = append(uuid, permissions, value: value, at: valueHandle)
        let supported = properties.configuration
        if !supported.isEmpty {
            let least = permissions.isEmpty ? security.writing : permissions
            append(
                .clientConfiguration, configuration ?? .configuration(of: least),
                value: .clientConfiguration(of: result, supporting: supported), at: nil)
        }
        if reliableWrites {
            append(.extendedProperties, .read, constant: [DatabaseBuilder.reliableWrite, 0x00], at: nil)
        }
        return result
    }

    /// Adds a descriptor to the last characteristic (Core 5.4, Vol 3, Part G, 3.3.3); returns its handle.
    @discardableResult
    public mutating func addDescriptor(
        _ uuid: BluetoothUUID, permissions: AttributePermissions, value: AttributeValue,
        at handle: AttributeHandle? = nil
    ) -> AttributeHandle {
        append(uuid, permissions, value: value, at: handle)
    }

    /// Adds an attribute to the open service unchanged, for tables that are given attribute by attribute.
    @discardableResult
    public mutating func addAttribute(
        _ type: BluetoothUUID, permissions: AttributePermissions, value: AttributeValue,
        at handle: AttributeHandle? = nil
    ) -> AttributeHandle {
        append(type, permissions, value: value, at: handle)
    }

    /// Builds the database.
    ///
    /// - Throws: The first fault of the description.
    public func build() throws(DatabaseError) -> AttributeDatabase {
        if let fault { throw fault }
        var result = self
        try result.closeServices()
        result.closeCharacteristics()
        try result.resolveIncludes()
        result.markReliableValues()
        return try result.database(configurations: configurations)
    }

    private static func encoded(_ uuid: BluetoothUUID) -> [UInt8] {
        var octets: [UInt8] = []
        uuid.append(to: &octets)
        return octets
    }

    @discardableResult
    private mutating func append(
        _ type: BluetoothUUID, _ permissions: AttributePermissions, constant: [UInt8], at handle: AttributeHandle?
    ) -> AttributeHandle {
        append(type, permissions, value: .static(constant, maximumCount: constant.count), at: handle)
    }

    @discardableResult
    private mutating func append(
        _ type: BluetoothUUID, _ permissions: AttributePermissions, value: AttributeValue, at explicit: AttributeHandle?
    ) -> AttributeHandle {
        let number = explicit.map { Int($0.rawValue) } ?? next
        guard number >= next, let short = UInt16(exactly: number) else {
            fault = fault ?? .handleUnavailable(number)
            return AttributeHandle(rawValue: 0)
        }
        next = number + 1
        let handle = AttributeHandle(rawValue: short)
        if services.isEmpty { fault = fault ?? .outsideService(handle) }
        var attribute = Attribute(
            handle: short, groupEnd: short, permissions: permissions, kind: .writeOnly, configuration: -1,
            offset: values.count, count: 0, maximumCount: AttributeDatabase.maximumValueCount, type: type)
        switch value {
        case .static(let octets, let maximum, let reportsWrites):
            attribute.kind = .static
            attribute.reportsWrites = reportsWrites
            attribute.count = octets.count
            attribute.maximumCount = max(0, min(maximum, AttributeDatabase.maximumValueCount))
            guard octets.count <= attribute.maximumCount else {
                fault = fault ?? .valueTooLong(handle)
                return handle
            }
            values += octets
            values += repeatElement(0, count: attribute.maximumCount - octets.count)
        case .writeOnly:
            break
        case .dynamic:
            attribute.kind = .dynamic
        case .clientSupportedFeatures:
            attribute.kind = .clientFeatures
            attribute.maximumCount = DatabaseBuilder.maximumFeaturesCount
            if own.clientFeatures >= 0 { fault = fault ?? .invalidConfiguration(handle) }
            own.clientFeatures = attributes.count
        case .clientConfiguration(let target, let supported):
            attribute.kind = .configuration
            attribute.maximumCount = 2
            attribute.configuration = configure(target, supported)
        }
        attributes.append(attribute)
        return handle
    }

    private mutating func configure(_ target: AttributeHandle, _ supported: ClientConfiguration) -> Int {
        guard let value = attributes.lastIndex(where: { $0.handle == target.rawValue }),
            attributes[value].configuration < 0
        else {
            fault = fault ?? .invalidConfiguration(target)
            return -1
        }
        attributes[value].configuration = configurations.count
        configurations.append(
            AttributeDatabase.Configuration(
                valueHandle: target.rawValue, supported: supported, descriptor: attributes.count))
        return configurations.count - 1
    }
}
