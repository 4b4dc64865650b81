// SPDX-License-Identifier: Apache-2.0

import AirRig
import CBOR
import HostLoop
import Peripheral
import SimBLE
import Testing
import Timekeeping
import VirtualRadio

/// The central role, by requests of apps, with a device on the virtual air.
@Suite struct CentralRoleTests {
    @Test func theStateFollowsTheController() throws {
        let rig = try ServerRig(starts: false)
        #expect(try rig.ask(2)[41] == .integer(0))
        let listener = try rig.connect()
        rig.run(.milliseconds(200))
        rig.app.host.start(at: rig.now)
        rig.run(.milliseconds(50))
        #expect(try rig.received(listener) == [[0: .integer(131), 41: .integer(5)]])
        #expect(try rig.ask(2)[41] == .integer(5))
        rig.app.host.transportLost(at: rig.now)
        #expect(try rig.received(listener) == [[0: .integer(131), 41: .integer(1)]])
        // Without a controller a scan is refused.
        #expect(try rig.ask(3)[1] == .integer(1))
    }

    @Test func hello() throws {
        let rig = try ServerRig()
        #expect(
            try rig.ask(1, [8: .integer(1), 14: .text("a"), 28: .text("App\u{1B}")])
                == [0: .integer(1), 1: .integer(0), 8: .integer(1)])
        #expect(rig.notices.contains(.app("App\\u{1b}")))
        #expect(try rig.ask(1, [8: .integer(2)])[10] == .integer(13))
        // The peripheral role is refused as by the published helper.
        #expect(try rig.ask(17)[10] == .integer(-3))
    }

    /// A device is reported at once, again with its scan response, and then each second, with its level.
    @Test func scans() throws {
        let rig = try ServerRig()
        rig.device.air.setRSSI(from: rig.device.controller, to: rig.app.controller, dBm: -61)
        let listener = try rig.connect()
        rig.run(.milliseconds(200))
        #expect(try rig.ask(3) == [0: .integer(3), 1: .integer(0)])
        rig.run(.milliseconds(2500))
        let reports = try rig.received(listener)
        #expect(reports.allSatisfy { $0[0] == .integer(128) && $0[30] == .octets(rig.peripheral) })
        #expect(reports.allSatisfy { $0[34] == .integer(-61) })
        #expect(reports.last?[35] == .text("thermometer"))
        #expect((3...5).contains(reports.count))
        #expect(try rig.ask(4) == [0: .integer(4), 1: .integer(0)])
        _ = try rig.received(listener)
        rig.run(.seconds(2))
        #expect(try rig.received(listener).isEmpty)
    }

    @Test func aScanForAServiceOmitsOtherDevices() throws {
        let rig = try ServerRig()
        let listener = try rig.connect()
        rig.run(.milliseconds(200))
        _ = try rig.ask(3, [50: .array([.text("180D")])])
        rig.run(.seconds(1))
        #expect(try rig.received(listener).isEmpty)
        #expect(rig.notices.contains(.scanning([BluetoothUUID(0x180D)])))
    }

    @Test func discoversReadsAndWrites() throws {
        let rig = try ServerRig()
        let id: [Int64: CBORValue] = [30: .octets(rig.peripheral)]
        #expect(try rig.ask(13, id)[41] == .integer(0))
        #expect(try rig.ask(5, id) == [0: .integer(5), 1: .integer(0), 30: .octets(rig.peripheral)])
        #expect(try rig.ask(13, id)[41] == .integer(2))
        // Nothing can be read before it is discovered.
        #expect(try rig.ask(9, rig.attribute(ServerRig.value))[10] == .integer(10))
        let services = try rig.ask(7, id)[50]
        #expect(services == .array(["1800", "1801", "1809"].map { .text($0) }))
        #expect(try rig.ask(7, id.merging([50: .array([.text("1809")])]) { $1 })[50] == .array([.text("1809")]))
        #expect(
            try rig.ask(8, id.merging([31: .text("1809")]) { $1 })
                == [
                    0: .integer(8), 1: .integer(0), 30: .octets(rig.peripheral), 31: .text("1809"),
                    51: .array([.text("2A1C"), .text("2A21")]),
                ])
        // A value that is longer than a packet of the least MTU.
        #expect(try rig.ask(9, rig.attribute(ServerRig.value))[33] == .octets([UInt8](repeating: 7, count: 200)))
        let write = rig.attribute(ServerRig.setting)
        #expect(
            try rig.ask(10, write.merging([33: .octets([4, 2]), 39: .integer(0)]) { $1 })
                == [0: .integer(10), 1: .integer(0)])
        #expect(rig.device.device.state.written == [[4, 2]])
        // The device's ATT error is the code.
        #expect(
            try rig.ask(10, write.merging([33: .octets([0xFF]), 39: .integer(0)]) { $1 })[10] == .integer(0x80))
        #expect(try rig.ask(12, id)[34] != nil)
        #expect(try rig.ask(6, id) == [0: .integer(6), 1: .integer(0), 30: .octets(rig.peripheral)])
        #expect(try rig.ask(13, id)[41] == .integer(0))
        #expect(rig.app.controller.violations == [])
    }

    @Test func notifies() throws {
        let rig = try ServerRig()
        try rig.discover()
        let listener = try rig.connect()
        rig.run(.milliseconds(200))
        let value = rig.attribute(ServerRig.value)
        #expect(try rig.ask(11, value.merging([40: .integer(1)]) { $1 })[40] == .integer(1))
        _ = try rig.ask(10, rig.attribute(ServerRig.setting).merging([33: .octets([9]), 39: .integer(0)]) { $1 })
        rig.run(.milliseconds(200))
        #expect(
            try rig.received(listener)
                == [value.merging([0: .integer(129), 33: .octets([9])]) { $1 }])
        #expect(try rig.ask(11, value.merging([40: .integer(0)]) { $1 })[40] == .integer(0))
        _ = try rig.ask(10, rig.attribute(ServerRig.setting).merging([33: .octets([8]), 39: .integer(0)]) { $1 })
        rig.run(.milliseconds(200))
        #expect(try rig.received(listener).isEmpty)
        // A characteristic without notifications and indications.
        #expect(
            try rig.ask(11, rig.attribute(ServerRig.setting).merging([40: .integer(1)]) { $1 })[10] == .integer(6))
    }

    /// The end of a link by distance is an event; a request on it is refused.
    @Test func linksEnd() throws {
        let rig = try ServerRig()
        try rig.discover()
        let listener = try rig.connect()
        rig.run(.milliseconds(200))
        rig.device.air.setLoss(from: rig.device.controller, to: rig.app.controller, share: 1)
        #expect(try rig.ask(9, rig.attribute(ServerRig.value))[10] == .integer(3))
        #expect(
            try rig.received(listener) == [[0: .integer(130), 10: .integer(6), 30: .octets(rig.peripheral)]])
        #expect(try rig.ask(12, [30: .octets(rig.peripheral)])[10] == .integer(3))
    }

    @Test func attemptsEnd() throws {
        let rig = try ServerRig()
        // No identifier of this server.
        #expect(try rig.ask(5, [30: .octets([1, 2, 3, 4])])[10] == .integer(12))
        // A device that does not advertise: the time limit, and a cancel by another connection.
        var absent = rig.peripheral
        absent[15] ^= 1
        #expect(try rig.ask(5, [30: .octets(absent)])[10] == .integer(6))
        let attempt = try rig.connect()
        rig.send(ServerRig.frame(5, [30: .octets(absent)]), attempt)
        rig.run(.milliseconds(100))
        #expect(try rig.ask(13, [30: .octets(absent)])[41] == .integer(1))
        #expect(try rig.ask(6, [30: .octets(absent)])[1] == .integer(0))
        #expect(try rig.received(attempt).map { $0[10] } == [.integer(5)])
        // Another device is connected behind an attempt.
        rig.send(ServerRig.frame(5, [30: .octets(absent)]), attempt)
        #expect(try rig.ask(5, [30: .octets(rig.peripheral)], within: .seconds(15))[1] == .integer(0))
    }

    /// The attempts of connections that have ended delay no other: each would last 10 s.
    @Test func attemptsEndWithTheirConnection() throws {
        let rig = try ServerRig()
        for number: UInt8 in 1...20 {
            var absent = rig.peripheral
            absent[15] ^= number
            let id = try rig.connect()
            rig.send(ServerRig.frame(5, [30: .octets(absent)]), id)
            rig.run(.milliseconds(10))
            rig.close(id)
        }
        #expect(try rig.ask(5, [30: .octets(rig.peripheral)], within: .seconds(2))[1] == .integer(0))
    }

    /// Requests of ended connections do not pile up behind a device that has gone.
    @Test func fewRequestsWaitForADevice() throws {
        let rig = try ServerRig()
        try rig.discover()
        rig.device.air.setLoss(from: rig.device.controller, to: rig.app.controller, share: 1)
        var refused = 0
        for _ in 0..<40 {
            let id = try rig.connect()
            rig.send(ServerRig.frame(9, rig.attribute(ServerRig.value)), id)
            if try rig.received(id).first?[10] == .integer(0) { refused += 1 }
            rig.close(id)
        }
        #expect(refused == 8)
    }

    /// An app that has ended keeps no link and no scan, as on iOS.
    @Test func anAppEnds() throws {
        let rig = try ServerRig()
        try rig.discover()
        _ = try rig.ask(3)
        rig.run(.seconds(4))
        #expect(rig.device.device.state.written.isEmpty && !rig.notices.contains(.appsEnded))
        rig.run(.seconds(2))
        #expect(rig.notices.contains(.appsEnded) && rig.notices.contains(.scanStopped))
        #expect(try rig.ask(13, [30: .octets(rig.peripheral)])[41] == .integer(0))
    }
}
