// SPDX-License-Identifier: Apache-2.0

import AirRig
import HostLoop
import Peripheral
import Testing
import Timekeeping
import VirtualRadio

@testable import Thermostat

/// The example of docs/develop/architecture.md. Handles: temperature 18, its configuration 19, target 21.
@Suite struct ThermostatTests {
    @Test func theRoomFollowsTheTarget() throws {
        let rig = try ProgramRig(Thermostat(temperature: 2060, target: 2100), [Thermostat.device])
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 21, 0], phone) == [[0x0B, 0x34, 0x08]])
        #expect(try rig.send([0x12, 19, 0, 1, 0], phone) == [[0x13]])
        rig.run(.seconds(5))
        #expect(rig.device.state.temperature == 2100)
        #expect(phone.pdus.count == 6, "the response, and a value each second")
        #expect(phone.pdus.suffix(2) == [[0x1B, 18, 0, 0x34, 0x08], [0x1B, 18, 0, 0x34, 0x08]])
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 0x34, 0x08]])
        #expect(rig.controller.violations == [])
    }

    @Test(
        arguments: [
            ([0xC4, 0x09], [0x13], 2500),  // 25 °C
            ([0xF4, 0x01], [0x13], 500),  // the lowest
            ([0xF3, 0x01], [0x01, 0x12, 21, 0, 0xFF], 2100),  // Out of Range
            ([0xFF, 0xFF], [0x01, 0x12, 21, 0, 0xFF], 2100),  // -0.01 °C
            ([0xB8, 0x0B], [0x13], 3000),  // the highest
            ([0xB9, 0x0B], [0x01, 0x12, 21, 0, 0xFF], 2100),
            ([0x64], [0x01, 0x12, 21, 0, 0x0D], 2100),  // Invalid Attribute Value Length
            ([0x64, 0, 0], [0x01, 0x12, 21, 0, 0x0D], 2100),
        ] as [([UInt8], [UInt8], Int16)])
    func aTargetIsTakenOrRefused(value: [UInt8], answer: [UInt8], target: Int16) throws {
        let rig = try ProgramRig(Thermostat(), [Thermostat.device])
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 21, 0] + value, phone) == [answer])
        #expect(rig.device.state.target == target)
        #expect(rig.controller.violations == [])
    }
}
