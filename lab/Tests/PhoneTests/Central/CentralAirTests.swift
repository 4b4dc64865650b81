// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

/// The central with a controller and a peripheral on the virtual air, end to end, without a protocol fault on any
/// side.
@Suite struct CentralAirTests {
    static let profiles: [ControllerProfile] = [.modern, .legacy, .minimal]
    static let random = BluetoothAddress.randomStatic(from: 0x1234)

    @Test(arguments: [0, 1, 2], [nil, random])
    func starts(profile: Int, address: BluetoothAddress?) {
        let rig = CentralRig(CentralAirTests.profiles[profile], address: address)
        rig.start()
        let own = address ?? BluetoothAddress(kind: .public, value: 0x1122_3344_5566)
        #expect(rig.takeEvents() == [.ready(own)])
        #expect(rig.central.isReady && rig.central.nextDeadline == nil)
        #expect(rig.controller.violations == [])
        // Again, started in the middle of operation.
        rig.central.start(at: rig.air.now)
        rig.start()
        #expect(rig.takeEvents() == [.ready(own)])
    }

    @Test(arguments: [0, 1])
    func scans(profile: Int) throws {
        let rig = CentralRig(CentralAirTests.profiles[profile], address: CentralAirTests.random)
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        rig.air.setRSSI(from: peripheral.controller, to: rig.controller, dBm: -72)
        try rig.central.startScanning(at: rig.air.now)
        rig.run(.milliseconds(500))
        let reports = rig.takeEvents().compactMap { event -> AdvertisementReport? in
            if case .report(let report) = event { report } else { nil }
        }
        #expect(reports.count >= 32)
        #expect(
            reports[0]
                == AdvertisementReport(
                    address: peripheral.advertised, rssi: -72, isScanResponse: false, isConnectable: true,
                    data: [2, 1, 6], scanResponse: nil))
        #expect(
            reports[1]
                == AdvertisementReport(
                    address: peripheral.advertised, rssi: -72, isScanResponse: true, isConnectable: true,
                    data: [2, 1, 6], scanResponse: [1, 2]))
        #expect(reports[2].scanResponse == [1, 2] && !reports[2].isScanResponse)
        rig.central.stopScanning(at: rig.air.now)
        rig.run(.milliseconds(10))
        _ = rig.takeEvents()
        rig.run(.milliseconds(500))
        #expect(rig.takeEvents() == [])
        #expect(rig.controller.violations == [])
    }

    @Test(arguments: [0, 1, 2])
    func exchangesPDUsOfAllSizes(profile: Int) throws {
        let rig = CentralRig(CentralAirTests.profiles[profile], address: CentralAirTests.random)
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        let link = try rig.connect(peripheral)
        #expect(rig.central.openLinks == [link])
        #expect(rig.central.peer(of: link) == peripheral.advertised)
        for count in [1, 3, 22, 23, 24, 100, 244, 247, 251, 512, 517] {
            let pdu = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
            try rig.central.sendAttribute(link, pdu.span)
            rig.run(.seconds(1), peripheral)
            #expect(peripheral.takeData() == [UInt8(count & 0xFF), UInt8(count >> 8), 4, 0] + pdu)
            #expect(rig.central.pendingPackets(link) == 0)
        }
        for count in [1, 23, 100, 200] {
            let pdu = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5) }
            peripheral.send(frame: pdu, channel: 4)
            rig.run(.milliseconds(500), peripheral)
            let received = rig.takeEvents().filter { if case .attribute = $0 { true } else { false } }
            #expect(received == [.attribute(link, pdu)])
        }
        #expect(rig.controller.violations + peripheral.controller.violations == [])
        #expect(rig.central.malformedPackets == 0)
    }

    @Test func linksEnd() throws {
        let rig = CentralRig(.legacy)
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        // Ended by this side, by the peer, and by distance.
        let first = try rig.connect(peripheral)
        rig.central.disconnect(first, at: rig.air.now)
        rig.central.disconnect(first, at: rig.air.now)
        rig.run(.milliseconds(100), peripheral)
        #expect(rig.takeEvents() == [.disconnected(first, reason: .localHostTerminated)])
        peripheral.send([0x0A, 0x20, 0x01, 0x01])
        let second = try rig.connect(peripheral)
        #expect(second != first)
        peripheral.send([0x06, 0x04, 0x03, 0x40, 0x00, 0x14])
        rig.run(.milliseconds(100), peripheral)
        #expect(rig.takeEvents() == [.disconnected(second, reason: .remoteLowResources)])
        peripheral.send([0x0A, 0x20, 0x01, 0x01])
        let third = try rig.connect(peripheral, ConnectionSettings(supervisionTimeout: .milliseconds(720)))
        rig.air.setLoss(from: peripheral.controller, to: rig.controller, share: 1)
        rig.run(.seconds(1), peripheral)
        #expect(rig.takeEvents() == [.disconnected(third, reason: .connectionTimeout)])
        #expect(rig.central.openLinks == [])
        let pdu: [UInt8] = [1]
        #expect(throws: CentralRefusal.gone) { try rig.central.sendAttribute(third, pdu.span) }
        #expect(rig.controller.violations + peripheral.controller.violations == [])
    }

    /// No peer present: the attempt ends by its limit, with the controller's 0x02, or by a cancel.
    @Test(arguments: [0, 1])
    func attemptsEnd(profile: Int) throws {
        let rig = CentralRig(CentralAirTests.profiles[profile])
        let peer = BluetoothAddress(kind: .random, value: 0xC000_0000_0001)
        #expect(throws: CentralRefusal.notReady) { try rig.central.connect(to: peer, at: rig.air.now) }
        rig.start()
        _ = rig.takeEvents()
        let settings = ConnectionSettings(timeLimit: .seconds(3))
        try rig.central.connect(to: peer, settings, at: rig.air.now)
        #expect(throws: CentralRefusal.connecting) { try rig.central.connect(to: peer, at: rig.air.now) }
        rig.run(.seconds(4))
        #expect(rig.events.map(\.at) == [.origin + .seconds(3)])
        #expect(rig.takeEvents() == [.connectionFailed(peer, .unknownConnection)])
        try rig.central.connect(to: peer, at: rig.air.now)
        rig.central.cancelConnecting(at: rig.air.now)
        #expect(rig.takeEvents() == [.connectionFailed(peer, .unknownConnection)])
        #expect(rig.central.nextDeadline == nil && rig.controller.violations == [])
    }

    /// A connection request that no device received looks like a link until six intervals have passed.
    @Test func aPhantomLink() throws {
        let rig = CentralRig()
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        rig.air.setLoss(from: rig.controller, to: peripheral.controller, share: 1)
        _ = rig.takeEvents()
        try rig.central.connect(to: peripheral.advertised, at: rig.air.now)
        rig.run(.seconds(1))
        let link = LinkID(slot: 0, generation: 1)
        #expect(
            rig.events.map(\.event) == [
                .connected(link, peripheral.advertised, interval: .milliseconds(30)),
                .disconnected(link, reason: .connectionFailedToBeEstablished),
            ])
        #expect(rig.events[1].at - rig.events[0].at == .milliseconds(180))
        #expect(rig.central.openLinks == [])
    }

    @Test func aControllerThatHangsOrBreaks() throws {
        let rig = CentralRig()
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        let link = try rig.connect(peripheral)
        rig.controller.failHardware(code: 7)
        #expect(rig.takeEvents() == [.disconnected(link, reason: .hardwareFailure), .failed(.hardwareError(code: 7))])
        #expect(!rig.central.isReady && rig.central.nextDeadline == nil)
        rig.controller.answersCommands = false
        rig.start()
        rig.run(.seconds(1))
        #expect(rig.takeEvents() == [])
        rig.run(.seconds(1))
        #expect(rig.takeEvents() == [.failed(.commandTimeout(opcode: 0x0C03))])
        rig.controller.answersCommands = true
        rig.start()
        #expect(rig.takeEvents().count == 1 && rig.central.isReady)
    }

    /// Core 5.4, Vol 3, Part A, 4.20 and 4.1; Part H, 3.5.5; Vol 4, Part E, 7.7.65.6.
    @Test func peripheralsThatWantThings() throws {
        let rig = CentralRig()
        let peripheral = RawPeripheral(rig.air)
        rig.start()
        let link = try rig.connect(peripheral)
        peripheral.send(frame: [0x12, 0x07, 8, 0, 12, 0, 12, 0, 0, 0, 200, 0], channel: 5)
        rig.run(.seconds(1), peripheral)
        #expect(peripheral.takeData() == [6, 0, 5, 0, 0x13, 0x07, 2, 0, 0, 0])
        #expect(rig.takeEvents().contains(.intervalChanged(link, .milliseconds(15))))
        // Impossible: the time-out is too short.
        peripheral.send(frame: [0x12, 0x08, 8, 0, 12, 0, 80, 0, 0, 0, 10, 0], channel: 5)
        rig.run(.milliseconds(100), peripheral)
        #expect(peripheral.takeData() == [6, 0, 5, 0, 0x13, 0x08, 2, 0, 1, 0])
        // An LE credit-based connection: not understood.
        peripheral.send(frame: [0x14, 0x09, 2, 0, 1, 2], channel: 5)
        rig.run(.milliseconds(100), peripheral)
        #expect(peripheral.takeData() == [6, 0, 5, 0, 0x01, 0x09, 2, 0, 0, 0])
        // A Security Request.
        peripheral.send(frame: [0x0B, 0x01], channel: 6)
        rig.run(.milliseconds(100), peripheral)
        #expect(peripheral.takeData() == [2, 0, 6, 0, 5, 5])
        peripheral.send(frame: [0x05, 0x08], channel: 6)
        // Through the controllers' own procedure, 20 to 30 ms.
        peripheral.send([0x13, 0x20, 14, 0x40, 0, 16, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0])
        rig.run(.seconds(1), peripheral)
        #expect(peripheral.takeData() == [])
        #expect(rig.takeEvents() == [.intervalChanged(link, .milliseconds(30))])
        #expect(rig.controller.violations + peripheral.controller.violations == [])
    }

    /// Four peripherals at once share the controller's buffers, and each gets its own.
    @Test func manyLinks() throws {
        let rig = CentralRig(.legacy)
        rig.start()
        let peripherals = (0..<4).map { RawPeripheral(rig.air, address: 0xA0 + UInt64($0)) }
        let links = try peripherals.map { try rig.connect($0) }
        #expect(Set(links.map(\.slot)) == [0, 1, 2, 3])
        let pdu = [UInt8](repeating: 9, count: 200)
        for (index, link) in links.enumerated() {
            var own = pdu
            own[0] = UInt8(index)
            try rig.central.sendAttribute(link, own.span)
        }
        rig.run(.seconds(1))
        for (index, peripheral) in peripherals.enumerated() {
            #expect(peripheral.takeData() == [200, 0, 4, 0, UInt8(index)] + pdu.dropFirst())
        }
        #expect(rig.controller.violations == [])
    }
}
