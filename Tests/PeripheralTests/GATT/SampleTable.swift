// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The database of most tests. Handles, in hexadecimal:
///
/// | service | declaration, value, descriptors |
/// |---|---|
/// | 01 Generic Access | 02 03 name "door", 04 05 appearance |
/// | 06 Generic Attribute | 07 08 09 service changed |
/// | 0a FCBA | 0b 0c receive (write-only), 0d 0e 0f transmit (notify, indicate) |
/// | 10, 128 bits | 11 12 (300 octets 5a) 13 "long", 14 15 encrypted, 16 17 authenticated, 18 19 (255 octets a5) |
/// | 1a secondary 180a | 1b 1c write only, 1d includes 01, 1e includes 10 |
enum SampleTable {
    static let service128 = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
    static let bulk = BluetoothUUID(high: 0x5892_0002_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)

    static func database() throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "door", appearance: 0x0708)
        builder.addGATTService(robustCaching: false)
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1234), properties: [.write, .writeWithoutResponse])
        builder.addCharacteristic(BluetoothUUID(0x1235), properties: [.notify, .indicate])
        let long = builder.addService(service128)
        builder.addCharacteristic(
            bulk, properties: [.read, .write], value: .static(Array(repeating: 0x5A, count: 300)))
        builder.addDescriptor(
            .userDescription, permissions: [.read, .write], value: .static(Array("long".utf8), maximumCount: 8))
        builder.addCharacteristic(
            BluetoothUUID(0x1236), properties: [.read, .write], permissions: [.readEncrypted, .writeEncrypted],
            value: .static([1], maximumCount: 1))
        builder.addCharacteristic(
            BluetoothUUID(0x1237), properties: [.read, .write], permissions: [.readAuthenticated, .writeAuthenticated],
            value: .static([2], maximumCount: 1))
        builder.addCharacteristic(bulk, properties: .read, value: .static(Array(repeating: 0xA5, count: 255)))
        builder.addService(BluetoothUUID(0x180A), primary: false)
        builder.addCharacteristic(BluetoothUUID(0x1238), properties: .write, value: .static([7], maximumCount: 1))
        builder.addInclude(of: AttributeHandle(rawValue: 1))
        builder.addInclude(of: long)
        return try builder.build()
    }

    static func bench(
        mtu: Int? = nil, slots: Int = 2, configuration: GATTServer.Configuration = .init()
    ) throws -> GATTBench {
        let bench = GATTBench(try database(), slots: slots, configuration: configuration)
        if let mtu {
            for slot in 0..<slots {
                _ = bench.send([0x02, UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)], slot: slot)
            }
            bench.events.removeAll()
        }
        return bench
    }
}
