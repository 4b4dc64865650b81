// SPDX-License-Identifier: Apache-2.0

import AirRig
import ArgumentParser
import Devices
import Emulation
import HostLoop
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import DevicePrograms

/// The thermostat with its session, and one app. Handles: temperature 18, its configuration 19, target 21, its
/// configuration 22.
@Suite struct EmulatedThermostatTests {
    private final class Rig: ProgramRig<EmulationSession> {
        let session: EmulationSession

        init(_ room: Thermostat, faults: String...) throws {
            let unit = EmulatedThermostat(name: "Thermostat", room)
            session = EmulationSession([unit])
            for line in faults {
                guard case .fault(let rule) = try EmulationCommand(line: line, steps: unit.steps) else { continue }
                _ = session.plan.add(rule)
            }
            var definition = unit.define(0)
            session.watch(&definition, 0)
            try super.init(session, [definition]) { program in
                program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
                program.onOther { session, context, event in session.receive(event, &context) }
            }
        }

        var findings: [String] { session.timeline.findings.map(\.rule) }
    }

    @Test func theAppFollowsTheRoom() throws {
        let rig = try Rig(Thermostat(temperature: 2100, target: 2100))
        let phone = try rig.connected()
        #expect(try rig.send([0x0A, 18, 0], phone) == [[0x0B, 0x34, 0x08]])
        #expect(try rig.send([0x0A, 21, 0], phone) == [[0x0B, 0x34, 0x08]])
        #expect(try rig.send([0x12, 19, 0, 1, 0], phone) == [[0x13]])
        #expect(try rig.send([0x12, 22, 0, 1, 0], phone) == [[0x13]])
        phone.received.removeAll()
        // 21.15 °C: the response, the new target, and a temperature each second until it is reached.
        try rig.send([0x12, 21, 0, 0x43, 0x08], phone)
        rig.run(.seconds(5))
        #expect(
            phone.pdus == [
                [0x13], [0x1B, 21, 0, 0x43, 0x08], [0x1B, 18, 0, 0x3E, 0x08], [0x1B, 18, 0, 0x43, 0x08],
            ])
        #expect(rig.findings == [])
        #expect(rig.controller.violations == [])
    }

    @Test(
        arguments: [
            ([0xF4, 0x01], [0x13], []),
            ([0xF3, 0x01], [0x01, 0x12, 21, 0, 0xFF], ["invalid-target"]),  // Out of Range
            ([0xB9, 0x0B], [0x01, 0x12, 21, 0, 0xFF], ["invalid-target"]),
            ([0x64], [0x01, 0x12, 21, 0, 0x0D], ["invalid-target"]),  // Invalid Attribute Value Length
        ] as [([UInt8], [UInt8], [String])])
    func anInvalidTargetIsAMistakeOfTheApp(value: [UInt8], answer: [UInt8], findings: [String]) throws {
        let rig = try Rig(Thermostat())
        let phone = try rig.connected()
        #expect(try rig.send([0x12, 21, 0] + value, phone) == [answer])
        #expect(rig.findings == findings)
    }

    /// A write that a fault refuses sets no target, and is no mistake of the app.
    @Test func faults() throws {
        let rig = try Rig(
            Thermostat(temperature: 2100, target: 2100), faults: "fault error set-target 0x0e",
            "fault drop temperature", "fault replace target ff7f")
        let phone = try rig.connected()
        try rig.send([0x12, 19, 0, 1, 0], phone)
        try rig.send([0x12, 22, 0, 1, 0], phone)
        #expect(try rig.send([0x12, 21, 0, 0xF3, 0x01], phone) == [[0x01, 0x12, 21, 0, 0x0E]])
        #expect(try rig.send([0x0A, 21, 0], phone) == [[0x0B, 0x34, 0x08]])
        phone.received.removeAll()
        try rig.send([0x12, 21, 0, 0x48, 0x08], phone)
        rig.run(.seconds(5))
        // 21.20 °C is notified as 0x7FFF, and the first of two temperatures is lost.
        #expect(phone.pdus == [[0x13], [0x1B, 21, 0, 0xFF, 0x7F], [0x1B, 18, 0, 0x48, 0x08]])
        #expect(rig.findings == [])
    }

    @Test func options() throws {
        let command = try EmulateThermostatCommand.parse(
            ["--hci", "hci-socket:0", "--temperature", "-3.25", "--target", "5", "--name", "Cellar"])
        let unit = try command.thermostat.unit(0, of: 1)
        #expect(unit.name == "Cellar")
        #expect(unit.facts.last?.text == "-3.25 °C, target 5.00 °C")
        for wrong in [["--target", "4.99"], ["--target", "nan"], ["--temperature", "inf"], ["--name", ""]] {
            #expect(throws: (any Error).self) {
                try EmulateThermostatCommand.parse(["--hci", "hci-socket:0"] + wrong)
            }
        }
    }
}
