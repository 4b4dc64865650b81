// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Peripheral

/// Several devices on one radio: the advertising set tells which one a phone sees.
@Suite struct ServedDevicesTests {
    private static func database(_ name: String) throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: name, appearance: 0)
        builder.addService(BluetoothUUID(0x180D))
        builder.addCharacteristic(BluetoothUUID(0x2A37), properties: .notify)
        return try builder.build()
    }

    private static func rig() throws -> Rig {
        var camera = GATTServer.Configuration()
        camera.maximumMTU = 64
        let rig = Rig(
            .extended,
            devices: [
                ServedDevice(database: try database("lock"), advertisingSets: [1]),
                ServedDevice(database: try database("camera"), advertisingSets: [2, 3, 1], server: camera),
            ],
            sets: [Sample.set(1), Sample.set(2), Sample.set(3), Sample.set(4)])
        rig.start()
        return rig
    }

    private func link(_ rig: Rig, _ handle: UInt16, set: UInt8) throws -> (LinkID, LinkDescription) {
        rig.join(handle, set: set)
        for case .connected(let link, let description) in rig.takeEvents() { return (link, description) }
        throw RigFault.noLink
    }

    private enum RigFault: Error { case noLink }

    /// A set that two devices name leads to the first, and one that none names too.
    @Test(arguments: [(UInt8(1), 0), (2, 1), (3, 1), (4, 0)])
    func setLeadsToItsDevice(set: UInt8, device: Int) throws {
        let rig = try ServedDevicesTests.rig()
        #expect(try link(rig, 0x40, set: set).1.device == device)
    }

    /// Core 5.4, Vol 3, Part F, 3.4.4.4: the same handle, another value.
    @Test func eachDeviceHasItsAttributes() throws {
        let rig = try ServedDevicesTests.rig()
        _ = try (link(rig, 0x40, set: 1), link(rig, 0x41, set: 2))
        _ = rig.takeData()
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.att(0x41, [0x0A, 0x03, 0x00])
        #expect(
            rig.takeData() == ["0240000900050004000b6c6f636b", "0241000b00070004000b63616d657261"])
    }

    /// Part F, 3.4.2: each offers its own ATT_MTU.
    @Test func eachDeviceHasItsMTU() throws {
        let rig = try ServedDevicesTests.rig()
        let (lock, camera) = try (link(rig, 0x40, set: 1).0, link(rig, 0x41, set: 2).0)
        rig.att(0x40, [0x02, 0x05, 0x02])
        rig.att(0x41, [0x02, 0x05, 0x02])
        #expect(rig.takeData() == ["024000070003000400030502", "024100070003000400034000"])
        #expect((rig.mtu(lock), rig.mtu(camera)) == (517, 64))
    }

    @Test func subscriptionIsOfTheDeviceItWasMadeOn() throws {
        let rig = try ServedDevicesTests.rig()
        let (lock, camera) = try (link(rig, 0x40, set: 1).0, link(rig, 0x41, set: 2).0)
        rig.att(0x41, [0x12, 0x09, 0x00, 0x01, 0x00])
        #expect(rig.notify(camera, 8, [1]) == .accepted)
        #expect(rig.notify(lock, 8, [1]) == .notSubscribed)
    }

    /// The place of a link on one device is taken by a link of the other: nothing of the first is left.
    @Test func placeIsUsedAgainByTheOtherDevice() throws {
        let rig = try ServedDevicesTests.rig()
        _ = try link(rig, 0x40, set: 2)
        rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.disconnected(0x40)
        let (lock, _) = try link(rig, 0x40, set: 1)
        #expect(rig.notify(lock, 8, [1]) == .notSubscribed)
        rig.disconnected(0x40)
        let (camera, _) = try link(rig, 0x40, set: 2)
        #expect(rig.notify(camera, 8, [1]) == .notSubscribed)
        #expect(rig.mtu(camera) == 23)
    }

    /// The controller never says which set: the first device, which gives away least.
    @Test func linkOfAnUnknownSetBelongsToTheFirst() throws {
        let rig = try ServedDevicesTests.rig()
        rig.connect(0x40)
        rig.run(to: 11)
        let descriptions = rig.takeEvents().compactMap { event -> LinkDescription? in
            if case .connected(_, let description) = event { description } else { nil }
        }
        #expect(descriptions.map(\.device) == [0])
    }

    @Test func valueIsSetOnOneDevice() throws {
        let rig = try ServedDevicesTests.rig()
        _ = try (link(rig, 0x40, set: 1), link(rig, 0x41, set: 2))
        _ = rig.takeData()
        let name: [UInt8] = [0x78]
        try rig.host.setValue(name.span, of: AttributeHandle(rawValue: 3), device: 1)
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.att(0x41, [0x0A, 0x03, 0x00])
        #expect(rig.takeData() == ["0240000900050004000b6c6f636b", "0241000600020004000b78"])
        #expect(throws: AttributeValueError.unknownHandle) {
            try rig.host.setValue(name.span, of: AttributeHandle(rawValue: 3), device: 2)
        }
    }
}
