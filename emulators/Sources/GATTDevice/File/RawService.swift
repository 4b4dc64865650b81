// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
import Peripheral

/// Services described attribute by attribute, with their handles.
extension DeviceFileReader {
    private static let permissionNames: [(name: String, permission: AttributePermissions)] = [
        ("read", .read), ("write", .write), ("read_encrypt", .readEncrypted), ("write_encrypt", .writeEncrypted),
        ("read_authen", .readAuthenticated), ("write_authen", .writeAuthenticated),
        ("read_secure", .readSecureConnections), ("write_secure", .writeSecureConnections),
    ]

    /// The characteristic to which a client characteristic configuration belongs.
    private struct Declaration {
        var value: AttributeHandle
        var supported: ClientConfiguration
        var isConfigured = false
    }

    /// `{"uuid", "primary", "start", "end", "attributes"}`.
    mutating func addRawService(_ place: DevicePlace) throws(DeviceFault) {
        let members = try place.members(["uuid", "primary", "start", "end", "attributes"])
        let uuid = try members.required("uuid").uuid()
        let isPrimary = try members["primary"]?.boolean() ?? true
        let startPlace = try members.required("start")
        let (start, endPlace) = (try startPlace.handle(), try members.required("end"))
        let end = try endPlace.handle()
        guard Int(start) > lastHandle else {
            throw startPlace.fault("is \(start), and the service before ends at \(lastHandle); give services in order")
        }
        guard end >= start else { throw endPlace.fault("is \(end), before the start, \(start)") }
        let attributes = try members.required("attributes").elements()
        guard let first = attributes.first else {
            throw try members.required("attributes").fault("is empty; give the service's declaration")
        }
        try checkDeclaration(first, of: uuid, isPrimary: isPrimary, at: start)
        builder.addService(
            uuid, primary: isPrimary, at: AttributeHandle(rawValue: start), through: AttributeHandle(rawValue: end))
        lastHandle = Int(start)
        var declaration: Declaration?
        for attribute in attributes.dropFirst() { try addAttribute(attribute, through: end, &declaration) }
        lastHandle = Int(end)
        if isPrimary { advertise(uuid) }
    }

    private static let attributeKeys = ["handle", "type", "permissions", "value"]
    /// The keys of a value's recording.
    private static let recordingKeys = ["later-values", "sends", "answers"]
    /// The shortest time between two recorded values, which fit in one connection event.
    private static let shortestGap = Duration.milliseconds(1)

    /// Requires the first attribute to be the service's declaration (Core 5.4, Vol 3, Part G, 3.1): a service without
    /// one could not be discovered.
    private func checkDeclaration(
        _ place: DevicePlace, of uuid: BluetoothUUID, isPrimary: Bool, at start: UInt16
    ) throws(DeviceFault) {
        let members = try place.members(DeviceFileReader.attributeKeys)
        let (handle, type) = (try members.required("handle"), try members.required("type"))
        let (permissions, value) = (try members.required("permissions"), try members.required("value"))
        guard try handle.handle() == start else {
            throw handle.fault("is not the service's start, \(start); the first attribute is its declaration")
        }
        let expected: BluetoothUUID = isPrimary ? .primaryService : .secondaryService
        guard try type.uuid() == expected else {
            throw type.fault("is not \(expected); the first attribute is the service's declaration")
        }
        guard try self.permissions(permissions) == .read else {
            throw permissions.fault("of a service's declaration are [\"read\"]")
        }
        var octets: [UInt8] = []
        uuid.append(to: &octets)
        guard try value.octets() == octets else {
            throw value.fault("is not the service's UUID, \(uuid), with the least significant octet first")
        }
    }

    private mutating func addAttribute(
        _ place: DevicePlace, through end: UInt16, _ declaration: inout Declaration?
    ) throws(DeviceFault) {
        let members = try place.members(DeviceFileReader.attributeKeys + DeviceFileReader.recordingKeys)
        let handlePlace = try members.required("handle")
        let handle = try handlePlace.handle()
        guard Int(handle) > lastHandle, handle <= end else {
            throw handlePlace.fault(
                Int(handle) > lastHandle
                    ? "is \(handle), behind the service's end, \(end)"
                    : "is \(handle), and the attribute before has \(lastHandle); give attributes in order")
        }
        let typePlace = try members.required("type")
        let type = try typePlace.uuid()
        guard type != .primaryService, type != .secondaryService else {
            throw typePlace.fault("declares a service; open another one in \"services\"")
        }
        let valuePlace = try members.required("value")
        let octets = try valuePlace.octets()
        let explicit = AttributeHandle(rawValue: handle)
        let permissions = try self.permissions(try members.required("permissions"))
        var value = AttributeValue.static(octets)
        if type == .characteristic {
            declaration = try self.declaration(valuePlace, octets)
        } else if type == .clientConfiguration {
            value = try configuration(typePlace, valuePlace, octets, &declaration)
        } else if type != .include {
            value = self.value(
                octets, maximumCount: AttributeDatabase.maximumValueCount, permissions: permissions, at: explicit)
        }
        builder.addAttribute(type, permissions: permissions, value: value, at: explicit)
        types[explicit] = type
        lastHandle = Int(handle)
        try addRecording(members, explicit, declaration)
    }

    /// The later values of reads, the values that are sent at their times, and the answers to written octets.
    private mutating func addRecording(
        _ members: DeviceMembers, _ handle: AttributeHandle, _ declaration: Declaration?
    ) throws(DeviceFault) {
        if let place = members["later-values"] {
            guard accesses[handle]?.contains(.read) == true else { throw place.fault("means nothing: it is not read") }
            let values = try place.elements().map { element throws(DeviceFault) in try element.octets() }
            dynamicValues[handle]?.later = values
        }
        for key in ["sends", "answers"] {
            guard let place = members[key] else { continue }
            guard let declaration, declaration.value == handle, !declaration.supported.isEmpty else {
                throw place.fault("needs a characteristic's value that is notified or indicated")
            }
        }
        if let place = members["sends"] {
            let beats = try place.elements().map { element throws(DeviceFault) in
                let members = try element.members(["after", "value"])
                return DeviceTable.Rhythm.Beat(
                    after: try members.required("after").duration(atLeast: DeviceFileReader.shortestGap),
                    octets: try members.required("value").octets())
            }
            guard !beats.isEmpty else { throw place.fault("is empty; give one value") }
            rhythms.append(DeviceTable.Rhythm(value: handle, beats: beats, isRecorded: true))
        }
        if let place = members["answers"] {
            guard accesses[handle]?.contains(.write) == true else {
                throw place.fault("means nothing: it is not written")
            }
            for element in try place.elements() {
                let members = try element.members(["to", "value"])
                let written = try members.required("to").octets()
                answers[handle, default: [:]][written] = try members.required("value").octets()
            }
        }
    }

    /// Properties, the value's handle, its type (Core 5.4, Vol 3, Part G, 3.3.1).
    private func declaration(_ place: DevicePlace, _ octets: [UInt8]) throws(DeviceFault) -> Declaration {
        guard octets.count == 5 || octets.count == 19 else {
            throw place.fault("has \(octets.count) octets; a characteristic's declaration has 5 or 19")
        }
        let properties = CharacteristicProperties(rawValue: octets[0])
        var supported: ClientConfiguration = []
        if properties.contains(.notify) { supported.insert(.notification) }
        if properties.contains(.indicate) { supported.insert(.indication) }
        return Declaration(
            value: AttributeHandle(rawValue: UInt16(octets[1]) | UInt16(octets[2]) << 8), supported: supported)
    }

    /// A client characteristic configuration, which is per client and initially 0 (Core 5.4, Vol 3, Part G, 3.3.3.3).
    private mutating func configuration(
        _ type: DevicePlace, _ place: DevicePlace, _ octets: [UInt8], _ declaration: inout Declaration?
    ) throws(DeviceFault) -> AttributeValue {
        guard octets.allSatisfy({ $0 == 0 }), octets.count == 2 else {
            throw place.fault("of a client characteristic configuration is \"0000\" for each new client")
        }
        guard let owner = declaration, types[owner.value] != nil else {
            throw type.fault("is a client characteristic configuration without a characteristic's value before it")
        }
        guard !owner.isConfigured else { throw type.fault("is this characteristic's second configuration; keep one") }
        declaration?.isConfigured = true
        if !owner.supported.isEmpty { accesses[owner.value]?.insert(.notify) }
        return .clientConfiguration(of: owner.value, supporting: owner.supported)
    }

    private func permissions(_ place: DevicePlace) throws(DeviceFault) -> AttributePermissions {
        var permissions: AttributePermissions = []
        for element in try place.elements() {
            let word = try element.word(DeviceFileReader.permissionNames.map(\.name))
            for known in DeviceFileReader.permissionNames where known.name == word {
                permissions.insert(known.permission)
            }
        }
        return permissions
    }
}
