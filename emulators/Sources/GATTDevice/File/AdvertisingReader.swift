// SPDX-License-Identifier: Apache-2.0

import JSON
import Peripheral

/// The advertising of a device file (Core 5.4, Vol 3, Part C, 11; Core Specification Supplement, Part A, 1).
///
/// Packets are sent as written: octets, or structures in their order. Anything beyond 31 octets is an error.
enum AdvertisingReader {
    /// Reads one set, or a list of sets.
    static func sets(_ place: DevicePlace) throws(DeviceFault) -> [DeviceAdvertising] {
        guard case .array = place.node.content else { return [try set(place)] }
        let elements = try place.elements()
        guard (1...DeviceAdvertising.maximumSets).contains(elements.count) else {
            throw place.fault("has \(elements.count) sets; 1 to \(DeviceAdvertising.maximumSets) are possible")
        }
        return try elements.map { element throws(DeviceFault) in try set(element) }
    }

    private static let kinds: [(name: String, kind: AdvertisingSet.Kind)] = [
        ("connectable", .connectable), ("scannable", .scannable), ("non-connectable", .nonConnectable),
    ]

    private static func set(_ place: DevicePlace) throws(DeviceFault) -> DeviceAdvertising {
        let members = try place.members(["packet", "scan-response", "interval", "kind", "transmit-power-dbm"])
        var advertising = DeviceAdvertising(data: try packet(members.required("packet")))
        if let place = members["scan-response"] { advertising.scanResponse = try packet(place) }
        if let place = members["interval"] { advertising.interval = try place.duration(atLeast: .zero) }
        if let place = members["kind"] {
            let word = try place.word(kinds.map(\.name))
            for known in kinds where known.name == word { advertising.kind = known.kind }
        }
        if let place = members["transmit-power-dbm"] {
            advertising.transmitPower = Int8(truncatingIfNeeded: try place.number(-127...20))
        }
        let set = advertising.set(0, ofDevice: 0, .fixed(.randomStatic(from: 0)))
        if let fault = set.fault { throw place.fault("\(fault)") }
        return advertising
    }

    /// Octets in hexadecimal digits, or a list of structures.
    private static func packet(_ place: DevicePlace) throws(DeviceFault) -> [UInt8] {
        if case .string = place.node.content { return try place.octets(maximum: AdvertisingSet.maximumDataCount) }
        var data = AdvertisingData()
        for element in try place.elements() {
            let structure = try structure(element)
            do throws(AdvertisingDataError) { try data.add(type: structure.type, structure.content) } catch {
                throw element.fault("\(error)")
            }
        }
        return data.octets
    }
}
