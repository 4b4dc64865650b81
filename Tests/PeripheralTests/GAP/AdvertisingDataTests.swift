// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Peripheral

/// Core Specification Supplement, Part A, 1, and Core 5.4, Vol 3, Part C, 11.
@Suite struct AdvertisingDataTests {
    private let long = BluetoothUUID(high: 0x3ABE_6601_D90D_4975, low: 0x88B7_8E3F_E83A_687A)

    private func build(
        _ add: (inout AdvertisingData) throws(AdvertisingDataError) -> Void
    ) throws(AdvertisingDataError) -> String {
        var data = AdvertisingData()
        try add(&data)
        return hex(data.octets)
    }

    @Test func structures() throws {
        #expect(try build { d throws(AdvertisingDataError) in try d.add(flags: .generalDiscoverable) } == "020106")
        #expect(try build { d throws(AdvertisingDataError) in try d.add(flags: .limitedDiscoverable) } == "020105")
        #expect(try build { d throws(AdvertisingDataError) in try d.add(name: "heart") } == "06096865617274")
        #expect(
            try build { d throws(AdvertisingDataError) in
                try d.add(services: [BluetoothUUID(0x180D), BluetoothUUID(0x180F)])
            } == "05030d180f18")
        #expect(
            try build { d throws(AdvertisingDataError) in try d.add(services: [long]) }
                == "11077a683ae83f8eb78875490dd90166be3a")
        #expect(
            try build { d throws(AdvertisingDataError) in try d.add(data: [0x64], ofService: BluetoothUUID(0x180F)) }
                == "04160f1864")
        #expect(
            try build { d throws(AdvertisingDataError) in try d.add(data: [0x64], ofService: long) }
                == "12217a683ae83f8eb78875490dd90166be3a64")
        #expect(
            try build { d throws(AdvertisingDataError) in try d.add(manufacturerData: [1, 2], company: 0x0C5E) }
                == "05ff5e0c0102")
        #expect(try build { d throws(AdvertisingDataError) in try d.add(appearance: 0x0341) } == "03194103")
        #expect(try build { d throws(AdvertisingDataError) in try d.add(transmitPower: -77) } == "020ab3")
        #expect(try build { d throws(AdvertisingDataError) in try d.add(services: []) } == "")
    }

    /// The complete form expected by receivers, after Flags: 30 octets.
    @Test func iBeacon() throws {
        let beacon = IBeacon(uuid: long, major: 0x7761, minor: 0x3079, measuredPower: -77)
        let packet = try build { d throws(AdvertisingDataError) in
            try d.add(flags: .generalDiscoverable)
            try d.add(iBeacon: beacon)
        }
        #expect(packet == "0201061aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3")
        // The published packet of a reader is the same form behind a service.
        let published = try build { d throws(AdvertisingDataError) in
            try d.add(services: [BluetoothUUID(0xFCBA)])
            try d.add(iBeacon: beacon)
        }
        #expect(published == hex(Sample.beacon))
    }

    /// A name that does not fit is cut at a character boundary and marked as shortened.
    @Test func shortenedNames() throws {
        func name(_ name: String, room: Int) throws(AdvertisingDataError) -> String {
            var data = AdvertisingData()
            if room < 31 { try data.add(type: 0xFF, [UInt8](repeating: 0, count: 29 - room)) }
            let before = data.octets.count
            try data.add(name: name)
            return hex(Array(data.octets.dropFirst(before)))
        }
        #expect(try name("heart", room: 7) == "06096865617274")
        #expect(try name("heart", room: 6) == "050868656172")
        #expect(try name("heart", room: 3) == "020868")
        #expect(throws: AdvertisingDataError.noRoom(needed: 7, room: 2)) { try name("heart", room: 2) }
        #expect(throws: AdvertisingDataError.noRoom(needed: 3, room: 31)) { try name("", room: 31) }
        // Two octets a letter, and letters of several scalars, stay whole.
        #expect(try name("äöü", room: 7) == "0508c3a4c3b6")
        #expect(try name("ae\u{301}", room: 4) == "020861")
        #expect(try name(String(repeating: "x", count: 29), room: 31).hasPrefix("1e09"))
        #expect(try name(String(repeating: "x", count: 30), room: 31).hasPrefix("1e08"))
    }

    /// The services that fit, by UUID size, beginning with the size of the first.
    @Test func servicesThatFit() throws {
        let shorts = (0..<16).map { BluetoothUUID(UInt16(0x1800 + $0)) }
        let fourteen = try build { d throws(AdvertisingDataError) in try d.add(services: shorts) }
        #expect(fourteen.hasPrefix("1d0200180118") && fourteen.count == 60)
        let mixed = try build { d throws(AdvertisingDataError) in
            try d.add(services: [long] + shorts.prefix(8))
        }
        #expect(mixed.hasPrefix("1107") && mixed.count == 60)
        #expect(mixed.dropFirst(36).hasPrefix("0b020018"))
        var data = AdvertisingData()
        #expect(throws: AdvertisingDataError.noRoom(needed: 18, room: 13)) {
            try data.add(services: [long, BluetoothUUID(high: 1, low: 2)].reversed() + [long])
            try data.add(services: [long])
        }
        // Two of three fit not even once more: the first is there, marked as incomplete.
        #expect(hex(data.octets).hasPrefix("1106") && data.room == 13)
    }

    /// Exactly 31 octets fit; nothing is added of what does not.
    @Test func limit() throws {
        var data = AdvertisingData()
        try data.add(manufacturerData: [UInt8](repeating: 7, count: 27), company: 0xFFFF)
        #expect(data.octets.count == 31 && data.room == 0)
        let before = data
        #expect(throws: AdvertisingDataError.noRoom(needed: 3, room: 0)) { try data.add(flags: .generalDiscoverable) }
        #expect(throws: AdvertisingDataError.noRoom(needed: 2, room: 0)) { try data.add(type: 0x01, []) }
        #expect(data == before)
        #expect(throws: AdvertisingDataError.noRoom(needed: 302, room: 31)) {
            var other = AdvertisingData()
            try other.add(type: 0xFF, [UInt8](repeating: 0, count: 300))
        }
    }
}
