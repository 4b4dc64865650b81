// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
import Peripheral

/// The structures of a packet by their names (Assigned Numbers, 2.3; Core Specification Supplement, Part A, 1).
extension AdvertisingReader {
    /// An advertising structure: its type and its data.
    typealias Structure = (type: UInt8, content: [UInt8])

    /// The keys of structures.
    private enum Key: String, CaseIterable {
        case flags, services, name, appearance, uri
        case incompleteServices = "incomplete-services"
        case solicitedServices = "solicited-services"
        case serviceData = "service-data"
        case manufacturerData = "manufacturer-data"
        case shortName = "short-name"
        case power = "tx-power"
        case intervalRange = "connection-interval-range"
    }

    /// The types of a structure whose UUIDs have 16, 32 or 128 bits.
    private struct UUIDTypes {
        var short: UInt8
        var middle: UInt8
        var long: UInt8

        func type(_ count: Int) -> UInt8 { count == 2 ? short : count == 4 ? middle : long }
    }

    private static let flagNames = ["limited-discoverable", "general-discoverable", "no-br-edr", "simultaneous-br-edr"]

    /// An object with a known name, or `type` and `value` for any other type.
    static func structure(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        let members = try place.members(Key.allCases.map(\.rawValue) + ["type", "value"])
        if let typePlace = members["type"] {
            guard members.members.count == 2, let value = members["value"] else {
                throw place.fault("has a \"type\", and needs a \"value\" and nothing else")
            }
            let type = try typePlace.octets(exactly: 1)
            return (type[0], try value.octets(maximum: AdvertisingSet.maximumDataCount))
        }
        guard members.members.count == 1, let member = members.members.first,
            let key = Key(rawValue: member.name)
        else { throw place.fault("has \(members.members.count) keys; a structure has one, or \"type\" and \"value\"") }
        return try structure(key, place.member(member))
    }

    private static func structure(_ key: Key, _ place: DevicePlace) throws(DeviceFault) -> Structure {
        switch key {
        case .flags: try flags(place)
        case .services: try list(place, UUIDTypes(short: 0x03, middle: 0x05, long: 0x07))
        case .incompleteServices: try list(place, UUIDTypes(short: 0x02, middle: 0x04, long: 0x06))
        case .solicitedServices: try list(place, UUIDTypes(short: 0x14, middle: 0x1F, long: 0x15))
        case .serviceData: try serviceData(place)
        case .manufacturerData: try manufacturerData(place)
        case .name: (0x09, Array(try place.text().utf8))
        case .shortName: (0x08, Array(try place.text().utf8))
        case .appearance: (0x19, littleEndian(UInt16(clamping: try place.number(0...0xFFFF))))
        case .power: (0x0A, [UInt8(bitPattern: Int8(clamping: try place.number(-127...127)))])
        case .intervalRange: try intervalRange(place)
        case .uri: try uri(place)
        }
    }

    // MARK: - Contents

    private static func flags(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        var flags: UInt8 = 0
        for element in try place.elements() {
            let word = try element.word(flagNames)
            for (bit, name) in flagNames.enumerated() where name == word { flags |= 1 << UInt8(bit) }
        }
        return (0x01, [flags])
    }

    /// UUIDs of one length: each length has its own type.
    private static func list(_ place: DevicePlace, _ types: UUIDTypes) throws(DeviceFault) -> Structure {
        var content: [UInt8] = []
        var length: Int?
        for element in try place.elements() {
            let octets = try uuid(element)
            guard length == nil || length == octets.count else {
                throw element.fault("has another length than the UUIDs before it; give it a list for itself")
            }
            length = octets.count
            content += octets
        }
        guard let length else { throw place.fault("is empty; give one UUID") }
        return (types.type(length), content)
    }

    private static func serviceData(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        let members = try place.members(["uuid", "value"])
        let service = try uuid(members.required("uuid"))
        let types = UUIDTypes(short: 0x16, middle: 0x20, long: 0x21)
        return (types.type(service.count), service + (try value(members)))
    }

    private static func manufacturerData(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        let members = try place.members(["company", "value"])
        let company = try members.required("company").octets(exactly: 2)
        return (0xFF, company.reversed() + (try value(members)))
    }

    private static func value(_ members: DeviceMembers) throws(DeviceFault) -> [UInt8] {
        try members["value"]?.octets(maximum: AdvertisingSet.maximumDataCount) ?? []
    }

    /// Units of 1.25 ms; 65535 is no value (Part A, 1.9).
    private static func intervalRange(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        let members = try place.members(["minimum", "maximum"])
        var content: [UInt8] = []
        for name in ["minimum", "maximum"] {
            content += littleEndian(UInt16(clamping: try members[name]?.number(6...3200) ?? 0xFFFF))
        }
        return (0x12, content)
    }

    /// The scheme is one character: the code for `http:` or `https:`, otherwise U+0001 before the whole URI (Part A,
    /// 1.18; Assigned Numbers, URI Scheme Name String Mapping).
    private static func uri(_ place: DevicePlace) throws(DeviceFault) -> Structure {
        let text = try place.text()
        for (scheme, code) in [("http:", UInt8(0x16)), ("https:", 0x17)] where text.hasPrefix(scheme) {
            return (0x24, [code] + text.dropFirst(scheme.count).utf8)
        }
        return (0x24, [0x01] + text.utf8)
    }

    /// A UUID as it is written: 2, 4 or 16 octets, least significant first.
    private static func uuid(_ place: DevicePlace) throws(DeviceFault) -> [UInt8] {
        let text = try place.text()
        if text.utf8.count == 8 { return try place.octets(exactly: 4).reversed() }
        guard let uuid = BluetoothUUID(text) else {
            throw place.fault(
                "\(text.debugDescription) is no UUID; write four or eight hexadecimal digits, or 36 characters with "
                    + "hyphens")
        }
        var octets: [UInt8] = []
        if text.utf8.count == 4 {
            uuid.append(to: &octets)
        } else {
            octets.append(littleEndian: uuid.low)
            octets.append(littleEndian: uuid.high)
        }
        return octets
    }

    private static func littleEndian(_ number: UInt16) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: number)
        return octets
    }
}
