// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Advertising resumes after any events of the controller, in any order (DESIGN §4, Advertising and Links).
@Suite struct AdvertisingRecoveryTests {
    private static let load: [UInt16] = [0x2036, 0x2035, 0x2037, 0x2038, 0x2039]

    private func running(_ controller: ScriptedController, _ sets: [AdvertisingSet]) throws -> Rig {
        let rig = try Rig(controller, sets: sets).started()
        _ = (rig.takeCommands(), rig.takeEvents())
        return rig
    }

    /// A link ends while an enable is in flight, which the controller refuses for want of room: the refusal precedes
    /// the room, so the host does not wait for the end of another link.
    @Test func roomThatComesBeforeTheRefusalIsTold() throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try running(controller, [Sample.set(1)])
            rig.join()
            rig.isAnswering = false
            rig.join(0x41)
            _ = rig.takeCommands()
            rig.disconnected(0x40)
            rig.isAnswering = true
            let enable: [UInt8] = controller.supported[36] == 0 ? [0x0A, 0x20] : [0x39, 0x20]
            rig.send([0x04, 0x0E, 0x04, 0x01] + enable + [0x0D])
            let last = controller.supported[36] == 0 ? "0a2001" + "01" : "392006" + "0101" + "01000000"
            #expect(rig.takeCommands().last == last)
        }
    }

    /// The controller counts a rejected connection until its end, so the host waits for it, although the Disconnect
    /// command was answered before.
    @Test func roomAfterASurplusLink() throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try running(controller, [Sample.set(1)])
            let isLegacy = controller.supported[36] == 0
            rig.connect(0x40, role: 0)
            rig.controller.answers = [isLegacy ? 0x200A : 0x2039: [[0x00]] + Array(repeating: [0x09], count: 20)]
            rig.act { $0.setAdvertising(enabled: false, at: $1) }
            rig.act { $0.setAdvertising(enabled: true, at: $1) }
            rig.run(to: 5000)
            rig.controller.answers = [:]
            _ = rig.takeCommands()
            rig.disconnected(0x40)
            #expect(rig.takeCommands().last == (isLegacy ? "0a200101" : "392006" + "0101" + "01000000"))
        }
    }

    /// A rejected connection unknown to the controller ends without an event.
    @Test func surplusThatEndsWithoutAnEvent() throws {
        let rig = try running(.legacy, [Sample.set(1)])
        rig.isAnswering = false
        rig.connect(0x40, role: 0)
        _ = rig.takeCommands()
        rig.controller.answers = [0x200A: [[0x0C], [0x0C]], 0x0406: [[0x02]]]
        rig.isAnswering = true
        rig.send([0x04, 0x0F, 0x04, 0x0C, 0x01, 0x06, 0x04])
        rig.run(to: 10_000)
        #expect(rig.takeCommands().last == "0a2001" + "01")
    }

    /// Without a link, "command disallowed" does not mean want of room: the controller may have lost its configuration.
    @Test func disallowedWithoutALinkLoadsAgain() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)])
        rig.controller.answers = [0x2039: [[0x0C]]]
        rig.start()
        _ = rig.takeCommands()
        rig.run(to: 250)
        #expect(rig.takeOpcodes() == AdvertisingRecoveryTests.load)
    }

    /// A controller that has more sets than it can enable at once: the maximum is on the air.
    @Test(arguments: [0x0D, 0x12] as [UInt8])
    func setsTogetherRefusedAreEnabledOneByOne(status: UInt8) throws {
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(2), Sample.set(3)])
        rig.controller.answers = [0x2039: [[status], [0], [0], [status]]]
        rig.start()
        #expect(
            rig.takeCommands().filter { $0.hasPrefix("3920") } == [
                "39200e" + "0103" + "01000000" + "02000000" + "03000000", "392006" + "0101" + "01000000",
                "392006" + "0101" + "02000000", "392006" + "0101" + "03000000",
            ])
        // The one that has no place does not hold up the others.
        rig.join(set: 2)
        #expect(rig.takeCommands() == ["392006" + "0101" + "02000000"])
        rig.run(to: 250)
        #expect(rig.takeCommands().last == "392006" + "0101" + "03000000")
    }

    /// A connection with a reserved handle, or in the central role, has stopped the advertiser nevertheless.
    @Test func connectionsThatAreNotTaken() throws {
        for (handle, role) in [(0x0FFF, 1), (0x40, 0)] as [(UInt16, UInt8)] {
            for controller in [ScriptedController.extended, .legacy] {
                let rig = try running(controller, [Sample.set(1)])
                rig.connect(handle, role: role)
                let isLegacy = controller.supported[36] == 0
                #expect(rig.takeCommands().last == (isLegacy ? "0a200101" : "392006" + "0101" + "01000000"))
            }
        }
    }

    /// Hardware errors of a controller that waits for its reset do not delay the reset.
    @Test func hardwareErrorsAgainAndAgain() throws {
        let rig = try running(.extended, [Sample.set(1)])
        rig.controller.silent = [0x0C03]
        for _ in 0..<6 {
            rig.send([0x04, 0x10, 0x01, 0x42])
            rig.run(to: Double(rig.now.nanoseconds) / 1e6 + 2000)
        }
        _ = rig.takeOpcodes()
        let end = rig.now + .seconds(20)
        while rig.now < end {
            rig.run(to: Double(rig.now.nanoseconds) / 1e6 + 200)
            rig.send([0x04, 0x10, 0x01, 0x42])
        }
        #expect(rig.takeOpcodes().contains(0x0C03))
    }

    /// Phones that connect to one set repeatedly do not keep the others off the air.
    @Test func turnsEndThoughPhonesConnect() throws {
        let rig = try running(.legacy, [Sample.set(1), Sample.set(2)])
        var addresses: Set<String> = []
        for step in 1...40 {
            rig.run(to: Double(step) * 40)
            rig.connect(0x40)
            rig.disconnected(0x40)
            for command in rig.takeCommands() where command.hasPrefix("0520") { addresses.insert(command) }
        }
        #expect(addresses == ["0520060144332211c0", "0520060244332211c0"])
    }

    /// The same with phones that fill the pool, so that advertising stops and resumes.
    @Test func turnsEndThoughAdvertisingStops() throws {
        let rig = try running(.legacy, [Sample.set(1), Sample.set(2)])
        rig.run(to: 50)
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        _ = rig.takeCommands()
        rig.run(to: 90)
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        // Its turn is not over.
        #expect(rig.takeCommands() == ["0a2001" + "01"])
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(100))
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        rig.run(to: 3000)
        _ = rig.takeCommands()
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        let commands = rig.takeCommands()
        #expect(commands.first == "052006" + "0244332211c0" && commands.last == "0a2001" + "01")
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(3100))
    }
}
