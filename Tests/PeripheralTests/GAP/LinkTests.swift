// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

@Suite struct LinkTests {
    private func running(
        _ controller: ScriptedController = .extended, links: Int = 16,
        _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Rig {
        var configuration = HostConfiguration.unverified
        configuration.links = links
        change(&configuration)
        let rig = try Rig(controller, sets: [Sample.set(1), Sample.set(2)], configuration: configuration).started()
        _ = (rig.takeCommands(), rig.takeEvents())
        return rig
    }

    private func link(_ rig: Rig, _ handle: UInt16, set: UInt8 = 1) throws -> LinkID {
        defer { _ = rig.takeCommands() }
        return try rig.link(handle, set: set)
    }

    private static let description = LinkDescription(
        peer: BluetoothAddress(kind: .random, value: 0xC605_0403_0240), advertisingSet: 2,
        ownAddress: BluetoothAddress(kind: .random, value: 0xC011_2233_4402), interval: .milliseconds(30))

    /// Core 5.4, Vol 4, Part E, 7.7.65.18: in either order.
    @Test func setToldAfterTheConnection() throws {
        let rig = try running()
        rig.connect(0x40)
        #expect(rig.takeEvents() == [])
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(10))
        rig.run(to: 9)
        rig.terminate(set: 2, handle: 0x40)
        #expect(rig.takeEvents() == [.connected(LinkID(slot: 0, generation: 1), LinkTests.description)])
        rig.run(to: 1000)
        #expect(rig.takeEvents() == [])
    }

    @Test func setToldBeforeTheConnection() throws {
        let rig = try running()
        rig.terminate(set: 2, handle: 0x40)
        #expect(rig.takeEvents() == [])
        rig.connect(0x40)
        #expect(rig.takeEvents() == [.connected(LinkID(slot: 0, generation: 1), LinkTests.description)])
    }

    /// An old event with the same handle belongs to another connection.
    @Test func setToldLongBeforeTheConnection() throws {
        let rig = try running()
        rig.terminate(set: 2, handle: 0x40)
        rig.run(to: 21)
        rig.connect(0x40)
        #expect(rig.takeEvents() == [])
        rig.run(to: 31)
        #expect(rig.takeEvents().contains { $0.isConnectedWithoutSet })
    }

    @Test func setNeverTold() throws {
        let rig = try running()
        rig.connect(0x40)
        rig.att(0x40, [0x0A, 0x03, 0x00])
        #expect(rig.takeEvents() == [] && rig.takeData() == [])
        rig.run(to: 10)
        var expected = LinkTests.description
        expected.advertisingSet = nil
        expected.ownAddress = nil
        #expect(rig.takeEvents() == [.connected(LinkID(slot: 0, generation: 1), expected)])
        // The data that was held is answered: "wa0y1YwS".
        #expect(rig.takeData() == ["024000" + "0d00" + "09000400" + "0b" + "7761307931597753"])
        // An event that comes after all changes nothing any more.
        rig.terminate(set: 2, handle: 0x40)
        #expect(rig.takeEvents() == [])
    }

    /// Core 5.4, Vol 4, Part E, 7.7.65.10, and its second version with two more fields.
    @Test(arguments: [0x0A, 0x29] as [UInt8])
    func enhancedConnectionComplete(subevent: UInt8) throws {
        let rig = try running()
        rig.terminate(set: 2, handle: 0x40)
        let fields =
            octets("00" + "4000" + "01" + "01" + "4002030405c6" + "000000000000" + "000000000000")
            + octets("1800" + "0000" + "9001" + "00") + (subevent == 0x29 ? [0xFF, 0xFF, 0xFF] : [])
        rig.send([0x04, 0x3E, UInt8(fields.count + 1), subevent] + fields)
        #expect(rig.takeEvents() == [.connected(LinkID(slot: 0, generation: 1), LinkTests.description)])
    }

    @Test func linkThatEndsBeforeItIsKnown() throws {
        let rig = try running()
        rig.connect(0x40)
        rig.disconnected(0x40, reason: 0x3E)
        rig.run(to: 1000)
        #expect(rig.takeEvents() == [])
        rig.join()
        #expect(rig.takeEvents().compactMap(\.connectedLink) == [LinkID(slot: 0, generation: 2)])
    }

    @Test func fullTable() throws {
        let rig = try running(links: 2)
        let first = try link(rig, 0x40)
        _ = try link(rig, 0x41)
        rig.connect(0x42)
        #expect(rig.takeCommands().first == "060403" + "4200" + "14")
        rig.terminate(set: 1, handle: 0x42)
        rig.att(0x42, [0x0A, 0x03, 0x00])
        rig.disconnected(0x42, reason: 0x16)
        #expect(rig.takeEvents() == [] && rig.takeData() == [])
        rig.disconnected(0x40)
        #expect(rig.takeEvents() == [.disconnected(first, reason: .remoteUserTerminated)])
        let third = try link(rig, 0x42)
        #expect(third == LinkID(slot: 0, generation: 3))
    }

    @Test func fullTableWithLegacyAdvertising() throws {
        let rig = try Rig(
            .legacy, sets: [Sample.set(1)],
            configuration: {
                var c = HostConfiguration.unverified; c.links = 1; return c
            }())
        rig.start()
        rig.connect(0x40)
        _ = rig.takeCommands()
        rig.connect(0x41)
        // Nobody else can have a place: advertising goes on when one is free.
        #expect(rig.takeCommands() == ["060403" + "4100" + "14"])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == ["0a200101"])
    }

    @Test func surplusWhoseDisconnectIsRefused() throws {
        let rig = try running(links: 1)
        _ = try link(rig, 0x40)
        rig.controller.refused = [0x0406: 0x0C]
        rig.connect(0x41)
        rig.run(to: 60_000)
        #expect(rig.takeOpcodes().filter { $0 == 0x0406 }.count == 1 + RejectedConnection.maximumRefusals)
        rig.controller.refused = [:]
        rig.connect(0x42)
        #expect(rig.takeCommands().first == "060403" + "4200" + "14")
    }

    /// A peripheral host ends a connection in which it is the central.
    @Test func wrongRole() throws {
        let rig = try running()
        rig.connect(0x40, role: 0)
        // The reported role may be wrong, and the advertiser stopped: all sets are enabled again.
        #expect(rig.takeCommands() == ["060403" + "4000" + "13", "39200a" + "0102" + "01000000" + "02000000"])
        rig.run(to: 100)
        #expect(rig.takeEvents() == [])
    }

    @Test func handleThatIsStillInUse() throws {
        let rig = try running()
        let old = try link(rig, 0x40)
        rig.connect(0x40)
        #expect(rig.takeEvents() == [.disconnected(old, reason: .unspecifiedError)])
        rig.terminate(set: 2, handle: 0x40)
        #expect(rig.takeEvents().compactMap(\.connectedLink) == [LinkID(slot: 0, generation: 2)])
    }

    @Test func unknownHandlesAreIgnored() throws {
        let rig = try running()
        let before = rig.host.ignoredPackets
        rig.disconnected(0x77)
        rig.complete(0x77, 3)
        rig.send([0x04, 0x3E, 0x0D, 0x05, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        rig.send([0x04, 0x3E, 0x0A, 0x03, 0, 0x77, 0, 24, 0, 0, 0, 0x90, 0x01])
        #expect(rig.takeEvents() == [] && rig.takeCommands() == [])
        rig.connect(0x0F00)
        #expect(rig.takeCommands() == ["39200a" + "0102" + "01000000" + "02000000"])
        #expect(rig.takeEvents() == [] && rig.host.ignoredPackets == before + 2)
        #expect(rig.readRSSI(LinkID(slot: 0, generation: 0)) == false)
        #expect(rig.readRSSI(LinkID(slot: 99, generation: 1)) == false)
        #expect(rig.mtu(LinkID(slot: -1, generation: 1)) == 23)
    }

    // MARK: - The end

    @Test func disconnectByTheDevice() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.act { $0.disconnect(id, reason: .remoteLowResources, at: $1) }
        #expect(rig.takeCommands() == ["060403" + "4000" + "14"])
        // Deaf and dumb from now on; and once is enough.
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.act { $0.disconnect(id, reason: .remoteLowResources, at: $1) }
        #expect(rig.takeCommands() == [] && rig.takeData() == [] && rig.takeEvents() == [])
        #expect(rig.readRSSI(id) == false)
        #expect(rig.notify(id, 8, [1]) == .gone)
        rig.disconnected(0x40, reason: 0x16)
        #expect(rig.takeEvents() == [.disconnected(id, reason: .localHostTerminated)])
        #expect(rig.host.nextDeadline == nil)
    }

    /// Core 5.4, Vol 4, Part E, 7.1.6: only some reasons may be given.
    @Test func reasonsThatTheCommandDoesNotTake() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.act { $0.disconnect(id, reason: .localHostTerminated, at: $1) }
        #expect(rig.takeCommands() == ["060403" + "4000" + "13"])
    }

    @Test func disconnectOfALinkThatIsGone() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.controller.refused = [0x0406: 0x02]
        rig.act { $0.disconnect(id, reason: .remoteUserTerminated, at: $1) }
        // The event of the end may follow the answer.
        rig.run(to: 999)
        #expect(rig.takeEvents() == [])
        rig.disconnected(0x40, reason: 0x08)
        #expect(rig.takeEvents() == [.disconnected(id, reason: .connectionTimeout)])
        rig.run(to: 5000)
        #expect(rig.takeEvents() == [])
    }

    @Test func disconnectThatIsRefused() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.controller.refused = [0x0406: 0x0C]
        rig.act { $0.disconnect(id, reason: .remoteUserTerminated, at: $1) }
        rig.run(to: 999)
        #expect(rig.takeOpcodes() == [0x0406])
        rig.run(to: 1000)
        #expect(rig.takeOpcodes() == [0x0406])
        // Supervision time-out 4 s and a margin of 1 s.
        rig.run(to: 4999)
        #expect(rig.takeEvents() == [])
        rig.run(to: 5000)
        #expect(rig.takeEvents() == [.disconnected(id, reason: .connectionTimeout)])
    }

    @Test func endThatIsNeverTold() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.act { $0.disconnect(id, reason: .remoteUserTerminated, at: $1) }
        rig.run(to: 4999)
        #expect(rig.takeEvents() == [])
        rig.run(to: 5000)
        #expect(rig.takeEvents() == [.disconnected(id, reason: .connectionTimeout)])
        rig.disconnected(0x40)
        #expect(rig.takeEvents() == [])
    }

    @Test func disconnectWithoutAnyAnswerResets() throws {
        let rig = try running()
        let id = try link(rig, 0x40)
        rig.controller.silent = [0x0406]
        rig.act { $0.disconnect(id, reason: .remoteUserTerminated, at: $1) }
        rig.run(to: 2000)
        let events = rig.takeEvents()
        #expect(events.first == .disconnected(id, reason: .hardwareFailure))
        #expect(events.contains(.controllerFailed(.commandTimeout(opcode: 0x0406))))
    }

    /// Core 5.4, Vol 4, Part E, 7.7.5: a status other than 0 means that the link continues.
    @Test func disconnectionThatFailed() throws {
        let rig = try running()
        _ = try link(rig, 0x40)
        rig.send([0x04, 0x05, 0x04, 0x0C, 0x40, 0x00, 0x13])
        #expect(rig.takeEvents() == [])
    }

    // MARK: - What is asked for a link

    @Test func dataLengthAndInterval() throws {
        var controller = ScriptedController.extended
        controller.supported[33] = 0x40
        controller.supported[27] = 0x04
        let rig = try running(controller)
        rig.connect(0x40, interval: 24)
        #expect(rig.takeCommands() == ["222006" + "4000" + "fb00" + "4808"])
        rig.connect(0x41, interval: 36)
        // 15 to 30 ms: 12 to 24 units; the supervision time-out stays at 4 s.
        #expect(
            rig.takeCommands() == [
                "222006" + "4100" + "fb00" + "4808",
                "13200e" + "4100" + "0c00" + "1800" + "0000" + "9001" + "0000" + "0000",
            ])
        rig.run(to: 10)
        let id = try #require(rig.takeEvents().compactMap(\.connectedLink).last)
        rig.send([0x04, 0x3E, 0x0A, 0x03, 0, 0x41, 0, 12, 0, 0, 0, 0x90, 0x01])
        #expect(rig.takeEvents() == [.intervalChanged(id, .milliseconds(15))])
        rig.send([0x04, 0x3E, 0x0A, 0x03, 0, 0x41, 0, 12, 0, 0, 0, 0x90, 0x01])
        rig.send([0x04, 0x3E, 0x0A, 0x03, 0x3B, 0x41, 0, 80, 0, 0, 0, 0x90, 0x01])
        #expect(rig.takeEvents() == [])
    }

    @Test func wishesThatTheControllerDoesNotKnow() throws {
        var controller = ScriptedController.extended
        controller.supported[33] = 0x40
        controller.supported[27] = 0x04
        controller.features[0] = 0x00
        controller.refused = [0x2022: 0x01]
        let rig = try running(controller)
        rig.connect(0x40, interval: 36)
        #expect(rig.takeOpcodes() == [0x2022])
        rig.controller.silent = [0x2022]
        rig.connect(0x41)
        rig.run(to: 2000)
        #expect(!rig.events.contains { if case .controllerFailed = $0 { true } else { false } })
        _ = rig.takeOpcodes()
        // One that has stayed silent is not asked again.
        rig.connect(0x42)
        #expect(rig.takeOpcodes() == [])
        let none = try running(controller) {
            $0.requestsDataLength = false
            $0.preferredInterval = nil
        }
        none.connect(0x40, interval: 36)
        #expect(none.takeOpcodes() == [])
    }

    /// There are no keys: Core 5.4, Vol 4, Part E, 7.8.26.
    @Test func longTermKeyRequest() throws {
        let rig = try running()
        _ = try link(rig, 0x40)
        rig.send([0x04, 0x3E, 0x0D, 0x05, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(rig.takeCommands() == ["1b2002" + "4000"])
    }
}

extension HostEvent {
    var connectedLink: LinkID? {
        if case .connected(let link, _) = self { return link }
        return nil
    }
}
