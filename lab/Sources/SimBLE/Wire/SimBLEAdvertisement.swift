// SPDX-License-Identifier: Apache-2.0

import CBOR
import Octets
public import Peripheral
public import Phone

/// The parts of an advertisement, with its scan response, that the wire carries. Service data are not among them.
public struct SimBLEAdvertisement: Equatable, Sendable {
    /// The local name, complete or shortened.
    public var name: String?
    /// The services, of 16 and 128 bits.
    public var services: [BluetoothUUID] = []
    /// The transmit power in dBm.
    public var transmitPower: Int8?
    /// The first manufacturer specific data, company identifier included.
    public var manufacturerData: [UInt8]?

    /// An advertisement without any.
    public init() {}

    /// The parts of merged advertising data.
    public init(_ report: AdvertisementReport) {
        for data in [report.data, report.scanResponse ?? []] {
            AdvertisingStructures.forEach(in: data) { type, content in add(type, content) }
        }
    }

    /// Core Specification Supplement, Part A, 1.
    private mutating func add(_ type: UInt8, _ content: Span<UInt8>) {
        var cursor = OctetCursor(content)
        switch type {
        case 0x02, 0x03:
            while let short = try? cursor.u16(content) { services.append(BluetoothUUID(short)) }
        case 0x06, 0x07:
            while let low = try? cursor.u64(content), let high = try? cursor.u64(content) {
                services.append(BluetoothUUID(high: high, low: low))
            }
        // A complete name replaces a shortened one.
        case 0x09: name = text(content)
        case 0x08: name = name ?? text(content)
        case 0x0A: transmitPower = (try? cursor.i8(content)) ?? transmitPower
        case 0xFF where manufacturerData == nil: manufacturerData = octets(content)
        default: break
        }
    }

    private func octets(_ content: Span<UInt8>) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(content)
        return octets
    }

    private func text(_ content: Span<UInt8>) -> String { String(decoding: octets(content), as: UTF8.self) }

    var members: [SimBLEKey: CBORValue] {
        var members: [SimBLEKey: CBORValue] = [:]
        if let name { members[.localName] = .text(name) }
        if !services.isEmpty { members[.advertisedServices] = SimBLEMessage.list(services) }
        if let transmitPower { members[.transmitPower] = .integer(Int64(transmitPower)) }
        if let manufacturerData { members[.manufacturerData] = .octets(manufacturerData) }
        return members
    }
}
