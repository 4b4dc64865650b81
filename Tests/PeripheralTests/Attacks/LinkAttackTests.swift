// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Phones that violate the protocols of a link, in a complete host: one has no effect on another, nor on the next link
/// with its handle.
@Suite struct LinkAttackTests {
    private static let read: [UInt8] = [0x0A, 0x03, 0x00]
    /// The device name in one PDU, for the link with handle 0x40 or another.
    private static func name(_ handle: UInt8 = 0x40) -> String {
        hex([0x02, handle, 0x00]) + "0d00" + "09000400" + "0b" + "7761307931597753"
    }

    private func running(
        links: Int = 1, _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> (Rig, [LinkID]) {
        var configuration = HostConfiguration.unverified
        change(&configuration)
        let rig = try Rig(.extended, sets: [Sample.set(1)], configuration: configuration).started()
        for handle in 0..<links { connect(rig, UInt16(0x40 + handle)) }
        let ids = rig.takeEvents().compactMap(\.connectedLink)
        _ = (rig.takeCommands(), rig.takeData())
        return (rig, ids)
    }

    private func connect(_ rig: Rig, _ handle: UInt16) {
        rig.join(handle)
    }

    private func isServed(_ rig: Rig, _ handle: UInt16 = 0x40) -> Bool {
        _ = rig.takeData()
        rig.att(handle, LinkAttackTests.read)
        defer { rig.complete(handle, 1) }
        return rig.takeData() == [LinkAttackTests.name(UInt8(handle))]
    }

    @Test("Requests back to back, in one burst or one event loop: each is answered once, in order (CVE-2019-19192)")
    func requestsBackToBack() throws {
        let (rig, _) = try running()
        // Nobody takes what is to be sent between the three (Core 5.4, Vol 3, Part F, 3.3.2 forbids a client this).
        rig.host.receive(ControllerPacket.data(0x40, [0x02, 0x17, 0x00]).span, at: rig.now)
        rig.host.receive(ControllerPacket.data(0x40, LinkAttackTests.read).span, at: rig.now)
        rig.send(ControllerPacket.data(0x40, [0x0A, 0x77, 0x00]))
        #expect(
            rig.takeData() == [
                "024000" + "0700" + "03000400" + "030502", LinkAttackTests.name(),
                "024000" + "0900" + "05000400" + "010a770001",
            ])
        rig.complete(0x40, 3)
        #expect(isServed(rig))
    }

    @Test("An ATT PDU of no octets is not answered, and the next one is")
    func emptyPDU() throws {
        let (rig, ids) = try running()
        rig.att(0x40, [])
        #expect(rig.takeData() == [] && rig.takeEvents() == [])
        #expect(isServed(rig) && ids.count == 1)
    }

    /// CVE-2019-19195, CVE-2019-17517: a PDU that is begun and never finished.
    @Test("What is left of a PDU when its link ends is not the beginning of the next link's")
    func fragmentAcrossADisconnection() throws {
        let (rig, _) = try running()
        let frame = Array(ControllerPacket.data(0x40, LinkAttackTests.read).dropFirst(5))
        rig.send([0x02, 0x40, 0x20, 5, 0] + frame.prefix(5))
        rig.disconnected(0x40)
        connect(rig, 0x40)
        let before = rig.host.ignoredPackets
        rig.send([0x02, 0x40, 0x10, 2, 0] + frame.suffix(2))
        #expect(rig.takeData() == [] && rig.host.ignoredPackets == before + 1)
        #expect(isServed(rig))
    }

    @Test(
        "Every length in an L2CAP header, with more or fewer octets behind it, and every low channel: no trap, no wedge"
    )
    func lengthsAndChannels() throws {
        let (rig, ids) = try running()
        for length in [0, 1, 2, 3, 22, 23, 24, 516, 517, 518, 0x7FFF, 0xFFFF] {
            for channel in 0...0x41 {
                for count in [0, 1, 3, 23] {
                    let frame = [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(channel), 0]
                    let body = [UInt8](repeating: 0xFF, count: count)
                    rig.send([0x02, 0x40, 0x20, UInt8(4 + count), 0] + frame + body)
                    rig.send([0x02, 0x40, 0x10, UInt8(count), 0] + body)
                }
                rig.complete(0x40, 8)
            }
        }
        #expect(!rig.takeEvents().contains(.disconnected(ids[0], reason: .remoteLowResources)))
        _ = rig.takeCommands()
        #expect(isServed(rig))
    }

    /// CVE-2021-3434, CVE-2023-5055: lists of channels that overflow an array.
    @Test("Enhanced connection requests with no channel up to one hundred: one short answer each, and no channel")
    func enhancedConnectionRequests() throws {
        let (rig, _) = try running()
        for channels in 0...100 {
            let data = [0x27, 0x00, 0x40, 0x00, 0x40, 0x00, 0x01, 0x00] + [UInt8](repeating: 0x50, count: channels * 2)
            let command = [0x17, 0x01, UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
            let pdu = ControllerPacket.data(0x40, command, channel: 5)
            rig.send(ControllerPacket.data(0x40, [0x0A, 0x03], channel: 0x50))
            rig.send(pdu)
            let answers = rig.takeData()
            // 4 octets of HCI header and type, 4 of L2CAP, and a command of at most 23 (Vol 3, Part A, 4).
            #expect(answers.count <= 1 && answers.allSatisfy { $0.count <= 2 * (5 + 4 + 23) }, "\(channels) channels")
            rig.complete(0x40, 1)
        }
        #expect(isServed(rig))
    }

    @Test("Ten thousand prepared parts on every link: bounded, refused with 09, and freed when the links end")
    func preparedWrites() throws {
        let (rig, ids) = try running(links: 4) { $0.links = 4 }
        var refused = 0
        for round in 0..<10_000 {
            let handle = UInt16(0x40 + round % 4)
            rig.att(handle, [0x16, 0x06, 0x00, UInt8(round & 0xFF), 0x00, 1, 2, 3])
            let answers = rig.takeData()
            if answers.last?.hasSuffix("0116060009") == true { refused += 1 }
            rig.complete(handle, 1)
        }
        let limit = GATTServer.Configuration().preparedWrites
        #expect(refused > 9000 && rig.host.servers[0].preparedParts <= limit.parts)
        #expect(rig.host.servers[0].preparedOctets <= limit.octets)
        for handle in 0x40..<0x44 { rig.disconnected(UInt16(handle)) }
        #expect(rig.host.servers[0].preparedParts == 0 && rig.host.servers[0].preparedOctets == 0)
        #expect(rig.takeEvents().count { if case .disconnected = $0 { true } else { false } } == ids.count)
    }

    /// CVE-2021-43400, CVE-2026-11368: a handler that answers a link which has ended meanwhile.
    @Test("What a device does for a link that has ended reaches nobody, though a new link has its handle and its slot")
    func answerToALinkThatHasEnded() throws {
        let (rig, ids) = try running()
        rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.complete(0x40, 1)
        #expect(rig.notify(ids[0], 8, [1]) == .accepted)
        rig.settle()
        rig.disconnected(0x40)
        connect(rig, 0x40)
        rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.complete(0x40, 1)
        let next = rig.takeEvents().compactMap(\.connectedLink).last
        #expect(next?.slot == ids[0].slot && next != ids[0])
        _ = (rig.takeData(), rig.takeCommands())
        #expect(rig.notify(ids[0], 8, [2]) == .gone)
        #expect(!rig.readRSSI(ids[0]) && rig.mtu(ids[0]) <= 23)
        rig.act { $0.disconnect(ids[0], reason: .remoteUserTerminated, at: $1) }
        #expect(rig.takeData() == [] && rig.takeCommands() == [] && rig.takeEvents() == [])
        #expect(isServed(rig))
    }

    /// The event was on its way to the device when the link ended, and its handler looks at it only then.
    @Test("A write that is looked at after its link has ended is answered into the void, in order")
    func writeThatIsLookedAtLate() throws {
        let (rig, ids) = try running()
        rig.host.receive(ControllerPacket.data(0x40, [0x52, 0x06, 0x00, 7]).span, at: rig.now)
        rig.host.receive([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13].span, at: rig.now)
        #expect(rig.notify(ids[0], 8, [1]) == .gone)
        #expect(rig.nextEvent() == .written(ids[0], AttributeHandle(rawValue: 6), value: 0..<1))
        #expect(rig.host.eventOctets == [7])
        #expect(rig.nextEvent() == .disconnected(ids[0], reason: .remoteUserTerminated))
        rig.settle()
        #expect(rig.takeData() == [])
    }

    /// CVE-2026-2411 and its like: a value goes to whom it was not meant for.
    @Test("Of two phones one subscribes: only it is notified; nor does the next phone on its handle inherit that")
    func notificationsAreForSubscribers() throws {
        let (rig, ids) = try running(links: 2)
        rig.att(0x41, [0x12, 0x09, 0x00, 0x01, 0x00])
        rig.complete(0x41, 1)
        _ = rig.takeData()
        #expect(rig.notify(ids[0], 8, [1]) == .notSubscribed)
        #expect(rig.notify(ids[1], 8, [2]) == .accepted)
        rig.settle()
        #expect(rig.takeData() == ["024100" + "0800" + "04000400" + "1b080002"])
        rig.disconnected(0x41)
        connect(rig, 0x41)
        let next = try #require(rig.takeEvents().compactMap(\.connectedLink).last)
        _ = rig.takeData()
        #expect(rig.notify(next, 8, [3]) == .notSubscribed)
        rig.settle()
        #expect(rig.takeData() == [])
    }

    @Test("300 links, each gone in the middle of something, leave nothing behind, and the next one is served")
    func reconnectFlood() throws {
        let (rig, _) = try running(links: 0) { $0.links = 2 }
        for round in 0..<300 {
            connect(rig, 0x40)
            rig.att(0x40, [0x02, 0x05, 0x02])
            rig.att(0x40, [0x12, 0x09, 0x00, 0x01, 0x00])
            rig.att(0x40, [0x16, 0x06, 0x00, 0x00, 0x00, 1, 2, 3])
            let id = try #require(rig.takeEvents().compactMap(\.connectedLink).first)
            for _ in 0..<20 { _ = rig.notify(id, 8, [UInt8](repeating: 5, count: 200)) }
            _ = rig.readRSSI(id)
            // An incomplete PDU, and a PDU for the next link.
            rig.send([0x02, 0x40, 0x20, 5, 0, 0x03, 0x00, 0x04, 0x00, 0x0A])
            rig.disconnected(0x40, reason: round % 2 == 0 ? 0x08 : 0x13)
            rig.run(to: Double(rig.now.nanoseconds) / 1e6 + 25)
            #expect(id.slot == 0, "round \(round)")
            _ = (rig.takeEvents(), rig.takeData(), rig.takeCommands())
        }
        #expect(rig.host.servers[0].preparedParts == 0 && rig.host.servers[0].preparedOctets == 0)
        #expect(rig.host.connections.allSatisfy { $0.client.deadline == nil } && rig.host.nextDeadline == nil)
        #expect(rig.host.connections.allSatisfy { $0.outbound.isEmpty })
        #expect(rig.host.rejected.isEmpty && rig.host.terminatedSets.isEmpty && rig.host.unclaimed.entries.isEmpty)
        connect(rig, 0x40)
        #expect(isServed(rig))
    }
}
