// SPDX-License-Identifier: Apache-2.0

import WiFi

import TestSupport
import MatterFaults
import MatterInteraction
import MatterCredentials
import Crypto
import MatterTLV
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Door Lock (Application Clusters 5.2).
struct DoorLockTests {
    @Test
    func timedCommands() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        #expect(try controller.invoke(&rig, 1, 0x101, 1) == "status 198")
        #expect(rig.actuations.isEmpty)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        #expect(try controller.read(&rig, 1, 0x101, 0) == "2")
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 0")
        #expect(try controller.read(&rig, 1, 0x101, 0) == "1")
        #expect(rig.actuations == [.unlock, .lock])
        #expect(
            try controller.lockEvents(&rig)
                == ["2 {0=1 1=7 2=null 3=1 4=112233}", "2 {0=0 1=7 2=null 3=1 4=112233}"])
        #expect(try controller.invoke(&rig, 1, 0x101, 0x27, timed: true) == "status 129")
    }

    @Test
    func relocking() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        #expect(try controller.write(&rig, 1, 0x101, 0x23, "5") == 0)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        rig.advance(by: .milliseconds(4900))
        #expect(rig.node.lockState == .unlocked)
        rig.advance(by: .milliseconds(100))
        #expect(rig.node.lockState == .locked)
        #expect(try controller.lockEvents(&rig).last == "2 {0=0 1=4 2=null 3=null 4=null}")
        // UnlockWithTimeout has its own time.
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=2}", timed: true) == "status 0")
        rig.advance(by: .seconds(2))
        #expect(rig.node.lockState == .locked)
    }

    @Test
    func latch() throws {
        var (rig, controller) = try NodeRig.commissionedLock(NodeRig.fullLock)
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "4128")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x27, timed: true) == "status 0")
        #expect(rig.node.lockState == .unlocked)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        #expect(rig.node.lockState == .unlatched)
        rig.advance(by: .seconds(3))
        #expect(rig.node.lockState == .unlocked)
        #expect(rig.actuations == [.unlock, .unlatch, .unlock])
        #expect(try controller.lockEvents(&rig).map { $0.prefix(5) } == ["2 {0=", "2 {0="])
    }

    /// The latch's return moved the bolt in against a lockdown that began while the latch was held.
    @Test
    func latchReturningInALockdown() throws {
        var (rig, controller) = try NodeRig.commissionedLock(NodeRig.fullLock)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        rig.input { $0.receive(.hold(.locked), at: $1) }
        rig.advance(by: .seconds(3))
        #expect(rig.actuations == [.unlatch, .lock])
        #expect(rig.node.lockState == .locked)
        #expect(try controller.lockEvents(&rig).last == "2 {0=0 1=4 2=null 3=null 4=null}")
    }

    /// Matter never overrides a safety input (matter-extra, 6).
    @Test
    func safetyInputs() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        rig.input { $0.receive(.hold(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=2}", timed: true) == "status 1")
        #expect(rig.node.lockState == .locked && rig.actuations.isEmpty)
        rig.input { $0.receive(.hold(.none), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=2}", timed: true) == "status 0")
        rig.input { $0.receive(.hold(.open), at: $1) }
        rig.advance(by: .seconds(10))
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        #expect(rig.node.lockState == .unlocked)
        rig.input { $0.receive(.hold(.none), at: $1) }
        rig.advance(by: .seconds(1))
        #expect(rig.node.lockState == .locked)
        #expect(
            try controller.lockEvents(&rig).filter { $0.hasPrefix("3") } == [
                "3 {0=1 1=7 2=3 3=null 4=1 5=112233}", "3 {0=1 1=7 2=3 3=null 4=1 5=112233}",
                "3 {0=0 1=7 2=3 3=null 4=1 5=112233}",
            ])
    }

    /// A factory reset forgets settings, not the inputs.
    @Test
    func safetyInputsOutliveAFactoryReset() throws {
        var (rig, _) = try NodeRig.commissionedLock()
        rig.input { $0.receive(.hold(.open), at: $1) }
        rig.input { $0.factoryReset(at: $1) }
        var again = try Commissioner(0xFAB2, key: 9, peer: .host(9))
        var controller = try again.commission(&rig)
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        #expect(!rig.actuations.contains(.lock))
    }

    @Test
    func operatingMode() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        #expect(try controller.write(&rig, 1, 0x101, 0x25, "4") == 0x87)
        #expect(try controller.write(&rig, 1, 0x101, 0x25, "3") == 0)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 203")
        rig.input { $0.receive(.locked(.unlock, .manual), at: $1) }
        #expect(rig.node.lockState == .unlocked && rig.actuations.isEmpty)
        try rig.cutPower()
        #expect(rig.node.lockState == .unlocked && rig.node.model.lock.operatingMode == .noRemote)
    }

    @Test
    func operationsWithoutMatter() throws {
        var (rig, controller) = try NodeRig.commissionedLock(NodeRig.fullLock)
        rig.input { $0.receive(.locked(.unbolt, .rfid), at: $1) }
        rig.input { $0.receive(.lockRefused(.unlock, .keypad, .invalidCredential), at: $1) }
        rig.input { $0.receive(.door(.open), at: $1) }
        rig.input { $0.receive(.door(.forcedOpen), at: $1) }
        rig.input { $0.receive(.alarm(.jammed), at: $1) }
        #expect(try controller.read(&rig, 1, 0x101, 3) == "3")
        #expect(try controller.read(&rig, 1, 0x101, 0) == "0")
        #expect(
            try controller.lockEvents(&rig) == [
                "2 {0=1 1=8 2=null 3=null 4=null}", "3 {0=4 1=3 2=1 3=null 4=null 5=null}", "1 {0=0}", "1 {0=3}",
                "0 {0=6}", "0 {0=0}",
            ])
    }

    /// A bolt that is stuck: no order moves it, and nothing by itself; whoever moves it by hand frees it.
    @Test
    func aJammedBolt() throws {
        var traits = LockTraits()
        traits.relockSeconds = 5
        var (rig, controller) = try NodeRig.commissionedLock(traits)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        rig.input { $0.receive(.alarm(.jammed), at: $1) }
        #expect(try controller.read(&rig, 1, 0x101, 0) == "0")
        rig.advance(by: .seconds(6))
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        #expect(try controller.read(&rig, 1, 0x101, 0) == "0")
        #expect(rig.actuations == [.unlock])
        rig.input { $0.receive(.locked(.lock, .manual), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
        #expect(
            try controller.lockEvents(&rig).dropFirst() == [
                "0 {0=0}", "3 {0=0 1=7 2=0 3=null 4=1 5=112233}", "2 {0=0 1=1 2=null 3=null 4=null}",
                "2 {0=1 1=7 2=null 3=1 4=112233}",
            ])
    }

    /// LockOperationError with each code, by an order that the lock refuses.
    @Test(
        arguments: [.unspecified, .invalidCredential, .disabledUser, .restricted, .insufficientBattery]
            as [LockOperationError])
    func ordersAreRefused(with error: LockOperationError) throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        rig.input { $0.receive(.refusing(error), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 1")
        #expect(
            try controller.lockEvents(&rig) == ["3 {0=1 1=7 2=\(error.rawValue) 3=null 4=1 5=112233}"])
        rig.input { $0.receive(.refusing(nil), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0")
    }

    @Test
    func anActuatorThatIsSwitchedOff() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        rig.input { $0.receive(.actuator(false), at: $1) }
        #expect(try controller.read(&rig, 1, 0x101, 2) == "false")
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 1")
        rig.input { $0.receive(.locked(.unlock, .manual), at: $1) }
        #expect(rig.node.lockState == .unlocked && rig.actuations.isEmpty)
    }

    /// States, doors and modes that the lock itself comes to: each is reported.
    @Test
    func statesWithoutOperations() throws {
        var (rig, controller) = try NodeRig.commissionedLock(NodeRig.fullLock)
        #expect(try controller.read(&rig, 1, 0x101, 3) == "1", "closed as delivered")
        for (state, value) in [(nil, "null"), (.notFullyLocked, "0"), (.unlatched, "3")] as [(LockState?, String)] {
            rig.input { $0.receive(.lockState(state), at: $1) }
            #expect(try controller.read(&rig, 1, 0x101, 0) == value)
        }
        let doors = [(nil, "null"), (.open, "0"), (.jammed, "2"), (.unspecifiedError, "4")] as [(DoorState?, String)]
        for (door, value) in doors {
            rig.input { $0.receive(.door(door), at: $1) }
            #expect(try controller.read(&rig, 1, 0x101, 3) == value)
        }
        rig.input { $0.receive(.operatingMode(.noRemote), at: $1) }
        #expect(try controller.read(&rig, 1, 0x101, 0x25) == "3")
        for alarm in [.factoryReset, .radioPowerCycled, .coverRemoved] as [LockAlarm] {
            rig.input { $0.receive(.alarm(alarm), at: $1) }
        }
        #expect(
            try controller.lockEvents(&rig) == [
                "1 {0=0}", "1 {0=2}", "1 {0=4}", "0 {0=1}", "0 {0=3}", "0 {0=5}",
            ])
    }

    /// A change is reported to a subscription, with the events, and the subscription lives on without changes.
    @Test
    func subscription() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        let subscription = try #require(try controller.subscribe(&rig, "<2=1 3=257>", floor: 1, ceiling: 10))
        #expect(rig.notices.contains { if case .subscribed = $0 { true } else { false } })
        rig.input { $0.receive(.locked(.unlock, .manual), at: $1) }
        rig.advance(by: .seconds(1))
        let changes = try #require(try controller.takeReport(&rig))
        #expect(changes.map(\.value) == ["2"])
        for _ in 0..<3 {
            rig.advance(by: .seconds(Int(subscription.interval)))
            #expect(try controller.takeReport(&rig)?.isEmpty == true)
        }
    }

    @Test
    func aLostReport() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        _ = try #require(try controller.subscribe(&rig, "<2=1 3=257>", floor: 0, ceiling: 60))
        rig.node.faults.lostReports = 1
        rig.input { $0.receive(.locked(.unlock, .manual), at: $1) }
        rig.advance(by: .seconds(1))
        #expect(try controller.takeReport(&rig) == nil)
        #expect(rig.notices.contains(.faultInjected("report lost")))
    }
}
