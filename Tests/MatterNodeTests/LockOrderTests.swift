// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Door Lock (Application Clusters 5.2) of a lock whose program decides: orders, their answers, reports.
struct LockOrderTests {
    private static var traits: LockTraits {
        var traits = LockTraits()
        traits.asksProgram = true
        traits.relockSeconds = 5
        return traits
    }

    /// The command is answered when the program has moved the lock, and the event names the node.
    @Test
    func anOrderThatIsDone() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        #expect(try controller.read(&rig, 1, 0x101, 0) == "null")
        rig.input { $0.take(.lockState(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == nil)
        #expect(rig.orders == [LockOrder(id: 1, action: .unlock, fabric: 1, node: 112_233)])
        #expect(rig.actuations.isEmpty && rig.node.lockState == .locked)
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        #expect(rig.node.lockState == .unlocked)
        // The program reports its relocking.
        rig.advance(by: .seconds(60))
        #expect(rig.node.lockState == .unlocked)
        rig.input { $0.take(.locked(.lock, .auto), at: $1) }
        #expect(
            try controller.lockEvents(&rig)
                == ["2 {0=1 1=7 2=null 3=1 4=112233}", "2 {0=0 1=4 2=null 3=null 4=null}"])
    }

    @Test
    func anOrderThatIsRefused() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        rig.input { $0.take(.lockState(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == nil)
        // Of another order.
        rig.input { $0.answer(2, isDone: true, at: $1) }
        #expect(rig.node.lockState == .locked)
        rig.input { $0.answer(1, isDone: false, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 1")
        #expect(rig.node.lockState == .locked)
        #expect(try controller.lockEvents(&rig) == ["3 {0=1 1=7 2=3 3=null 4=1 5=112233}"])
        // An answer that comes twice.
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(rig.node.lockState == .locked)
    }

    @Test
    func anOrderWithoutAnswer() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == nil)
        // One at a time.
        var other = controller
        #expect(try other.invoke(&rig, 1, 0x101, 0, timed: true) == "status 156")
        controller = other
        rig.advance(by: .seconds(1))
        // The acknowledgement that stands alone (Core 4.12.5.2.2).
        #expect(rig.take(to: controller.peer).count == 1)
        rig.advance(by: .milliseconds(3999))
        #expect(rig.take(to: controller.peer).isEmpty)
        rig.advance(by: .milliseconds(1))
        #expect(try controller.laterOutcome(&rig) == "status 1")
        #expect(rig.node.lockState == nil)
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(rig.node.lockState == nil)
    }

    /// Safety inputs and the operating mode refuse before the program is asked.
    @Test
    func ordersThatTheProgramDoesNotSee() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        rig.input { $0.take(.hold(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 1")
        rig.input { $0.take(.hold(.open), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        rig.input { $0.take(.hold(.none), at: $1) }
        #expect(try controller.write(&rig, 1, 0x101, 0x25, "3") == 0)
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 203")
        #expect(rig.orders.isEmpty)
    }

    /// The door's time is its own: it can be read, and not written; UnlockWithTimeout is no command of this lock.
    @Test
    func theTimeOfRelockingIsTheProgrammes() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        #expect(try controller.read(&rig, 1, 0x101, 0x23) == "5")
        #expect(try controller.write(&rig, 1, 0x101, 0x23, "60") == 0x88)
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=2}", timed: true) == "status 129")
        #expect(try controller.read(&rig, 1, 0x101, 0xFFF9) == "[0 1]")
    }

    /// A stored state is no evidence of the door.
    @Test
    func theStateIsUnknownAfterAStart() throws {
        var (rig, _) = try NodeRig.commissionedLock(LockOrderTests.traits)
        rig.input { $0.take(.locked(.unlock, .rfid), at: $1) }
        try rig.cutPower()
        #expect(rig.node.lockState == nil)
        rig.input { $0.take(.lockState(.locked), at: $1) }
        #expect(rig.node.lockState == .locked)
        rig.input { $0.take(.lockState(nil), at: $1) }
        #expect(rig.node.lockState == nil)
    }

    /// A reader that is new, or was removed from its last fabric, waits for its button.
    @Test
    func noWindowWithoutAButton() throws {
        var configuration = try MatterConfiguration.test(.lock(LockOrderTests.traits))
        configuration.opensWindowWithoutFabrics = false
        var rig = try NodeRig(configuration)
        #expect(rig.node.window == nil && rig.advertisement == MatterAdvertisement())
        rig.input { $0.openWindow(at: $1) }
        #expect(rig.node.window == .label)
        var commissioner = try Commissioner()
        var controller = try commissioner.commission(&rig)
        rig.input { $0.take(.lockState(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 0x3E, 10, "{0=1}")?.contains("0=0") == true)
        rig.advance(by: .seconds(10))
        #expect(rig.node.fabrics.isEmpty && rig.node.window == nil)
        // The door is as it is.
        #expect(rig.node.lockState == .locked)
        rig.input { $0.openWindow(at: $1) }
        rig.input { $0.factoryReset(at: $1) }
        #expect(rig.node.window == nil && rig.node.lockState == .locked)
    }
}
