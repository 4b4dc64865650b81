// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Sets in turn on one advertiser (Core 5.4, Vol 4, Part E, 7.8.4 to 7.8.9).
@Suite struct LegacyAdvertisingTests {
    private static let turn: [UInt16] = [0x200A, 0x2005, 0x2006, 0x2008, 0x2009, 0x200A]

    private func running(_ sets: [AdvertisingSet] = [Sample.set(1), Sample.set(2, Sample.beacon)]) throws -> Rig {
        let rig = try Rig(.legacy, sets: sets).started()
        _ = rig.takeEvents()
        return rig
    }

    @Test func rotation() throws {
        let rig = try running()
        // 100 ms shared by two: 50 ms, 0x50 units; two events: 100 ms.
        #expect(rig.takeCommands().suffix(5).dropFirst().first?.hasPrefix("06200f" + "5000" + "5000") == true)
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(100))
        rig.run(to: 99.9)
        #expect(rig.takeCommands() == [])
        rig.run(to: 100)
        #expect(
            rig.takeCommands() == [
                "0a2001" + "00",
                "052006" + "0244332211c0",
                "06200f" + "5000" + "5000" + "00" + "01" + "00" + "000000000000" + "07" + "00",
                "082020" + "1f" + "0303bafc1aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3",
                "092020" + "1f" + "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753",
                "0a2001" + "01",
            ])
        rig.run(to: 200)
        let commands = rig.takeCommands()
        #expect(commands.count == 6 && commands[1] == "052006" + "0144332211c0")
        rig.run(to: 1200)
        #expect(rig.takeOpcodes() == Array(repeating: LegacyAdvertisingTests.turn, count: 10).flatMap { $0 })
    }

    @Test func manySetsAreNotFasterThan20ms() throws {
        let rig = try running((0..<8).map { Sample.set($0) })
        #expect(rig.takeCommands().contains { $0.hasPrefix("06200f" + "2000" + "2000") })
        #expect(rig.host.nextDeadline == Instant.origin + .milliseconds(40))
    }

    @Test func oneSetIsLeftAlone() throws {
        let rig = try running([Sample.set(1)])
        _ = rig.takeOpcodes()
        #expect(rig.host.nextDeadline == nil)
        rig.run(to: 10_000)
        #expect(rig.takeOpcodes() == [])
    }

    /// The advertiser stops by itself with a connection, and goes on with what it has.
    @Test func resumesAfterAConnection() throws {
        let rig = try running([Sample.set(1)])
        _ = rig.takeOpcodes()
        rig.connect(0x40)
        #expect(rig.takeCommands() == ["0a2001" + "01"])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == [])
    }

    @Test func linkBelongsToTheSetOnTheAir() throws {
        let rig = try running()
        rig.connect(0x40)
        rig.run(to: 150)
        rig.connect(0x41)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [1, 2])
    }

    /// Between the disable of one set and the enable of the next, a link can only be of the first.
    @Test func linkThatCrossesTheDisable() throws {
        let rig = try running()
        rig.isAnswering = false
        rig.now = Instant.origin + .milliseconds(100)
        rig.host.advance(to: rig.now)
        rig.settle()
        rig.connect(0x40)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [1])
        // The disable is refused, as there is nothing to disable: the rotation goes on.
        _ = rig.takeCommands()
        rig.isAnswering = true
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x0A, 0x20, 0x0C])
        #expect(rig.takeOpcodes() == Array(LegacyAdvertisingTests.turn.dropFirst()))
    }

    /// While the enable of another set is in flight, the set of a link cannot be determined.
    @Test func linkThatCrossesTheEnable() throws {
        let rig = try running()
        rig.controller.silent = [0x200A]
        rig.run(to: 100)
        rig.controller.silent = []
        rig.isAnswering = false
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x0A, 0x20, 0x00])
        for opcode in [0x05, 0x06, 0x08, 0x09] as [UInt8] { rig.send([0x04, 0x0E, 0x04, 0x01, opcode, 0x20, 0x00]) }
        rig.connect(0x40)
        #expect(rig.takeEvents().contains { $0.isConnectedWithoutSet })
        _ = rig.takeCommands()
        // The state of the advertiser is not known: it is disabled, and enabled again.
        rig.isAnswering = true
        rig.send([0x04, 0x0E, 0x04, 0x01, 0x0A, 0x20, 0x00])
        #expect(rig.takeCommands() == ["0a2001" + "00", "0a2001" + "01"])
        rig.connect(0x41)
        #expect(rig.takeEvents().compactMap(\.connectedSet) == [2])
    }

    @Test(arguments: [0x09, 0x0C, 0x0D] as [UInt8])
    func noRoomBesideLinks(status: UInt8) throws {
        let rig = try running([Sample.set(1)])
        _ = rig.takeOpcodes()
        rig.controller.answers = [0x200A: [[status]]]
        rig.connect(0x40)
        #expect(rig.takeCommands() == ["0a2001" + "01"])
        rig.run(to: 60_000)
        #expect(rig.takeOpcodes() == [])
        rig.disconnected(0x40)
        #expect(rig.takeCommands() == ["0a2001" + "00", "0a2001" + "01"])
    }

    @Test func loadThatIsRefusedIsTriedAgain() throws {
        let rig = try Rig(.legacy, sets: [Sample.set(1)])
        rig.controller.answers = [0x2006: [[0x0C]]]
        rig.start()
        _ = rig.takeOpcodes()
        rig.run(to: 250)
        #expect(rig.takeOpcodes() == LegacyAdvertisingTests.turn)
    }

    @Test func lastWishWinsWhateverIsInFlight() throws {
        // Stop in the middle of a turn, at each of its commands.
        for stop in 1...6 {
            let rig = try running()
            _ = rig.takeOpcodes()
            rig.isAnswering = false
            rig.now = Instant.origin + .milliseconds(100)
            rig.host.advance(to: rig.now)
            rig.settle()
            for step in LegacyAdvertisingTests.turn.prefix(stop - 1) {
                rig.send([0x04, 0x0E, 0x04, 0x01, UInt8(step & 0xFF), 0x20, 0x00])
            }
            #expect(rig.takeOpcodes() == Array(LegacyAdvertisingTests.turn.prefix(stop)))
            rig.host.setAdvertising(enabled: false, at: rig.now)
            rig.isAnswering = true
            rig.send([0x04, 0x0E, 0x04, 0x01, UInt8(LegacyAdvertisingTests.turn[stop - 1] & 0xFF), 0x20, 0x00])
            // Only a set that had been enabled has to be disabled.
            #expect(rig.takeCommands() == (stop == 6 ? ["0a200100"] : []))
            #expect(rig.host.nextDeadline == nil)
            rig.act { $0.setAdvertising(enabled: true, at: $1) }
            #expect(rig.takeCommands().last == "0a200101")
        }
    }

    @Test func refusedDisableIsAskedAgain() throws {
        let rig = try running([Sample.set(1)])
        _ = rig.takeOpcodes()
        rig.controller.answers = [0x200A: [[0x03], [0x03]]]
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        #expect(rig.takeCommands() == ["0a200100"])
        rig.run(to: 10_000)
        #expect(rig.takeCommands() == ["0a200100", "0a200100"])
        #expect(rig.host.nextDeadline == nil)
    }

    @Test func reconfiguredWhileRunning() throws {
        let rig = try running([Sample.set(1)])
        _ = rig.takeOpcodes()
        rig.act { $0.configure(advertising: [Sample.set(1, Sample.beacon)], at: $1) }
        #expect(rig.takeOpcodes() == LegacyAdvertisingTests.turn)
        rig.act { $0.configure(advertising: [Sample.set(1, Sample.beacon)], at: $1) }
        #expect(rig.takeOpcodes() == [])
    }

    /// Other sets while a command for the old ones is in flight: its answer is ignored.
    @Test func reconfiguredInTheMiddleOfATurn() throws {
        for stop in 2...6 {
            let rig = try running()
            rig.isAnswering = false
            rig.now = Instant.origin + .milliseconds(100)
            rig.host.advance(to: rig.now)
            rig.settle()
            for step in LegacyAdvertisingTests.turn.prefix(stop - 1) {
                rig.send([0x04, 0x0E, 0x04, 0x01, UInt8(step & 0xFF), 0x20, 0x00])
            }
            _ = rig.takeOpcodes()
            rig.host.configure(advertising: [Sample.set(9)], at: rig.now)
            rig.isAnswering = true
            rig.send([0x04, 0x0E, 0x04, 0x01, UInt8(LegacyAdvertisingTests.turn[stop - 1] & 0xFF), 0x20, 0x00])
            let commands = rig.takeCommands().suffix(5)
            #expect(commands.first == "052006" + "0944332211c0" && commands.last == "0a200101")
        }
    }
}

extension HostEvent {
    var connectedSet: UInt8? {
        if case .connected(_, let description) = self { return description.advertisingSet }
        return nil
    }

    var isConnectedWithoutSet: Bool {
        if case .connected(_, let description) = self { return description.advertisingSet == nil }
        return false
    }
}
