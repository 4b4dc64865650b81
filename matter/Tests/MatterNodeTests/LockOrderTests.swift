// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
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
        rig.input { $0.receive(.lockState(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == nil)
        #expect(rig.orders == [LockOrder(id: 1, action: .unlock, fabric: 1, node: 112_233)])
        #expect(rig.actuations.isEmpty && rig.node.lockState == .locked)
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        #expect(rig.node.lockState == .unlocked)
        // The program reports its relocking.
        rig.advance(by: .seconds(60))
        #expect(rig.node.lockState == .unlocked)
        rig.input { $0.receive(.locked(.lock, .auto), at: $1) }
        #expect(
            try controller.lockEvents(&rig)
                == ["2 {0=1 1=7 2=null 3=1 4=112233}", "2 {0=0 1=4 2=null 3=null 4=null}"])
    }

    @Test
    func anOrderThatIsRefused() throws {
        var (rig, controller) = try NodeRig.commissionedLock(LockOrderTests.traits)
        rig.input { $0.receive(.lockState(.locked), at: $1) }
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
        #expect(rig.drain(to: controller.peer).count == 1)
        rig.advance(by: .milliseconds(3999))
        #expect(rig.drain(to: controller.peer).isEmpty)
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
        rig.input { $0.receive(.hold(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 1, timed: true) == "status 1")
        rig.input { $0.receive(.hold(.open), at: $1) }
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        rig.input { $0.receive(.hold(.none), at: $1) }
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
        rig.input { $0.receive(.locked(.unlock, .rfid), at: $1) }
        try rig.cutPower()
        #expect(rig.node.lockState == nil)
        rig.input { $0.receive(.lockState(.locked), at: $1) }
        #expect(rig.node.lockState == .locked)
        rig.input { $0.receive(.lockState(nil), at: $1) }
        #expect(rig.node.lockState == nil)
    }

    // MARK: - Windows

    /// A reader's lock, on the fabric of a controller.
    private static func readersLock() throws -> (NodeRig, Controller) {
        var configuration = try MatterConfiguration.test(.lock(traits))
        configuration.opensWindowWithoutFabrics = false
        configuration.asksForWindows = true
        configuration.offersBasicWindow = false
        var rig = try NodeRig(configuration)
        rig.input { $0.openWindow(at: $1) }
        var commissioner = try Commissioner()
        let controller = try commissioner.commission(&rig)
        return (rig, controller)
    }

    private static let salt = Array("another salt of it".utf8)

    private static func window() throws -> String {
        let verifier = try SPAKE2PlusVerifier(passcode: 34_567_890, salt: salt.span, iterations: 2000).octets
        return "{0=180 1=\(quoted(verifier)) 2=2748 3=2000 4=\(quoted(salt))}"
    }

    /// The program decides about a window of an administrator; one with the label's code is no command of this lock.
    @Test
    func aWindowThatTheProgramDecides() throws {
        var (rig, controller) = try LockOrderTests.readersLock()
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=180}", timed: true) == "status 129")
        let author = MatterAuthor(fabric: 1, node: 112_233)
        #expect(try controller.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        #expect(rig.windows == [WindowRequest(id: 1, seconds: 180, author: author)] && rig.node.window == nil)
        // One at a time.
        var other = controller
        #expect(try other.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == "status 1 cluster 2")
        controller = other
        rig.input { $0.answer(1, isDone: false, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 1")
        #expect(rig.node.window == nil && rig.advertisement.commissionable == nil)
        #expect(try controller.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        rig.input { $0.answer(2, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        #expect(rig.node.window == .enhanced && rig.notices.contains(.windowOpened(.enhanced, by: author)))
        // The operator's own replaces it.
        rig.input { $0.openWindow(at: $1) }
        #expect(rig.node.window == .label && rig.notices.contains(.windowClosed(.closed)))
    }

    /// No answer is a refusal, and so is the end of the connection to the program.
    @Test
    func aWindowWithoutAnswer() throws {
        var (rig, controller) = try LockOrderTests.readersLock()
        #expect(try controller.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        rig.advance(by: .seconds(1))
        #expect(rig.drain(to: controller.peer).count == 1)
        rig.advance(by: .seconds(4))
        #expect(try controller.laterOutcome(&rig) == "status 1")
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(rig.node.window == nil)
        #expect(try controller.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        rig.input { $0.closeWindow(because: .programLost, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 1")
        rig.input { $0.answer(2, isDone: true, at: $1) }
        #expect(rig.node.window == nil)
    }

    /// A window that an administrator opened ends with its fabric, with the commissioner that came through it; others
    /// stay.
    @Test
    func aWindowEndsWithTheFabricThatOpenedIt() throws {
        var (rig, controller) = try LockOrderTests.readersLock()
        rig.input { $0.openWindow(at: $1) }
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        var other = try second.commission(&rig)
        #expect(try other.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        rig.input { $0.answer(1, isDone: true, at: $1) }
        #expect(try other.laterOutcome(&rig) == "status 0")
        var third = try Commissioner(0xFAB3, key: 10, peer: .host(3))
        third.code = (34_567_890, LockOrderTests.salt, 2000)
        try third.commission(&rig, upTo: .credentials)
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=2}") == "{0=0 1=2}")
        #expect(rig.node.window == nil && !rig.node.isFailSafeArmed && rig.node.fabrics.map(\.index) == [1])
        #expect(rig.notices.contains(.windowClosed(.fabricRemoved)))
        // A request of a removed fabric is not answered by a window either.
        rig.input { $0.openWindow(at: $1) }
        var fourth = try Commissioner(0xFAB4, key: 11, peer: .host(4))
        var last = try fourth.commission(&rig)
        #expect(try last.invoke(&rig, 0x3C, 0, LockOrderTests.window(), timed: true) == nil)
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=4}") == "{0=0 1=4}")
        rig.input { $0.answer(2, isDone: true, at: $1) }
        #expect(rig.node.window == nil)
    }

    /// An administrator adds no other fabric over its own session: that would be a window without one.
    @Test
    func noFabricWithoutAWindow() throws {
        var (rig, controller) = try LockOrderTests.readersLock()
        var commissioner = try Commissioner(0xFAB2, key: 9)
        commissioner.controller = controller
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        let key = try commissioner.requestKey(&rig)
        try commissioner.expect("status 0", &rig, 0x3E, 0x0B, "{0=\(quoted(commissioner.fabric.root.tlv))}")
        try commissioner.expect("status 126", &rig, 0x3E, 6, try commissioner.credentials(key: key))
        #expect(rig.node.fabrics.map(\.index) == [1])
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
        rig.input { $0.receive(.lockState(.locked), at: $1) }
        #expect(try controller.invoke(&rig, 0x3E, 10, "{0=1}")?.contains("0=0") == true)
        rig.advance(by: .seconds(10))
        #expect(rig.node.fabrics.isEmpty && rig.node.window == nil)
        // Nor does a window of an administrator's outlive it.
        rig.input { $0.openWindow(at: $1) }
        commissioner = try Commissioner(0xFAB2, key: 9, peer: .host(9))
        controller = try commissioner.commission(&rig)
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=180}", timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 0x3E, 10, "{0=2}") == "{0=0 1=2}")
        #expect(rig.node.window == nil && rig.advertisement == MatterAdvertisement())
        // The door is as it is.
        #expect(rig.node.lockState == .locked)
        rig.input { $0.openWindow(at: $1) }
        rig.input { $0.factoryReset(at: $1) }
        #expect(rig.node.window == nil && rig.node.lockState == .locked)
    }
}
