// SPDX-License-Identifier: Apache-2.0

import AirRig
import HostLoop
import Peripheral
import Testing
import Timekeeping
import VirtualRadio

/// A program of devices on a controller that loses its state: it is restored, and the program is told of it.
@Suite struct ControllerStateTests {
    private struct Log {
        var onAir: [[UInt8]] = []
        var failures: [ControllerFault] = []
    }

    private static func device(_ name: String) -> DeviceDefinition<Log> {
        var device = DeviceDefinition<Log>(name: name)
        device.addService(BluetoothUUID(0xAA00))
        device.addCharacteristic(BluetoothUUID(0xAA01), .read, value: [1])
        return device
    }

    private func rig(_ profile: ControllerProfile) throws -> ProgramRig<Log> {
        try ProgramRig(Log(), [Self.device("one"), Self.device("two")], profile: profile) { program in
            program.onOther { log, _, event in
                switch event {
                case .advertising(let status): log.onAir.append(status.onAir)
                case .controllerFailed(let fault): log.failures.append(fault)
                default: break
                }
            }
        }
    }

    @Test(arguments: [ControllerProfile.modern, .legacy])
    func aSilentRestart(_ profile: ControllerProfile) throws {
        let rig = try rig(profile)
        rig.run(.seconds(5))
        #expect(rig.device.state.onAir.last == [0, 1])
        rig.controller.restart()
        rig.run(.seconds(30))
        #expect(rig.device.state.onAir.last == [0, 1])
        let phone = try rig.connected(to: 1)
        #expect(phone.link != nil)
        #expect(rig.controller.violations == [])
    }

    /// A program that is off the air is not asked, and comes back with everything set.
    @Test func aRestartWhileNothingIsAdvertised() throws {
        let rig = try rig(.legacy)
        rig.device.act(at: rig.air.now) { _, context in context.setAdvertising(enabled: false) }
        rig.run(.seconds(30))
        #expect(rig.device.state.onAir.last == [])
        rig.controller.restart()
        rig.device.act(at: rig.air.now) { _, context in context.setAdvertising(enabled: true) }
        rig.run(.seconds(2))
        let phone = try rig.connected()
        #expect(phone.link != nil)
    }
}
