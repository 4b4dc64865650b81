// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
import Peripheral

/// Services described by their characteristics; handles and declarations are generated.
extension DeviceFileReader {
    private static let propertyNames: [(name: String, property: CharacteristicProperties)] = [
        ("read", .read), ("write", .write), ("write-without-response", .writeWithoutResponse), ("notify", .notify),
        ("indicate", .indicate),
    ]

    /// A characteristic being read, before the handles of later ones are known.
    private struct Characteristic {
        var members: DeviceMembers
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        var security: Security
        var reaction: DeviceTable.Reaction.Audience?
        var handle = AttributeHandle(rawValue: 0)

        var isWritten: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
        var isSent: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
    }

    /// `{"uuid", "primary", "characteristics"}`.
    mutating func addFriendlyService(_ place: DevicePlace) throws(DeviceFault) {
        let members = try place.members(["uuid", "primary", "characteristics"])
        let uuid = try members.required("uuid").uuid()
        let isPrimary = try members["primary"]?.boolean() ?? true
        lastHandle = Int(builder.addService(uuid, primary: isPrimary).rawValue)
        guard lastHandle > 0 else { throw place.fault("has no handle left: 65535 are the most") }
        if isPrimary { advertise(uuid) }
        var added: [Characteristic] = []
        for element in try members.required("characteristics").elements() {
            var characteristic = try self.characteristic(element)
            try add(&characteristic)
            added.append(characteristic)
        }
        for characteristic in added { try react(characteristic, among: added) }
    }

    private func characteristic(_ place: DevicePlace) throws(DeviceFault) -> Characteristic {
        let members = try place.members([
            "uuid", "properties", "security", "value", "text", "values", "max-length", "descriptors", "on-write",
            "on-write-to", "notify-every",
        ])
        var characteristic = Characteristic(
            members: members, uuid: try members.required("uuid").uuid(), properties: [], security: .none)
        let properties = try members.required("properties")
        for element in try properties.elements() {
            let word = try element.word(DeviceFileReader.propertyNames.map(\.name))
            for known in DeviceFileReader.propertyNames where known.name == word {
                characteristic.properties.insert(known.property)
            }
        }
        guard !characteristic.properties.isEmpty else { throw properties.fault("is empty; give one property") }
        if let place = members["security"] {
            characteristic.security = try Security(place)
        }
        if let place = members["on-write"] {
            let word = try place.word(["store"] + DeviceTable.Reaction.Audience.allCases.map(\.rawValue))
            guard characteristic.isWritten else {
                throw place.fault("means nothing: the characteristic is not written")
            }
            characteristic.reaction = DeviceTable.Reaction.Audience(rawValue: word)
        }
        return characteristic
    }

    /// Declaration, value, configuration, descriptors (Core 5.4, Vol 3, Part G, 3.3).
    private mutating func add(_ characteristic: inout Characteristic) throws(DeviceFault) {
        let (members, properties) = (characteristic.members, characteristic.properties)
        // Three handles, and another for each descriptor: the builder refuses handles beyond the last.
        guard lastHandle <= 0xFFFF - 3 else { throw members.place.fault("has no handle left: 65535 are the most") }
        let declared = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: lastHandle + 1))
        let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: lastHandle + 2))
        var declaration: [UInt8] = [properties.rawValue]
        declaration.append(littleEndian: handle.rawValue)
        characteristic.uuid.append(to: &declaration)
        let values = try self.values(characteristic)
        let permissions = characteristic.security.permissions(properties)
        builder.addAttribute(
            .characteristic, permissions: .read, value: .static(declaration, maximumCount: declaration.count),
            at: declared)
        builder.addAttribute(
            characteristic.uuid, permissions: permissions,
            value: value(
                values.first ?? [], maximumCount: try maximumCount(characteristic, values), permissions: permissions,
                at: handle), at: handle)
        characteristic.handle = handle
        types[handle] = characteristic.uuid
        if characteristic.isSent { accesses[handle]?.insert(.notify) }
        lastHandle += 2
        try addConfiguration(characteristic)
        for element in try members["descriptors"]?.elements() ?? [] { try addDescriptor(element) }
        try addRhythm(characteristic, values)
    }

    private mutating func addConfiguration(_ characteristic: Characteristic) throws(DeviceFault) {
        var supported: ClientConfiguration = []
        if characteristic.properties.contains(.notify) { supported.insert(.notification) }
        if characteristic.properties.contains(.indicate) {
            supported.insert(.indication)
        }
        guard !supported.isEmpty else { return }
        lastHandle += 1
        builder.addAttribute(
            .clientConfiguration, permissions: characteristic.security.configurationPermissions,
            value: .clientConfiguration(of: characteristic.handle, supporting: supported),
            at: AttributeHandle(rawValue: UInt16(truncatingIfNeeded: lastHandle)))
    }

    private mutating func addDescriptor(_ place: DevicePlace) throws(DeviceFault) {
        let members = try place.members(["uuid", "value", "text"])
        let uuidPlace = try members.required("uuid")
        let uuid = try uuidPlace.uuid()
        let own: [BluetoothUUID] = [
            .primaryService, .secondaryService, .include, .characteristic, .clientConfiguration,
        ]
        guard !own.contains(uuid) else { throw uuidPlace.fault("\(uuid) is no descriptor to add: it comes by itself") }
        let octets = try self.octets(members) ?? []
        guard lastHandle < 0xFFFF else { throw place.fault("has no handle left: 65535 are the most") }
        lastHandle += 1
        builder.addAttribute(
            uuid, permissions: .read, value: .static(octets, maximumCount: octets.count),
            at: AttributeHandle(rawValue: UInt16(truncatingIfNeeded: lastHandle)))
    }

    /// `value` in hexadecimal digits, or `text` as UTF-8; nil if neither is given.
    private func octets(_ members: DeviceMembers) throws(DeviceFault) -> [UInt8]? {
        guard let text = members["text"] else { return try members["value"]?.octets() }
        guard members["value"] == nil else { throw text.fault("is given beside \"value\"; keep one") }
        let octets = Array(try text.text().utf8)
        guard octets.count <= AttributeDatabase.maximumValueCount else {
            throw text.fault("has \(octets.count) octets, and \(AttributeDatabase.maximumValueCount) are the most")
        }
        return octets
    }

    /// The cycle of values of the characteristic, the initial one first; empty if none is given.
    private func values(_ characteristic: Characteristic) throws(DeviceFault) -> [[UInt8]] {
        let members = characteristic.members
        guard let place = members["values"] else { return try octets(members).map { [$0] } ?? [] }
        guard members["value"] == nil, members["text"] == nil else {
            throw place.fault("is given beside one value; keep \"values\"")
        }
        guard members["notify-every"] != nil else { throw place.fault("means nothing without \"notify-every\"") }
        var values: [[UInt8]] = []
        for element in try place.elements() { values.append(try element.octets()) }
        guard !values.isEmpty else { throw place.fault("is empty; give one value") }
        return values
    }

    /// The maximum length of the value in octets.
    private func maximumCount(_ characteristic: Characteristic, _ values: [[UInt8]]) throws(DeviceFault) -> Int {
        guard let place = characteristic.members["max-length"] else { return AttributeDatabase.maximumValueCount }
        guard characteristic.isWritten else { throw place.fault("means nothing: the characteristic is not written") }
        let maximum = try place.number(1...AttributeDatabase.maximumValueCount)
        let longest = values.map(\.count).max() ?? 0
        guard longest <= maximum else { throw place.fault("is \(maximum), and a value has \(longest) octets") }
        return maximum
    }

    private mutating func addRhythm(_ characteristic: Characteristic, _ values: [[UInt8]]) throws(DeviceFault) {
        guard let place = characteristic.members["notify-every"] else { return }
        guard characteristic.isSent else { throw place.fault("needs the property \"notify\" or \"indicate\"") }
        let every = try place.duration(atLeast: DeviceTable.shortestRhythm)
        guard !values.isEmpty else { throw place.fault("needs \"value\", \"text\" or \"values\": what to notify") }
        guard characteristic.reaction != nil || !characteristic.isWritten else {
            throw place.fault("would undo what is written and stored; use another characteristic for one of the two")
        }
        let beats = values.map { DeviceTable.Rhythm.Beat(after: every, octets: $0) }
        rhythms.append(DeviceTable.Rhythm(value: characteristic.handle, beats: beats, isRecorded: false))
    }

    private mutating func react(_ characteristic: Characteristic, among all: [Characteristic]) throws(DeviceFault) {
        let members = characteristic.members
        guard let audience = characteristic.reaction, let place = members["on-write"] else {
            if let place = members["on-write-to"] { throw place.fault("needs \"on-write\" as echo or notify") }
            return
        }
        var target = characteristic
        if let other = members["on-write-to"] {
            let uuid = try other.uuid()
            let found = all.filter { $0.uuid == uuid }
            guard let only = found.first, found.count == 1 else {
                throw other.fault("names \(found.count) characteristics of this service; one is needed")
            }
            target = only
        }
        guard target.isSent else {
            throw (members["on-write-to"] ?? place).fault(
                "leads to a characteristic without the property \"notify\" or \"indicate\"")
        }
        reactions[characteristic.handle] = DeviceTable.Reaction(
            audience: audience, target: target.handle, changesTarget: target.handle != characteristic.handle)
    }
}
