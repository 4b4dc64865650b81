import Testing
import Timekeeping

@testable import Peripheral

/// Advertising comes back, whatever the controller says and in whatever order (DESIGN §4, Advertising and Links).
@Suite struct AdvertisingRecoveryTests {
    private static let load: [UInt16] = [0x2036, 0x2035, 0x2037, 0x2038, 0x2039]

    private func running(_ controller: ScriptedController, _ sets: [AdvertisingSet]) throws -> Rig {
        let rig = try Rig(controller, sets: sets)
        rig.start()
        _ = (rig.takeCommands(), rig.takeEvents())
        return rig
    }

    /// A connection that no host may use has stopped the advertiser all the same.
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

    /// Hardware errors of a controller that waits to be reset do not put the reset off.
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
}
