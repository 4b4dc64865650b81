// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Advertising is reported as the controller has answered, never as the device has requested.
@Suite struct AdvertisingStatusTests {
    private static let on = AdvertisingStatus(onAir: [1])

    private func refusal(_ opcode: UInt16, _ status: UInt8, again: Bool, set: UInt8 = 1) -> AdvertisingRefusal {
        AdvertisingRefusal(set: set, opcode: opcode, status: HCIStatus(rawValue: status), isRepeated: again)
    }

    /// Every command that a set needs, refused for good: off, with the command and the status; on when it works.
    @Test(
        arguments: [
            (0x2005, 0x01), (0x2005, 0x0C), (0x2006, 0x12), (0x2008, 0x12), (0x2009, 0x12), (0x200A, 0x0C),
            (0x200A, 0x1F), (0x200A, 0x0D), (0x200A, 0x09), (0x2035, 0x12), (0x2036, 0x12), (0x2036, 0x07),
            (0x2037, 0x12), (0x2038, 0x12), (0x2039, 0x0C), (0x2039, 0x12), (0x2039, 0x42), (0x2039, 0x01),
        ] as [(UInt16, UInt8)])
    func refusedForGood(opcode: UInt16, status: UInt8) throws {
        let rig = try Rig(opcode < 0x2030 ? .legacy : .extended, sets: [Sample.set(1)])
        rig.controller.refused = [opcode: status]
        rig.start()
        #expect(
            rig.takeAdvertising() == [AdvertisingStatus(refusals: [refusal(opcode, status, again: false)])])
        #expect(rig.host.advertisingStatus.onAir == [])
        rig.run(to: 500)
        let lasting = AdvertisingStatus(refusals: [refusal(opcode, status, again: true)])
        #expect(rig.takeAdvertising() == [lasting])
        // Once, however often it is tried.
        rig.run(to: 60_000)
        #expect(rig.takeAdvertising() == [])
        #expect(rig.host.advertisingStatus == lasting)
        rig.controller.refused = [:]
        rig.run(to: 75_000)
        #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on])
        #expect(!rig.controller.onAir.isEmpty)
    }

    @Test func theRefusalInWords() {
        #expect(
            "\(refusal(0x2006, 0x12, again: true))"
                == "LE Set Advertising Parameters (0x2006) refused with 0x12, Invalid HCI Command Parameters")
        #expect("\(refusal(0xFC01, 0x77, again: true))" == "command 0xFC01 refused with 0x77")
    }

    /// The random address of the controller is not that of the sets.
    @Test func theGlobalAddressOfAnExtendedControllerIsNotNeeded() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)])
        rig.controller.refused = [0x2005: 0x01]
        rig.start()
        #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on])
    }

    /// One set of several: the others are on the air.
    @Test func oneOfSeveralRefused() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(2), Sample.set(3)])
        // Its data has 31 octets as the others' have; the controller does not like its parameters.
        rig.controller.answers = [0x2036: [[0, 8]] + Array(repeating: [0x12], count: 20)]
        rig.start()
        rig.run(to: 600)
        #expect(rig.host.advertisingStatus.onAir == [1])
        #expect(
            rig.host.advertisingStatus.refusals == [
                refusal(0x2036, 0x12, again: true, set: 2), refusal(0x2036, 0x12, again: true, set: 3),
            ])
        rig.controller.answers = [:]
        rig.run(to: 20_000)
        #expect(rig.host.advertisingStatus == AdvertisingStatus(onAir: [1, 2, 3]))
    }

    /// One of the modes that share the legacy advertiser.
    @Test func oneTurnRefused() throws {
        let rig = try Rig(.legacy, sets: [Sample.set(1), Sample.set(2, Sample.beacon)])
        rig.controller.refusedData = Sample.beacon
        rig.start()
        rig.run(to: 3000)
        let status = rig.host.advertisingStatus
        #expect(status == AdvertisingStatus(onAir: [1], refusals: [refusal(0x2008, 0x12, again: true, set: 2)]))
        rig.controller.refusedData = []
        rig.run(to: 20_000)
        #expect(rig.host.advertisingStatus == AdvertisingStatus(onAir: [1, 2]))
    }

    /// Turns and connections are no change: the set is on the air again at once.
    @Test func turnsAndConnectionsAreNoChange() throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try Rig(controller, sets: [Sample.set(1), Sample.set(2)]).started()
            rig.run(to: 1000)
            let both = AdvertisingStatus(onAir: [1, 2])
            #expect(rig.takeAdvertising().last == both)
            for handle in 0x40..<0x44 as Range<UInt16> {
                rig.join(handle)
                rig.run(to: rig.now.milliseconds + 500)
                rig.disconnected(handle)
            }
            #expect(rig.takeAdvertising() == [])
            #expect(rig.host.advertisingStatus == both)
        }
    }

    /// The end is confirmed as well.
    @Test func offWhenTheControllerHasConfirmedIt() throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try Rig(controller, sets: [Sample.set(1)]).started()
            _ = rig.takeAdvertising()
            rig.controller.refused = [controller.supported[36] == 0 ? 0x200A : 0x2039: 0x1F]
            rig.act { $0.setAdvertising(enabled: false, at: $1) }
            #expect(rig.takeAdvertising() == [])
            rig.controller.refused = [:]
            rig.run(to: 1000)
            #expect(rig.takeAdvertising() == [AdvertisingStatus()])
            rig.isAnswering = false
            rig.act { $0.setAdvertising(enabled: true, at: $1) }
            #expect(rig.takeAdvertising() == [])
        }
    }

    /// A controller without room beside its link refuses nothing of the set; it is off all the same.
    @Test(arguments: [0x09, 0x0C, 0x0D] as [UInt8])
    func noRoomBesideLinks(status: UInt8) throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try Rig(controller, sets: [Sample.set(1)]).started()
            _ = rig.takeAdvertising()
            rig.controller.refused = [controller.supported[36] == 0 ? 0x200A : 0x2039: status]
            rig.join()
            #expect(rig.takeAdvertising() == [AdvertisingStatus()])
            rig.controller.refused = [:]
            rig.disconnected(0x40)
            #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on])
        }
    }

    /// A full link table stops connectable sets.
    @Test func offWhileTheTableIsFull() throws {
        var configuration = HostConfiguration.unverified
        configuration.links = 1
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try Rig(controller, sets: [Sample.set(1)], configuration: configuration).started()
            rig.join()
            #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on, AdvertisingStatus()])
            rig.disconnected(0x40)
            #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on])
        }
    }

    @Test func aFailedOrLostControllerAdvertisesNothing() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1)]).started()
        _ = rig.takeAdvertising()
        rig.isAnswering = false
        rig.send([0x04, 0x10, 0x01, 0x42])
        #expect(rig.takeAdvertising() == [AdvertisingStatus()])
        rig.isAnswering = true
        rig.run(to: 10_000)
        #expect(rig.takeAdvertising() == [AdvertisingStatusTests.on])
        rig.act { $0.transportLost(at: $1) }
        #expect(rig.takeAdvertising() == [AdvertisingStatus()])
    }

    /// A set that is left out is neither on the air nor refused.
    @Test func aRemovedSet() throws {
        let rig = try Rig(.extended, sets: [Sample.set(1), Sample.set(2)]).started()
        rig.act { $0.configure(advertising: [Sample.set(2)], at: $1) }
        #expect(rig.host.advertisingStatus == AdvertisingStatus(onAir: [2]))
        rig.act { $0.configure(advertising: [], at: $1) }
        #expect(rig.host.advertisingStatus == AdvertisingStatus())
    }
}
