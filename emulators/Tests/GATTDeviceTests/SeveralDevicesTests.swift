// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

/// Several devices from files on one radio.
@Suite struct SeveralDevicesTests {
    private static func played(_ number: UInt8, _ characteristic: String) throws -> PlayedDevice {
        let table = try device(
            """
            {"name": "device \(number)", "mtu": \(100 + Int(number)),
             "services": [{"uuid": "18\(number)\(number)", "characteristics": [\(characteristic)]}]}
            """)
        return PlayedDevice(table, address: BluetoothAddress.randomStatic(from: UInt64(number)))
    }

    private func devices() throws -> [PlayedDevice] {
        [
            try SeveralDevicesTests.played(1, #"{"uuid": "2A38", "properties": ["read", "write"], "value": "01"}"#),
            try SeveralDevicesTests.played(
                2, #"{"uuid": "2A39", "properties": ["notify"], "value": "02", "notify-every": "100 ms"}"#),
            try SeveralDevicesTests.played(
                3, #"{"uuid": "2A39", "properties": ["write", "notify"], "on-write": "echo"}"#),
        ]
    }

    @Test func eachHasItsAddressPacketAttributesAndMTU() throws {
        let devices = try devices()
        let rig = DeviceRig(EmulatedDevice(devices))
        let scanner = try rig.listening()
        for device in devices {
            let heard = scanner.found.filter { $0.address == device.address }
            let name = Array(device.table.name.utf8)
            #expect(heard.contains { Array(($0.scanResponse ?? []).suffix(name.count)) == name })
        }
        for (number, device) in devices.enumerated() {
            let phone = try rig.connected(mtu: 517, to: device.address)
            #expect(phone.client.mtu == 101 + number)
            guard case .services(let services) = try rig.perform(.discoverServices, phone) else {
                Issue.record("no services")
                return
            }
            #expect(services.last?.uuid == device.table.services.first)
        }
        var connected: [Int] = []
        while let notice = rig.device.nextNotice() {
            if case .connected(_, _, let index, let own) = notice {
                connected.append(index)
                #expect(own == devices[index].address)
            }
        }
        #expect(connected == [0, 1, 2])
    }

    @Test func valuesThatChangeAreTheDevicesOwn() throws {
        let rhythm = #"{"uuid": "2A38", "properties": ["read", "notify"], "values": ["05"], "notify-every": "100 ms"}"#
        let still = #"{"uuid": "2A38", "properties": ["read", "notify"], "value": "01"}"#
        let devices = [try SeveralDevicesTests.played(1, still), try SeveralDevicesTests.played(2, rhythm)]
        let rig = DeviceRig(EmulatedDevice(devices))
        let (one, other) = (try rig.connected(to: devices[0].address), try rig.connected(to: devices[1].address))
        let handle = AttributeHandle(rawValue: try rig.subscribe(BluetoothUUID(0x2A38), other))
        rig.run(.milliseconds(300))
        #expect(try rig.perform(.read(handle), other) == .value([5]))
        #expect(try rig.perform(.read(handle), one) == .value([1]))
    }

    @Test func whatTheyDoByThemselvesDoesNotMix() throws {
        let devices = try devices()
        let rig = DeviceRig(EmulatedDevice(devices))
        let listener = try rig.connected(to: devices[1].address)
        let writer = try rig.connected(to: devices[2].address)
        _ = try rig.subscribe(BluetoothUUID(0x2A39), listener)
        _ = try rig.subscribe(BluetoothUUID(0x2A39), writer)
        // The value has the same handle in both devices.
        let written = try rig.value(BluetoothUUID(0x2A39), writer)
        #expect(try rig.value(BluetoothUUID(0x2A39), listener).value == written.value)
        rig.run(.milliseconds(500))
        #expect(writer.values.isEmpty)
        #expect(listener.values.count >= 4)
        #expect(listener.values.allSatisfy { $0.octets == [2] })
        #expect(try rig.perform(.write(written.value, [7]), writer) == .written)
        rig.run(.milliseconds(200))
        #expect(writer.values.map(\.octets) == [[7]])
        #expect(listener.values.allSatisfy { $0.octets == [2] })
        // The rhythm ends with the link that wanted it, whatever the other device's links do.
        let link = try #require(listener.link)
        listener.central.disconnect(link, at: rig.air.now)
        rig.run(.seconds(1))
        while rig.device.nextNotice() != nil {}
        rig.run(.seconds(1))
        #expect(rig.device.nextNotice() == nil)
        #expect(try rig.perform(.write(written.value, [8]), writer) == .written)
    }
}
