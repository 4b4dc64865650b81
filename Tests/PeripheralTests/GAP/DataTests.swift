// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct DataTests {
    private func running(
        buffers: [UInt8] = [0xFB, 0x00, 0x08], links: Int = 1, _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> (Rig, [LinkID]) {
        var controller = ScriptedController.extended
        controller.leBuffers = buffers
        var configuration = HostConfiguration.unverified
        change(&configuration)
        return try Rig.linked(controller, links: links, configuration: configuration)
    }

    private func subscribe(_ rig: Rig, _ handle: UInt16 = 0x40) {
        rig.att(handle, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.complete(handle, 1)
        _ = (rig.takeData(), rig.takeEvents())
    }

    private static let read: [UInt8] = [0x0A, 0x03, 0x00]
    private static let name = "0d00" + "09000400" + "0b" + "7761307931597753"

    @Test func readIsAnswered() throws {
        let (rig, _) = try running()
        rig.att(0x40, DataTests.read)
        #expect(rig.takeData() == ["024000" + DataTests.name])
    }

    /// Core 5.4, Vol 4, Part E, 5.4.2: flag 10 or 00 starts a frame, 01 continues it; broadcasts and flag 11 are
    /// ignored by a host.
    @Test func boundaryAndBroadcastFlags() throws {
        let (rig, _) = try running()
        for (first, second) in [(0x20, 0x10), (0x00, 0x10)] as [(UInt8, UInt8)] {
            rig.send([0x02, 0x40, first, 3, 0, 0x03, 0x00, 0x04])
            rig.send([0x02, 0x40, second, 4, 0, 0x00, 0x0A, 0x03, 0x00])
            #expect(rig.takeData() == ["024000" + DataTests.name])
        }
        let before = rig.host.ignoredPackets
        for flags in [0x60, 0xA0, 0xE0, 0x30] as [UInt8] {
            var packet = ControllerPacket.data(0x40, DataTests.read)
            packet[2] = flags
            rig.send(packet)
        }
        #expect(rig.takeData() == [] && rig.host.ignoredPackets == before + 4)
    }

    /// Octet by octet, and every packet with a wrong length.
    @Test func lengths() throws {
        let (rig, _) = try running()
        let frame = ControllerPacket.data(0x40, DataTests.read).dropFirst(5)
        for (index, octet) in frame.enumerated() {
            #expect(rig.takeData() == [])
            rig.send([0x02, 0x40, index == 0 ? 0x20 : 0x10, 1, 0, octet])
        }
        #expect(rig.takeData() == ["024000" + DataTests.name])
        let packet = ControllerPacket.data(0x40, DataTests.read)
        for count in 0..<packet.count { rig.send(Array(packet.prefix(count))) }
        rig.send(packet + [0x00])
        #expect(rig.takeData() == [])
        rig.send(packet)
        #expect(rig.takeData().count == 1)
    }

    @Test func otherChannels() throws {
        let (rig, _) = try running()
        // Pairing is not supported; channel 0x40 is not open.
        rig.send(ControllerPacket.data(0x40, [0x01, 0x03, 0x00, 0x00, 0x10, 0x01, 0x01], channel: 6))
        rig.send(ControllerPacket.data(0x40, [0x0A, 0x01, 0x02, 0x00, 0x02, 0x00], channel: 5))
        rig.send(ControllerPacket.data(0x40, DataTests.read, channel: 0x40))
        #expect(
            rig.takeData() == [
                "024000" + "0600" + "02000600" + "0505", "024000" + "0a00" + "06000500" + "010102000000",
            ])
    }

    @Test func writesReachTheDevice() throws {
        let (rig, ids) = try running()
        rig.host.receive(ControllerPacket.data(0x40, [0x52, 0x06, 0x00, 1, 2, 3]).span, at: rig.now)
        rig.host.receive(ControllerPacket.data(0x40, [0x12, 0x06, 0x00, 4, 5]).span, at: rig.now)
        // Nobody has taken the events between: the octets of both are there.
        let attribute = AttributeHandle(rawValue: 6)
        #expect(rig.nextEvent() == .written(ids[0], attribute, value: 0..<3))
        #expect(rig.nextEvent() == .written(ids[0], attribute, value: 3..<5))
        #expect(rig.nextEvent() == nil)
        #expect(rig.host.eventOctets == [1, 2, 3, 4, 5])
        rig.host.receive(ControllerPacket.data(0x40, [0x52, 0x06, 0x00, 6]).span, at: rig.now)
        #expect(rig.host.eventOctets == [6])
    }

    @Test func mtuAndSubscription() throws {
        let (rig, ids) = try running()
        #expect(rig.mtu(ids[0]) == 23)
        rig.att(0x40, [0x02, 0xF7, 0x00])
        #expect(rig.takeEvents() == [.mtuExchanged(ids[0], 247)] && rig.mtu(ids[0]) == 247)
        rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
        #expect(rig.takeEvents() == [.subscribed(ids[0], AttributeHandle(rawValue: 8), .notification)])
        rig.disconnected(0x40)
        #expect(rig.mtu(ids[0]) == 23)
        // The next link begins anew.
        let next = try rig.link()
        #expect(
            rig.mtu(next) == 23 && rig.notify(next, 8, [1]) == .notSubscribed && rig.notify(ids[0], 8, [1]) == .gone)
    }

    // MARK: - Fragments and flow control

    /// 27 octets at a time, the first one with flag 00, the others with 01.
    @Test func notificationInFragments() throws {
        let (rig, ids) = try running(buffers: [27, 0, 8])
        rig.att(0x40, [0x02, 0xF7, 0x00])
        rig.complete(0x40, 1)
        subscribe(rig)
        #expect(rig.notify(ids[0], 8, Array(0..<60)) == .accepted)
        rig.settle()
        let frame = "3f0004001b0800" + hex(Array(0..<60))
        let packets = [
            "0240001b00\(frame.prefix(54))", "0240101b00\(frame.dropFirst(54).prefix(54))",
            "0240100d00\(frame.dropFirst(108))",
        ]
        #expect(rig.takeData() == packets)
        #expect(rig.notify(ids[0], 8, Array(repeating: 0, count: 245)) == .tooLong)
        #expect(rig.notify(ids[0], 6, [1]) == .notSubscribed)
    }

    /// Core 5.4, Vol 4, Part E, 4.1.1: no more packets than buffers, until the controller reports completed packets.
    @Test func buffersAreCounted() throws {
        let (rig, ids) = try running(buffers: [27, 0, 4])
        subscribe(rig)
        for value in 0..<10 as Range<UInt8> { #expect(rig.notify(ids[0], 8, [value]) == .accepted) }
        rig.settle()
        // One buffer is kept for a link that may come.
        #expect(rig.takeData().map { $0.suffix(2) } == ["00", "01", "02"])
        rig.complete(0x40, 2)
        #expect(rig.takeData().map { $0.suffix(2) } == ["03", "04"])
        // More than there were: not believed.
        rig.complete(0x40, 200)
        #expect(rig.takeData().map { $0.suffix(2) } == ["05", "06", "07"])
        rig.complete(0x40, 0)
        #expect(rig.takeData() == [])
        rig.complete(0x40, 3)
        #expect(rig.takeData().map { $0.suffix(2) } == ["08", "09"])
    }

    @Test func oneBufferIsEnough() throws {
        let (rig, _) = try running(buffers: [27, 0, 1], links: 2)
        rig.att(0x40, DataTests.read)
        rig.att(0x41, DataTests.read)
        #expect(rig.takeData() == ["024000" + DataTests.name])
        rig.complete(0x40, 1)
        #expect(rig.takeData() == ["024100" + DataTests.name])
    }

    /// A phone out of range keeps its buffers; the others continue with the rest.
    @Test func linkThatNeverDrainsDoesNotStarveTheOthers() throws {
        let (rig, ids) = try running(buffers: [27, 0, 8], links: 3)
        subscribe(rig)
        for value in 0..<50 as Range<UInt8> { _ = rig.notify(ids[0], 8, [value]) }
        rig.settle()
        #expect(rig.takeData().count == 5)
        for handle in [0x41, 0x42] as [UInt16] {
            rig.att(handle, DataTests.read)
            #expect(rig.takeData() == ["02" + hex([UInt8(handle)]) + "00" + DataTests.name])
        }
        // And a link that comes now finds a buffer, too.
        rig.join(0x43)
        rig.att(0x43, DataTests.read)
        #expect(rig.takeData() == ["024300" + DataTests.name])
        // The buffers of a link that ends are free (4.1.1).
        rig.disconnected(0x40, reason: 0x08)
        rig.complete(0x41, 1)
        rig.att(0x41, DataTests.read)
        #expect(rig.takeData().count == 1)
    }

    @Test func linksTakeTurns() throws {
        let (rig, ids) = try running(buffers: [27, 0, 2], links: 2)
        subscribe(rig, 0x40)
        subscribe(rig, 0x41)
        for value in 0..<4 as Range<UInt8> {
            for link in ids { _ = rig.notify(link, 8, [value]) }
        }
        rig.settle()
        for _ in 0..<3 {
            rig.complete(0x40, 1)
            rig.complete(0x41, 1)
        }
        #expect(rig.takeData().map { $0.dropFirst(2).prefix(2) } == ["40", "41", "40", "41", "40", "41", "40", "41"])
    }

    @Test func busyAndWritable() throws {
        let (rig, ids) = try running(buffers: [27, 0, 2]) { $0.notificationQueueOctets = 1024 }
        subscribe(rig)
        var accepted = 0
        while rig.notify(ids[0], 8, Array(repeating: 7, count: 20)) == .accepted, accepted < 1000 { accepted += 1 }
        rig.settle()
        #expect(accepted > 20 && accepted < 60)
        #expect(rig.notify(ids[0], 8, Array(repeating: 7, count: 20)) == .busy)
        // An answer always has room.
        rig.att(0x40, DataTests.read)
        var steps = 0
        while !rig.events.contains(.writable(ids[0])), steps < 1000 {
            rig.complete(0x40, 1)
            steps += 1
        }
        #expect(steps < 1000 && rig.notify(ids[0], 8, [1]) == .accepted)
        #expect(rig.takeEvents() == [.writable(ids[0])])
        for _ in 0..<200 { rig.complete(0x40, 1) }
        #expect(rig.takeData().contains("024000" + DataTests.name) && rig.takeEvents() == [])
    }

    /// A client that sends requests without reading the responses is disconnected (HostLimits.waitingResponses).
    @Test func floodOfRequests() throws {
        let (rig, ids) = try running(buffers: [27, 0, 2])
        for _ in 0..<HostLimits.waitingResponses + 1 { rig.att(0x40, DataTests.read) }
        #expect(rig.takeCommands() == [] && rig.takeData().count == 1)
        rig.att(0x40, DataTests.read)
        #expect(rig.takeCommands() == ["060403" + "4000" + "14"])
        for _ in 0..<1000 { rig.att(0x40, DataTests.read) }
        #expect(rig.takeData() == [])
        rig.disconnected(0x40, reason: 0x16)
        #expect(rig.takeEvents() == [.disconnected(ids[0], reason: .localHostTerminated)])
    }

    // MARK: - Early data

    /// RootCanal's quirk `send_acl_data_before_connection_complete`; on USB, events and data have separate endpoints.
    @Test func dataBeforeItsConnection() throws {
        let (rig, _) = try running(links: 0)
        rig.att(0x40, DataTests.read)
        rig.att(0x41, DataTests.read)
        rig.run(to: 15)
        rig.connect(0x40)
        #expect(rig.takeData() == [])
        rig.terminate(set: 1, handle: 0x40)
        #expect(rig.takeData() == ["024000" + DataTests.name])
    }

    @Test func dataLongBeforeItsConnection() throws {
        let (rig, _) = try running(links: 0)
        rig.att(0x40, DataTests.read)
        rig.run(to: 21)
        rig.join()
        #expect(rig.takeData() == [])
    }

    /// Data of an ended connection is not delivered to the next.
    @Test func dataAcrossADisconnection() throws {
        let (rig, _) = try running(links: 0)
        rig.att(0x40, DataTests.read)
        rig.disconnected(0x40)
        rig.join()
        #expect(rig.takeData() == [])
    }

    @Test func earlyDataIsBounded() throws {
        let (rig, _) = try running(links: 0)
        let before = rig.host.ignoredPackets
        for _ in 0..<100 { rig.att(0x77, DataTests.read) }
        #expect(rig.host.ignoredPackets == before + 100 - EarlyACLData.maximumEntries)
        rig.run(to: 30)
        // A new link that sends more than can be held before it is known is disconnected, unseen.
        rig.connect(0x40)
        for _ in 0..<100 { rig.att(0x40, [0x52, 0x06, 0x00, 1]) }
        #expect(rig.takeCommands() == ["060403" + "4000" + "14"])
        rig.terminate(set: 1, handle: 0x40)
        rig.run(to: 100)
        rig.disconnected(0x40)
        #expect(rig.takeEvents() == [])
    }
}
