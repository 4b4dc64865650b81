import Octets

/// What is wrong with a database that was described.
public enum DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An explicit handle is 0, or not above those before it, or there are more attributes than handles.
    case handleUnavailable(Int)
    /// An attribute stands before the first service.
    case outsideService(AttributeHandle)
    /// The service is to end before its last attribute, or beyond the start of the next one.
    case invalidServiceEnd(AttributeHandle)
    /// A value is longer than its maximum, or than 512 octets.
    case valueTooLong(AttributeHandle)
    /// The service to be included does not exist.
    case unknownService(AttributeHandle)
    /// The value to be configured does not exist, or has a configuration already.
    case invalidConfiguration(AttributeHandle)

    /// One line: which attribute, and what to change.
    public var description: String {
        switch self {
        case .handleUnavailable(let number): "handle \(number) is not free: give handles in rising order, 1 to 65535"
        case .outsideService(let handle): "attribute \(handle.rawValue) is in no service: add a service before it"
        case .invalidServiceEnd(let handle):
            "service \(handle.rawValue) ends before its last attribute or after the next service: change its end"
        case .valueTooLong(let handle): "value of attribute \(handle.rawValue) is too long: 512 octets or its maximum"
        case .unknownService(let handle): "included service \(handle.rawValue) does not exist: add it"
        case .invalidConfiguration(let handle):
            "value \(handle.rawValue) does not exist or is configured twice: add it before its configuration, once"
        }
    }
}

/// Describes a server's services one after the other and makes the database of them.
///
/// Handles are given in order; an explicit one leaves a gap. The first fault is kept and thrown by `build`.
///
/// ```swift
/// var builder = DatabaseBuilder()
/// builder.addGAPService(name: "reader", appearance: 0)
/// builder.addService(BluetoothUUID(0xFCBA))
/// let receive = builder.addCharacteristic(rx, properties: [.write, .writeWithoutResponse], value: .delivered)
/// let transmit = builder.addCharacteristic(tx, properties: .notify)
/// let database = try builder.build()
/// ```
public struct DatabaseBuilder: Sendable {
    private typealias Attribute = AttributeDatabase.Attribute

    private struct Service {
        var index: Int
        var explicitEnd: UInt16?
    }

    private struct Include {
        var index: Int
        var service: AttributeHandle
    }

    private var attributes: [AttributeDatabase.Attribute] = []
    private var values: [UInt8] = []
    private var configurations: [AttributeDatabase.Configuration] = []
    private var services: [Service] = []
    private var includes: [Include] = []
    private var next = 1
    private var fault: DatabaseError?

    /// Nothing yet; the first attribute gets handle 1.
    public init() {}

    /// Opens a service; what is added next belongs to it (Core 5.4, Vol 3, Part G, 3.1).
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
        return append(.include, .read, value: .stored([], maximumCount: 6), at: handle)
    }

    /// Adds a characteristic: declaration, value, and for one that notifies or indicates its client characteristic
    /// configuration (Core 5.4, Vol 3, Part G, 3.3).
    ///
    /// - Parameters:
    ///   - permissions: of the value; if not given, what the properties promise, on any link.
    ///   - handle: the declaration's handle, if not the next one.
    ///   - valueHandle: the value's handle, if not the one after the declaration.
    /// - Returns: the value's handle.
    @discardableResult
    public mutating func addCharacteristic(
        _ uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: AttributeValue = .delivered, at handle: AttributeHandle? = nil,
        valueAt valueHandle: AttributeHandle? = nil
    ) -> AttributeHandle {
        let permissions = permissions ?? properties.openPermissions
        let number = valueHandle.map { Int($0.rawValue) } ?? (handle.map { Int($0.rawValue) } ?? next) + 1
        var declaration: [UInt8] = [properties.rawValue]
        declaration.append(littleEndian: UInt16(clamping: number))
        append(.characteristic, .read, constant: declaration + DatabaseBuilder.encoded(uuid), at: handle)
        let result = append(uuid, permissions, value: value, at: valueHandle)
        let supported = properties.configuration
        if !supported.isEmpty {
            append(
                .clientConfiguration, .configuration(of: permissions),
                value: .clientConfiguration(of: result, supporting: supported), at: nil)
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

    /// Adds any attribute to the open service, as it is, for tables that are given attribute by attribute.
    @discardableResult
    public mutating func addAttribute(
        _ type: BluetoothUUID, permissions: AttributePermissions, value: AttributeValue,
        at handle: AttributeHandle? = nil
    ) -> AttributeHandle {
        append(type, permissions, value: value, at: handle)
    }

    /// The database, or the first fault in its description.
    public func build() throws(DatabaseError) -> AttributeDatabase {
        if let fault { throw fault }
        var result = self
        try result.closeServices()
        result.closeCharacteristics()
        try result.resolveIncludes()
        return AttributeDatabase(
            attributes: result.attributes, values: result.values, configurations: result.configurations)
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
        append(type, permissions, value: .stored(constant, maximumCount: constant.count), at: handle)
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
            handle: short, groupEnd: short, permissions: permissions, kind: .delivered, configuration: -1,
            offset: values.count, count: 0, maximumCount: AttributeDatabase.maximumValueCount, type: type)
        switch value {
        case .stored(let octets, let maximum):
            attribute.kind = .stored
            attribute.count = octets.count
            attribute.maximumCount = max(0, min(maximum, AttributeDatabase.maximumValueCount))
            guard octets.count <= attribute.maximumCount else {
                fault = fault ?? .valueTooLong(handle)
                return handle
            }
            values += octets
            values += repeatElement(0, count: attribute.maximumCount - octets.count)
        case .delivered:
            break
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

    private mutating func closeServices() throws(DatabaseError) {
        for (position, service) in services.enumerated() {
            let following = position + 1 < services.count ? services[position + 1].index : attributes.count
            let last = attributes[following - 1].handle
            let end = service.explicitEnd ?? last
            let handle = AttributeHandle(rawValue: attributes[service.index].handle)
            guard end >= last, following == attributes.count || end < attributes[following].handle else {
                throw .invalidServiceEnd(handle)
            }
            attributes[service.index].groupEnd = end
        }
    }

    /// A characteristic ends before the next one, or with its service (Core 5.4, Vol 3, Part G, 2.5.3, 3.3).
    private mutating func closeCharacteristics() {
        for (position, service) in services.enumerated() {
            let following = position + 1 < services.count ? services[position + 1].index : attributes.count
            var end = attributes[service.index].groupEnd
            for index in (service.index..<following).reversed() where attributes[index].type == .characteristic {
                attributes[index].groupEnd = end
                end = attributes[index].handle - 1
            }
        }
    }

    /// The UUID is part of the value only if it has 16 bits (Core 5.4, Vol 3, Part G, 3.2).
    private mutating func resolveIncludes() throws(DatabaseError) {
        for include in includes {
            guard let service = services.first(where: { attributes[$0.index].handle == include.service.rawValue })
            else {
                throw .unknownService(include.service)
            }
            let target = attributes[service.index]
            var value: [UInt8] = []
            value.append(littleEndian: target.handle)
            value.append(littleEndian: target.groupEnd)
            if target.count == 2 { value += values[target.stored] }
            let offset = attributes[include.index].offset
            values.replaceSubrange(offset..<offset + value.count, with: value)
            attributes[include.index].count = value.count
        }
    }
}
