// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import VirtualRadio

/// The beginning and end of links: Core 5.4, Vol 4, Part E, 7.1.6, 7.8.12, 7.8.13; Vol 6, Part B, 4.5.
@Suite struct LinkTests {
    @Test func connectionCompleteToTheOctet() {
        let air = Air(seed: 1)
        let reader = RawHost(air, .legacy, address: readerAddress)
        let phone = RawHost(air, .legacy, address: phoneAddress)
        // The enhanced event only if the host enables it (7.7.65.10).
        for host in [reader, phone] {
            host.setUp()
            #expect(host.status(0x2001, [0x1F, 0, 0, 0, 0, 0, 0, 0]) == 0)
        }
        reader.advertiseLegacy()
        #expect(
            phone.send(0x200D, connectParameters(to: octets(readerAddress))) == [
                0x04, 0x0F, 0x04, 0x00, 0x01, 0x0D, 0x20,
            ])
        runAir(air, for: .milliseconds(40), reader, phone)
        #expect(
            reader.inbox.map(\.packet) == [
                [
                    0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x01, 0x00, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x18, 0,
                    0x00, 0, 0x64, 0, 0x05,
                ]
            ])
        #expect(
            phone.inbox.map(\.packet) == [
                [
                    0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1, 0x18, 0,
                    0x00, 0, 0x64, 0, 0x00,
                ]
            ])
        // The advertiser has stopped: only the link remains on the air.
        #expect(reader.controller.state.advertisers.allSatisfy { $0.run == nil })
        #expect(reader.controller.violations + phone.controller.violations == [])
    }

    @Test(arguments: [false, true])
    func aSetIsTerminatedBeforeOrAfter(before: Bool) {
        let air = Air(seed: 2)
        var profile = ControllerProfile.modern
        profile.terminatedBeforeConnectionComplete = before
        let reader = RawHost.ready(air, profile, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        reader.advertiseSet(3, address: setAddress)
        reader.advertiseSet(4, address: [9] + setAddress[1...])
        #expect(phone.connect(to: setAddress, kind: 1) == 0)
        runAir(air, for: .milliseconds(40), reader, phone)
        let subevents = reader.inbox.map { $0.packet[3] }
        #expect(subevents == (before ? [0x12, 0x0A, 0x14] : [0x0A, 0x12, 0x14]))
        #expect(
            reader.remove(subevent: 0x12).map(\.packet) == [[0x04, 0x3E, 0x06, 0x12, 0x00, 0x03, 0x40, 0x00, 0x00]])
        #expect(
            reader.remove(subevent: 0x0A).first?.packet == [
                0x04, 0x3E, 0x1F, 0x0A, 0x00, 0x40, 0x00, 0x01, 0x00, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0x18, 0, 0, 0, 0x64, 0, 0x05,
            ])
        #expect(reader.remove(subevent: 0x14).first?.packet == [0x04, 0x3E, 0x04, 0x14, 0x40, 0x00, 0x01])
        // The other set continues.
        #expect(reader.controller.state.advertisers.map { $0.run != nil } == [false, true])
    }

    @Test func initiatingRules() {
        let air = Air(seed: 1)
        let phone = RawHost.ready(air, .minimal, address: phoneAddress)
        // Supervision time-out 100 ms, interval 30 ms, latency 0: 100 > 60. With 60 ms: 100 < 120.
        #expect(phone.connect(to: setAddress, interval: 40, timeout: 10) == 0x12)
        #expect(phone.connect(to: setAddress, interval: 5) == 0x12)
        var random = connectParameters(to: setAddress)
        random[12] = 1
        #expect(phone.status(0x200D, random) == 0x12)
        #expect(phone.controller.violations.count == 3)
        #expect(phone.connect(to: setAddress) == 0)
        #expect(phone.connect(to: setAddress) == 0x0C)
        #expect(phone.status(0x2005, setAddress) == 0x0C)
        #expect(phone.controller.violations.count == 5)
        // Cancelled: Connection Complete with 0x02 after the response; then there is nothing to cancel.
        #expect(phone.status(0x200E) == 0)
        let cancelled = phone.remove(subevent: 0x0A)
        #expect(cancelled.count == 1 && cancelled[0].packet[4] == 0x02)
        #expect(phone.status(0x200E) == 0x0C)
        #expect(phone.controller.violations.count == 5)
    }

    /// The controller's limit: 0x09 for enabling connectable advertising and for connecting, and no advertisement is
    /// received.
    @Test func aFullController() {
        let pair = Linked(reader: .minimal, phone: .minimal)
        #expect(pair.reader.status(0x200A, [1]) == 0x09)
        #expect(pair.phone.connect(to: setAddress) == 0x09)
        #expect(pair.phone.connect(to: octets(readerAddress)) == 0x09)
        // Non-connectable advertising continues.
        let parameters: [UInt8] = [0x20, 0, 0x20, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0]
        #expect(pair.reader.status(0x2006, parameters) == 0)
        #expect(pair.reader.status(0x200A, [1]) == 0)
        #expect(pair.violations == [])
        let second = Linked()
        #expect(second.phone.connect(to: octets(readerAddress)) == 0x0B)
    }

    /// Vol 6, Part B, 4.5.2: the request is lost, and the initiator gives up after six intervals.
    @Test func aConnectionThatIsNotEstablished() {
        let air = Air(seed: 5)
        let reader = RawHost.ready(air, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        air.setLoss(from: phone.controller, to: reader.controller, share: 1)
        reader.advertiseLegacy()
        #expect(phone.connect(to: octets(readerAddress)) == 0)
        runAir(air, for: .seconds(1), reader, phone)
        let complete = phone.remove(subevent: 0x0A)
        let ended = phone.remove([0x04, 0x05])
        #expect(complete.count == 1 && complete[0].packet[4] == 0)
        #expect(ended.map(\.packet) == [[0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x3E]])
        #expect(ended[0].at - complete[0].at == .milliseconds(180))
        #expect(reader.inbox.isEmpty)
        // The reader never received the request, and still advertises.
        #expect(reader.controller.state.advertisers[0].run != nil)
    }

    @Test(arguments: [false, true], [0x13, 0x14, 0x15] as [UInt8])
    func disconnecting(byReader: Bool, reason: UInt8) {
        let pair = Linked()
        let (one, other) = byReader ? (pair.reader, pair.phone) : (pair.phone, pair.reader)
        let (handle, peer) =
            byReader ? (pair.readerHandle, pair.phoneHandle) : (pair.phoneHandle, pair.readerHandle)
        let start = pair.air.now
        #expect(one.send(0x0406, handle.octets + [reason]) == [0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04])
        #expect(one.inbox.isEmpty)
        pair.run(.milliseconds(30))
        let local = one.remove([0x04, 0x05])
        #expect(local.map(\.packet) == [[0x04, 0x05, 0x04, 0x00] + handle.octets + [0x16]])
        #expect(other.remove([0x04, 0x05]).map(\.packet) == [[0x04, 0x05, 0x04, 0x00] + peer.octets + [reason]])
        #expect(local[0].at > start)
        #expect(pair.air.nextDeadline == nil)
        #expect(one.status(0x0406, handle.octets + [reason]) == 0x02)
        #expect(pair.violations == ["disconnect: no link 64"])
    }

    @Test func disconnectingByTheRules() {
        let pair = Linked()
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x08]) == 0x12)
        #expect(pair.phone.status(0x0406, [0x99, 0x00, 0x13]) == 0x02)
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0x0C)
        #expect(pair.violations.count == 3)
    }

    /// A host cannot know that a link has ended while the event is pending: not a fault of its own.
    @Test func commandsThatCrossWithADisconnection() {
        let pair = Linked()
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
        pair.air.advance(to: pair.air.now + .milliseconds(100))
        pair.reader.acl(pair.readerHandle, [1, 2, 3])
        #expect(pair.reader.controller.hasPackets)
        let command = [0x01, 0x05, 0x14, 0x02] + pair.readerHandle.octets
        pair.reader.controller.receive(command.span)
        #expect(pair.violations == [])
        pair.reader.pump()
        #expect(pair.reader.status(0x1405, pair.readerHandle.octets) == 0x02)
        pair.reader.acl(pair.readerHandle, [1, 2, 3])
        #expect(pair.violations.count == 2)
    }

    /// Out of range: both ends give up exactly one supervision time-out after the last packet received.
    @Test func supervisionTimeout() {
        let pair = Linked(timeout: 50)
        let lastEvent = pair.air.nextDeadline ?? .origin
        pair.air.advance(to: lastEvent)
        pair.air.setLoss(from: pair.phone.controller, to: pair.reader.controller, share: 1)
        pair.run(.seconds(1))
        for (host, handle) in [(pair.reader, pair.readerHandle), (pair.phone, pair.phoneHandle)] {
            let ended = host.remove([0x04, 0x05])
            #expect(ended.map(\.packet) == [[0x04, 0x05, 0x04, 0x00] + handle.octets + [0x08]])
            #expect(ended.map(\.at) == [lastEvent + .milliseconds(500)])
        }
        #expect(pair.air.nextDeadline == nil)
    }

    @Test func disconnectingSomebodyWhoIsOutOfRange() {
        let pair = Linked(timeout: 50)
        pair.air.setLoss(from: pair.phone.controller, to: pair.reader.controller, share: 1)
        #expect(pair.reader.status(0x0406, pair.readerHandle.octets + [0x13]) == 0)
        pair.run(.milliseconds(400))
        #expect(pair.reader.remove([0x04, 0x05]).isEmpty)
        pair.run(.milliseconds(200))
        #expect(pair.reader.remove([0x04, 0x05]).map { $0.packet[6] } == [0x08])
    }

    /// A reset discards everything; the peer learns of it at its next event, or by its time-out (`.minimal`).
    @Test func reset() {
        let pair = Linked()
        #expect(pair.reader.status(0x0C03) == 0)
        #expect(pair.reader.inbox.isEmpty)
        pair.run(.milliseconds(30))
        #expect(pair.phone.remove([0x04, 0x05]).map { $0.packet[6] } == [0x15])
        #expect(pair.reader.status(0x1405, pair.readerHandle.octets) == 0x02)
        #expect(pair.air.nextDeadline == nil)
        let silent = Linked(reader: .minimal)
        #expect(silent.reader.status(0x0C03) == 0)
        silent.run(.milliseconds(900))
        #expect(silent.phone.remove([0x04, 0x05]).isEmpty)
        silent.run(.milliseconds(200))
        #expect(silent.phone.remove([0x04, 0x05]).map { $0.packet[6] } == [0x08])
    }

    /// Handles are reused, and never for two links at a time.
    @Test func handlesAreUsedAgain() {
        let pair = Linked()
        for _ in 0..<3 {
            #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
            pair.run(.milliseconds(100))
            #expect(pair.reader.status(0x200A, [1]) == 0)
            #expect(pair.phone.connect(to: octets(readerAddress)) == 0)
            pair.run(.milliseconds(100))
            #expect(pair.phone.remove(subevent: 0x0A).map { $0.packet[5] } == [0x40])
        }
        #expect(pair.violations == [])
    }

    /// 7.5.4: the level of the last packet of that link; before the first one, the value of the profile.
    @Test(arguments: [0, 127] as [Int8])
    func rssi(before: Int8) {
        var profile = ControllerProfile.modern
        profile.rssiBeforeFirstPacket = before
        let air = Air(seed: 4)
        let reader = RawHost.ready(air, profile, address: readerAddress)
        let phone = RawHost.ready(air, address: phoneAddress)
        reader.advertiseLegacy()
        air.setRSSI(from: phone.controller, to: reader.controller, dBm: -77)
        #expect(phone.connect(to: octets(readerAddress)) == 0)
        while reader.controller.state.links.isEmpty, let next = air.nextDeadline { air.advance(to: next) }
        let answer: [UInt8] = [0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00]
        #expect(reader.send(0x1405, [0x40, 0x00]) == answer + [UInt8(bitPattern: before)])
        runAir(air, for: .milliseconds(60), reader, phone)
        #expect(reader.send(0x1405, [0x40, 0x00]) == answer + [0xB3])
        #expect(phone.send(0x1405, [0x40, 0x00]) == answer + [0xCE])
        air.setRSSI(from: phone.controller, to: reader.controller, dBm: -40)
        #expect(reader.send(0x1405, [0x40, 0x00]) == answer + [0xB3])
        runAir(air, for: .milliseconds(30), reader, phone)
        #expect(reader.send(0x1405, [0x40, 0x00]) == answer + [0xD8])
        // Unknown: the response has the handle, and no level.
        #expect(reader.send(0x1405, [0x41, 0x00]) == [0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x02, 0x41, 0x00, 0x00])
    }

    /// 7.8.5: with the filter accept list only its devices connect; requests of others are ignored.
    @Test func onlyThoseOnTheAcceptList() {
        let air = Air(seed: 6)
        let reader = RawHost.ready(air, address: readerAddress)
        #expect(reader.status(0x2011, [0] + octets(phoneAddress)) == 0)
        let parameters: [UInt8] = [0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 2]
        #expect(reader.status(0x2006, parameters) == 0)
        #expect(reader.status(0x200A, [1]) == 0)
        #expect(reader.status(0x2012, [0] + octets(phoneAddress)) == 0x0C)
        let stranger = RawHost.ready(air, address: 7)
        #expect(stranger.connect(to: octets(readerAddress)) == 0)
        runAir(air, for: .seconds(1), reader, stranger)
        #expect(stranger.remove([0x04, 0x05]).map { $0.packet[6] } == [0x3E])
        #expect(reader.inbox.isEmpty)
        // The initiator's list: any device on it (7.8.12).
        let phone = RawHost.ready(air, address: phoneAddress)
        #expect(phone.status(0x2011, [0] + octets(readerAddress)) == 0)
        var listed = connectParameters(to: octets(0))
        listed[4] = 1
        #expect(phone.status(0x200D, listed) == 0)
        runAir(air, for: .milliseconds(60), reader, phone)
        #expect(reader.remove(subevent: 0x0A).count == 1)
        #expect(phone.remove(subevent: 0x0A).map { Array($0.packet[9..<15]) } == [octets(readerAddress)])
    }

    /// Vol 6, Part B, 2.3.1: directed advertising addresses one device; scannable and non-connectable advertising
    /// accepts none.
    @Test(arguments: [2, 3, 4] as [UInt8])
    func kindsThatAStrangerCannotConnectTo(type: UInt8) {
        let air = Air(seed: 6)
        let reader = RawHost.ready(air, address: readerAddress)
        let parameters: [UInt8] = [0x20, 0, 0x20, 0, type, 0, 0] + octets(phoneAddress) + [7, 0]
        #expect(reader.status(0x2006, parameters) == 0)
        #expect(reader.status(0x200A, [1]) == 0)
        let stranger = RawHost(air, address: 7)
        let phone = RawHost(air, address: phoneAddress)
        for host in [stranger, phone] {
            host.setUp()
            host.scanLegacy()
        }
        #expect(stranger.connect(to: octets(readerAddress)) == 0)
        runAir(air, for: .milliseconds(200), stranger, phone)
        #expect(stranger.remove(subevent: 0x0A).isEmpty)
        let kinds = Set(phone.remove(subevent: 0x02).map { $0.packet[5] })
        #expect(kinds == (type == 2 ? [2, 4] : type == 3 ? [3] : [1]))
        #expect(stranger.remove(subevent: 0x02).isEmpty == (type == 4))
        #expect(phone.connect(to: octets(readerAddress)) == 0)
        runAir(air, for: .milliseconds(200), stranger, phone)
        #expect(phone.remove(subevent: 0x0A).count == (type == 4 ? 1 : 0))
    }
}
