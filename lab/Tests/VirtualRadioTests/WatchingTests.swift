// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import VirtualRadio

/// Watching and changing the air from outside: links as they come and go, walls, the receiver's limit, new hosts.
@Suite struct WatchingTests {
    /// The changes so far, with the names of the two controllers.
    private func changes(_ pair: Linked) -> [String] {
        func name(_ controller: VirtualController) -> String {
            controller === pair.phone.controller ? "phone" : "reader"
        }
        var lines: [String] = []
        while let change = pair.air.nextLinkChange() {
            switch change {
            case .made(_, let central, let peripheral, let interval):
                lines.append("\(name(central)) to \(peripheral.map(name) ?? "nobody"), \(interval)")
            case .ended(_, let controller, let reason):
                lines.append("\(name(controller)) \(reason.map { "\($0.rawValue)" } ?? "reset")")
            }
        }
        return lines
    }

    private func connectAgain(_ pair: Linked) {
        pair.reader.advertiseLegacy()
        #expect(pair.phone.connect(to: octets(readerAddress)) == 0)
        pair.run(.milliseconds(100))
    }

    @Test func linksAreToldWhenTheyAreWatched() {
        let pair = Linked()
        #expect(changes(pair) == [])
        #expect(pair.air.openLinks.map(\.interval) == [.milliseconds(30)])
        #expect(pair.air.openLinks.first?.central === pair.phone.controller)
        #expect(pair.air.openLinks.first?.peripheral === pair.reader.controller)
        pair.air.keepsLinkChanges = true
        // Disconnect by the central (7.1.6): 0x16 for its host, its reason for the other.
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
        pair.run(.milliseconds(100))
        #expect(changes(pair).sorted() == ["phone 22", "reader 19"])
        #expect(pair.air.openLinks.isEmpty)
        connectAgain(pair)
        #expect(changes(pair) == ["phone to reader, 0.03 seconds"])
        #expect(pair.violations == [])
    }

    /// Core 5.4, Vol 6, Part B, 4.5.2: without a packet for six intervals the connection was never established.
    @Test func aRequestThatNobodyReceived() {
        let pair = Linked()
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
        pair.run(.milliseconds(100))
        pair.air.keepsLinkChanges = true
        pair.air.setLoss(from: pair.phone.controller, to: pair.reader.controller, share: 1)
        connectAgain(pair)
        pair.run(.milliseconds(200))
        #expect(changes(pair) == ["phone to nobody, 0.03 seconds", "phone 62"])
        #expect(pair.air.openLinks.isEmpty)
    }

    @Test func aWallIsTakenFromTheLevel() {
        let pair = Linked()
        let (phone, reader) = (pair.phone.controller, pair.reader.controller)
        pair.air.setAttenuation(from: phone, to: reader, dB: 12)
        #expect(pair.air.rssi(from: phone, to: reader) == -62 && pair.air.attenuation(from: phone, to: reader) == 12)
        #expect(pair.air.rssi(from: reader, to: phone) == -50)
        pair.run(.milliseconds(100))
        #expect(pair.reader.send(0x1405, pair.readerHandle.octets).last == UInt8(bitPattern: -62))
        #expect(pair.phone.send(0x1405, pair.phoneHandle.octets).last == UInt8(bitPattern: -50))
        // It stays while the level changes, and no level is below the lowest of HCI (7.5.4).
        pair.air.setRSSI(from: phone, to: reader, dBm: -70)
        #expect(pair.air.rssi(from: phone, to: reader) == -82)
        pair.air.setAttenuation(from: phone, to: reader, dB: 150)
        #expect(pair.air.rssi(from: phone, to: reader) == -126)
        pair.air.setAttenuation(from: phone, to: reader, dB: 0)
        #expect(pair.air.rssi(from: phone, to: reader) == -70)
    }

    @Test func belowTheReceiversLimitNothingIsReceived() {
        let pair = Linked()
        pair.air.sensitivity = -90
        pair.air.keepsLinkChanges = true
        for (from, to) in [
            (pair.phone.controller, pair.reader.controller), (pair.reader.controller, pair.phone.controller),
        ] {
            pair.air.walk(from: from, to: to, start: -90, end: -91, duration: .seconds(1))
        }
        pair.run(.milliseconds(400))
        #expect(changes(pair) == [])
        // The supervision time-out of 1 s (4.5.2).
        pair.run(.milliseconds(1700))
        #expect(changes(pair).sorted() == ["phone 8", "reader 8"])
    }

    /// A new host finds a controller as after power-on: no link, no packets for the host before, no state.
    @Test func aControllerStartsAnew() {
        let pair = Linked()
        pair.air.keepsLinkChanges = true
        pair.reader.advertiseLegacy()
        pair.phone.acl(pair.phoneHandle, [3, 0, 4, 0, 0x0A, 3, 0])
        #expect(pair.reader.status(0x0406, [0xFF, 0x0E, 0x13]) == 0x02)
        // Unsent packets wait for the host.
        pair.reader.controller.receive([0x01, 0x03, 0x10, 0x00].span)
        #expect(pair.reader.controller.packetCount > 0)
        #expect(pair.reader.controller.takeViolations() == ["disconnect: no link 3839"])
        #expect(pair.reader.controller.violations == [])
        pair.reader.controller.answersCommands = false
        pair.reader.controller.startAnew()
        #expect(pair.reader.controller.packetCount == 0 && pair.reader.controller.answersCommands)
        pair.run(.milliseconds(100))
        // The peer is told (0x15, remote device powered off).
        #expect(changes(pair) == ["reader reset", "phone 21"])
        #expect(pair.reader.inbox.isEmpty)
        // Before any other command, and without a violation of the order of commands.
        #expect(pair.reader.send(0x1009) == [0x04, 0x0E, 0x0A, 1, 0x09, 0x10, 0] + octets(readerAddress))
        #expect(pair.violations == [])
    }
}
