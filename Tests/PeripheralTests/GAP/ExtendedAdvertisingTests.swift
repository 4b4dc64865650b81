// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.59 and 7.7.65.18.
@Suite struct ExtendedAdvertisingTests {
    private func running(_ sets: [AdvertisingSet] = [Sample.set(1), Sample.set(2)]) throws -> Rig {
        let rig = try Rig(.extended, sets: sets).started()
        _ = (rig.takeCommands(), rig.takeEvents())
        return rig
    }

    @Test func setThatAPhoneConnectedToIsEnabledAgain() throws {
        let rig = try running()
        rig.connect(0x40)
        #expect(rig.takeCommands() == [])
        rig.terminate(set: 2, handle: 0x40)
        #expect(rig.takeCommands() == ["392006" + "01" + "01" + "02000000"])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == [])
    }

    @Test func stoppedAndWantedAgain() throws {
        let rig = try running()
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        #expect(rig.takeCommands() == ["392002" + "00" + "00"])
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        #expect(rig.takeCommands() == [])
        // The command goes out in the same call.
        rig.isAnswering = false
        rig.host.setAdvertising(enabled: true, at: rig.now)
        #expect(!rig.host.outbound.isEmpty)
        rig.settle()
        #expect(rig.takeCommands() == ["39200a" + "01" + "02" + "01000000" + "02000000"])
    }

    /// The last request takes effect, regardless of commands in flight.
    @Test func wishesWhileACommandIsInFlight() throws {
        let rig = try running()
        rig.isAnswering = false
        rig.host.setAdvertising(enabled: false, at: rig.now)
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        #expect(rig.takeCommands() == ["3920020000"])
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x39, 0x20, 0x00])
        #expect(rig.takeCommands() == ["39200a01020100000002000000"])
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        #expect(rig.takeCommands() == [])
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x39, 0x20, 0x00])
        #expect(rig.takeCommands() == ["3920020000"])
    }

    @Test(arguments: [0x09, 0x0C, 0x0D] as [UInt8])
    func noRoomBesideLinks(status: UInt8) throws {
        let rig = try running()
        rig.connect(0x40)
        rig.controller.answers = [0x2039: [[status]]]
        rig.terminate(set: 1, handle: 0x40)
        #expect(rig.takeCommands() == ["3920060101" + "01000000"])
        rig.run(to: 60_000)
        #expect(rig.takeOpcodes() == [])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == ["3920060101" + "01000000"])
    }

    @Test func noRoomWithoutAnyLink() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)])
        rig.controller.answers = [0x2039: [[0x0C], [0x0C]]]
        rig.start()
        _ = rig.takeCommands()
        rig.run(to: 249)
        #expect(rig.takeOpcodes() == [])
        rig.run(to: 250)
        #expect(rig.takeOpcodes().last == 0x2039)
        rig.run(to: 749)
        #expect(rig.takeOpcodes() == [])
        rig.run(to: 750)
        #expect(rig.takeOpcodes().last == 0x2039)
        rig.run(to: 60_000)
        #expect(rig.takeOpcodes() == [])
    }

    @Test func enableRefusedOtherwiseLoadsAgain() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)])
        rig.controller.answers = [0x2039: [[0x42]]]
        rig.start()
        _ = rig.takeCommands()
        rig.run(to: 250)
        #expect(rig.takeOpcodes() == [0x2036, 0x2035, 0x2037, 0x2038, 0x2039])
    }

    /// A refused set does not delay the others.
    @Test func oneSetRefused() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(2)])
        rig.controller.answers = [0x2036: [[0x07]]]
        rig.start()
        #expect(rig.takeCommands().last == "392006" + "0101" + "02000000")
        rig.run(to: 250)
        #expect(rig.takeOpcodes() == [0x2036, 0x2035, 0x2037, 0x2038, 0x2039])
    }

    @Test func advertisingCommandWithoutAnswerResets() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)])
        rig.controller.silent = [0x2037]
        rig.start()
        _ = rig.takeOpcodes()
        rig.controller.silent = []
        rig.run(to: 2000)
        #expect(rig.events.contains(.controllerFailed(.commandTimeout(opcode: 0x2037))))
        let opcodes = rig.takeOpcodes()
        #expect(opcodes.first == 0x0C03 && opcodes.last == 0x2039)
    }

    /// The first set has its own place, the others share the last one in turn: 100 ms shared by two are 50 ms, 0x50
    /// units, for two events. Each has its own handle, so the previous one is removed.
    @Test func moreSetsThanTheControllerHas() throws {
        var controller = ScriptedController.extended
        controller.sets = 2
        let rig = try Rig(controller, sets: [Sample.set(7), Sample.set(3), Sample.set(5)]).started()
        let commands = rig.takeCommands()
        #expect(commands.last == "39200a01020700000003000000")
        #expect(commands.contains { $0.hasPrefix("362019071300a00000a00000") })
        #expect(commands.contains { $0.hasPrefix("362019031300500000500000") })
        #expect(rig.host.unservedAdvertisingSets == [])
        rig.run(to: 99.9)
        #expect(rig.takeCommands() == [])
        rig.run(to: 100)
        let turn = [
            "392006000103000000", "3c200103",
            "362019051300500000500000070100000000000000007f0100010000",
            "352007050544332211c0", "3720230503011f" + hex(Sample.access),
            "3820230503011f" + hex(Sample.scanResponse), "392006010105000000",
        ]
        #expect(rig.takeCommands() == turn)
        rig.run(to: 200)
        #expect(rig.takeCommands().last == "392006010103000000")
        // A phone that connects does not give the set another turn.
        rig.run(to: 250)
        rig.join(set: 3)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [3])
        #expect(rig.takeCommands() == ["392006010103000000"])
        rig.run(to: 300)
        #expect(rig.takeCommands().last == "392006010105000000")
    }

    /// A phone connects to the set whose turn ends: the handle identifies it, regardless of later commands.
    @Test func linkThatCrossesTheEndOfATurn() throws {
        var controller = ScriptedController.extended
        controller.sets = 1
        let rig = try Rig(controller, sets: [Sample.set(3), Sample.set(5)]).started()
        _ = (rig.takeCommands(), rig.takeEvents())
        rig.isAnswering = false
        rig.run(to: 100)
        #expect(rig.takeCommands() == ["392006000103000000"])
        rig.join(set: 3)
        rig.isAnswering = true
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x39, 0x20, 0x00])
        let description = rig.takeEvents().compactMap { event in
            if case .connected(_, let description) = event { description } else { nil }
        }.first
        #expect(description?.advertisingSet == 3)
        #expect(description?.ownAddress == Sample.address(3))
        #expect(rig.takeCommands().last == "392006010105000000")
    }

    /// A refused set passes its turn to the next.
    @Test func sharedSetRefused() throws {
        var controller = ScriptedController.extended
        controller.sets = 1
        controller.answers = [0x2036: [[0x07]]]
        let rig = try Rig(controller, sets: [Sample.set(3), Sample.set(5)]).started()
        #expect(rig.takeOpcodes().last == 0x2036)
        rig.run(to: 100)
        #expect(rig.takeCommands().last == "392006010105000000")
        rig.run(to: 200)
        #expect(rig.takeCommands().last == "392006010103000000")
    }

    @Test func setsThatNoControllerTakes() throws {
        let long = Sample.set(4, [UInt8](repeating: 0, count: 32))
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(0xF0), Sample.set(1, Sample.beacon), long])
            .started()
        #expect(rig.takeCommands().last == "392006" + "0101" + "01000000")
        #expect(rig.host.unservedAdvertisingSets == [0xF0, 1, 4])
    }

    /// Other data is sent to an enabled set; another address or interval requires it to be disabled; a set no longer
    /// requested is removed.
    @Test func reconfigured() throws {
        let rig = try running()
        rig.act { $0.configure(advertising: [Sample.set(1, Sample.beacon), Sample.set(2)], at: $1) }
        #expect(rig.takeOpcodes() == [0x2037, 0x2038])
        rig.host.configure(advertising: [Sample.set(1, Sample.beacon, milliseconds: 200), Sample.set(2)])
        #expect(rig.host.nextDeadline == rig.now)
        rig.run(to: 0)
        let commands = rig.takeCommands()
        #expect(commands.first == "392006000101000000")
        #expect(commands[1].hasPrefix("362019011300400100400100"))
        #expect(commands.last == "392006010101000000")
        rig.act { $0.configure(advertising: [Sample.set(2)], at: $1) }
        #expect(rig.takeCommands() == ["392006" + "0001" + "01000000", "3c2001" + "01"])
        rig.act { $0.configure(advertising: [], at: $1) }
        #expect(rig.takeCommands() == ["392006" + "0001" + "02000000", "3c2001" + "02"])
        rig.act { $0.configure(advertising: [Sample.set(9)], at: $1) }
        #expect(rig.takeOpcodes() == [0x2036, 0x2035, 0x2037, 0x2038, 0x2039])
    }

    /// A set stopped while the command that enables it is in flight: it is enabled once more.
    @Test func terminatedWhileBeingEnabled() throws {
        let rig = try running()
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        _ = rig.takeCommands()
        rig.isAnswering = false
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        rig.join()
        _ = rig.takeCommands()
        rig.isAnswering = true
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x39, 0x20, 0x00])
        #expect(rig.takeCommands() == ["392006" + "0101" + "01000000"])
    }

    /// A connection without a reported set: all sets are enabled again.
    @Test func connectionWithoutASet() throws {
        let rig = try running()
        rig.connect(0x40)
        rig.run(to: 10)
        #expect(rig.takeCommands() == ["39200a" + "0102" + "01000000" + "02000000"])
    }

    @Test func failedConnection() throws {
        let rig = try running()
        rig.connect(0x40, status: 0x3C)
        #expect(rig.takeCommands() == ["39200a" + "0102" + "01000000" + "02000000"])
        #expect(rig.takeEvents() == [])
    }

    @Test func intervalsAreHeldToWhatIsAllowed() {
        #expect(AdvertisingSet.units(Sample.set(1, milliseconds: 1).sharedInterval(sets: 1)) == 0x0020)
        #expect(AdvertisingSet.units(Sample.set(1, milliseconds: 100).sharedInterval(sets: 1)) == 0x00A0)
        #expect(AdvertisingSet.units(Sample.set(1, milliseconds: 20_000).sharedInterval(sets: 1)) == 0x4000)
        #expect(AdvertisingSet.units(Sample.set(1, milliseconds: 100).sharedInterval(sets: 3)) == 53)
        #expect(AdvertisingSet.units(Sample.set(1, milliseconds: -5).sharedInterval(sets: 0)) == 0x0020)
    }
}
