// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import GATTDevice
import Testing

@testable import DevicePrograms

/// The devices take the faults that `emulate faults` lists.
@Suite struct FaultTableTests {
    @Test func eachOfferedFaultIsAccepted() throws {
        for steps in [EmulatedNordic.steps, EmulatedCamera.steps, DeviceStep.common] {
            for step in steps {
                #expect(!step.faults.isEmpty)
                for fault in step.faults {
                    let argument = fault.argument.map { $0 == "HEX" ? " 0a" : " 2" } ?? ""
                    _ = try EmulationCommand(line: "fault \(fault.word) \(step.name)\(argument)", steps: steps)
                }
            }
        }
        for row in try #require(FaultTable.rows(of: "matter")) {
            for fault in row.faults {
                let words = ["fault", fault.word, row.step, fault.argument == nil ? nil : "3"].compactMap(\.self)
                _ = try MatterCommand(line: words.joined(separator: " "))
            }
        }
    }

    @Test func eachOtherFaultIsRefused() {
        let words = [
            "drop", "duplicate", "disconnect-before", "disconnect-after", "refuse", "wrong-confirm", "wrong-proof",
        ]
        for step in EmulatedNordic.steps {
            for word in words where !step.faults.contains(where: { $0.word == word }) {
                #expect(throws: CommandFault.self) {
                    _ = try EmulationCommand(line: "fault \(word) \(step.name)", steps: EmulatedNordic.steps)
                }
            }
        }
    }

    @Test func aKindWithoutFaults() { #expect(FaultTable.rows(of: "devices") == nil) }
}
