// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// A GATT server configuration as nRF Connect for Mobile (Android) exports it: `server-configuration` with `service`,
/// `characteristic`, `descriptor`, `permission` and `property`.
///
/// It has no handles, no advertisement and no times. Names of properties are from Nordic's documentation of
/// automated tests; names of permissions are Android's.
enum NRFConnectExport {
    private static let properties: [String: CharacteristicProperties] = [
        "BROADCAST": .broadcast, "READ": .read, "WRITE_WITHOUT_RESPONSE": .writeWithoutResponse, "WRITE": .write,
        "NOTIFY": .notify, "INDICATE": .indicate, "SIGNED_WRITE": .authenticatedSignedWrites,
        "EXTENDED_PROPERTIES": .extended,
    ]
    /// Permissions as a description has them; nil for signed writes, which the device cannot play.
    private static let permissions: [String: String?] = [
        "READ": "read", "READ_ENCRYPTED": "read_encrypt", "READ_ENCRYPTED_MITM": "read_authen", "WRITE": "write",
        "WRITE_ENCRYPTED": "write_encrypt", "WRITE_ENCRYPTED_MITM": "write_authen", "WRITE_SIGNED": nil,
        "WRITE_SIGNED_MITM": nil,
    ]

    /// The description of the only configuration of an export.
    static func description(of file: [UInt8]) throws(DeviceImportFault) -> DeviceDescription {
        let root = try XMLParser.parse(file)
        guard root.name == "server-configuration" else {
            throw root.fault(
                "<\(root.name)> is no server configuration of nRF Connect: use Configure GATT server, Export"
            )
        }
        try root.check(["name"])
        var builder = Builder()
        let name = DescriptionText.name(root["name"])
        builder.remarks.append("an export of nRF Connect has no handles: they are given in its order, from 1")
        builder.remarks.append("it has no advertisement: the services and the name are advertised")
        if !root.children.contains(where: { $0.uuid == .genericAccess }) {
            builder.addGenericAccess(name: name)
            builder.remarks.append("it has no Generic Access service: it is added, with the name")
        }
        for element in root.children { try builder.addService(element) }
        return try DeviceDescription(
            DescriptionText(name: name, services: builder.services), remarks: builder.remarks)
    }

    /// The services, with handles in the order of the file.
    private struct Builder {
        var services: [DescriptionText.Service] = []
        var remarks: [String] = []
        private var last: UInt16 = 0

        /// The next handle.
        private mutating func next(_ element: XMLElement) throws(DeviceImportFault) -> UInt16 {
            guard last < .max else { throw element.fault("has no handle left: 65535 are the most") }
            last += 1
            return last
        }

        mutating func addGenericAccess(name: String) {
            var service = DescriptionText.Service(uuid: .genericAccess, isPrimary: true, start: 1, end: 5)
            let octets = Array(name.utf8)
            for (handle, uuid, value) in [(UInt16(2), BluetoothUUID.deviceName, octets), (4, .appearance, [0, 0])] {
                var declaration: [UInt8] = [CharacteristicProperties.read.rawValue]
                declaration.append(littleEndian: handle + 1)
                uuid.append(to: &declaration)
                service.attributes.append(
                    .init(handle: handle, type: .characteristic, permissions: ["read"], value: declaration))
                service.attributes.append(.init(handle: handle + 1, type: uuid, permissions: ["read"], value: value))
            }
            services.append(service)
            last = 5
        }

        mutating func addService(_ element: XMLElement) throws(DeviceImportFault) {
            guard element.name == "service" else {
                throw element.fault("<\(element.name)> stands where a service is expected")
            }
            try element.check(["name", "uuid"])
            let start = try next(element)
            var service = DescriptionText.Service(
                uuid: try element.neededUUID(), isPrimary: true, start: start, end: start)
            for child in element.children { try addCharacteristic(child, to: &service) }
            service.end = last
            services.append(service)
        }

        private mutating func addCharacteristic(
            _ element: XMLElement, to service: inout DescriptionText.Service
        ) throws(DeviceImportFault) {
            guard element.name == "characteristic" else {
                throw element.fault("<\(element.name)> stands where a characteristic is expected")
            }
            try element.check(["name", "uuid", "value"])
            let uuid = try element.attributeUUID()
            var properties: CharacteristicProperties = []
            for child in element.children where child.name == "property" {
                try child.check(["name"])
                guard let name = child["name"], let property = NRFConnectExport.properties[name] else {
                    throw child.fault("is no property that is known: \(NRFConnectExport.properties.keys.sorted())")
                }
                properties.insert(property)
            }
            let (declared, handle) = (try next(element), try next(element))
            var declaration = [properties.rawValue]
            declaration.append(littleEndian: handle)
            uuid.append(to: &declaration)
            service.attributes.append(
                .init(handle: declared, type: .characteristic, permissions: ["read"], value: declaration))
            service.attributes.append(
                .init(
                    handle: handle, type: uuid, permissions: try permissions(of: element), value: try element.value()))
            var isConfigured = false
            for child in element.children where child.name == "descriptor" {
                try addDescriptor(child, &isConfigured, to: &service)
            }
            for child in element.children where !["property", "permission", "descriptor"].contains(child.name) {
                throw child.fault("<\(child.name)> stands where a descriptor, a permission or a property is expected")
            }
            if !isConfigured, !properties.isDisjoint(with: [.notify, .indicate]) {
                remarks.append("\(uuid) is sent, and has no descriptor 2902: clients cannot subscribe to it")
            }
        }

        private mutating func addDescriptor(
            _ element: XMLElement, _ isConfigured: inout Bool, to service: inout DescriptionText.Service
        ) throws(DeviceImportFault) {
            try element.check(["name", "uuid", "value"])
            let isConfiguration = element.uuid == .clientConfiguration
            let uuid = isConfiguration ? .clientConfiguration : try element.attributeUUID()
            for child in element.children where child.name != "permission" {
                throw child.fault("<\(child.name)> stands where a permission is expected")
            }
            var value = try element.value()
            if isConfiguration {
                guard !isConfigured else { throw element.fault("is this characteristic's second 2902; keep one") }
                isConfigured = true
                if value.contains(where: { $0 != 0 }) {
                    remarks.append("a configuration (2902) was not 0: it is, for each new client")
                }
                value = [0, 0]
            }
            service.attributes.append(
                .init(
                    handle: try next(element), type: uuid, permissions: try permissions(of: element), value: value))
        }

        private mutating func permissions(of element: XMLElement) throws(DeviceImportFault) -> [String] {
            var permissions: [String] = []
            for child in element.children where child.name == "permission" {
                try child.check(["name"])
                guard let name = child["name"], let permission = NRFConnectExport.permissions[name] else {
                    throw child.fault("is no permission that is known: \(NRFConnectExport.permissions.keys.sorted())")
                }
                guard let permission else {
                    remarks.append("\(name) of \(element["uuid"] ?? ""): signed writes are not played")
                    continue
                }
                if !permissions.contains(permission) { permissions.append(permission) }
            }
            return permissions
        }
    }
}

extension XMLElement {
    fileprivate func fault(_ problem: String) -> DeviceImportFault { DeviceImportFault(.line(line), problem) }

    /// Requires that all attributes are known: another one could change what the device is.
    fileprivate func check(_ known: [String]) throws(DeviceImportFault) {
        for attribute in attributes where !known.contains(attribute.name) {
            throw fault("\(attribute.name) of <\(name)> is not known; here are \(known.joined(separator: ", "))")
        }
    }

    fileprivate var uuid: BluetoothUUID? { self["uuid"].flatMap { BluetoothUUID($0) } }

    fileprivate func neededUUID() throws(DeviceImportFault) -> BluetoothUUID {
        guard let uuid else { throw fault("<\(name)> has no UUID of four or 36 characters") }
        return uuid
    }

    /// The UUID of a value or a descriptor, not of a declaration.
    fileprivate func attributeUUID() throws(DeviceImportFault) -> BluetoothUUID {
        let uuid = try neededUUID()
        let own: [BluetoothUUID] = [
            .primaryService, .secondaryService, .include, .characteristic, .clientConfiguration,
        ]
        guard !own.contains(uuid) else { throw fault("\(uuid) is no type of a \(name)") }
        return uuid
    }

    /// The octets of `value`; none if it is not given.
    fileprivate func value() throws(DeviceImportFault) -> [UInt8] {
        guard let text = self["value"] else { return [] }
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard let octets = Hexadecimal.octets(digits) else { throw fault("value is no octets in hexadecimal digits") }
        guard octets.count <= AttributeDatabase.maximumValueCount else {
            throw fault("value has \(octets.count) octets, and \(AttributeDatabase.maximumValueCount) are the most")
        }
        return octets
    }
}
