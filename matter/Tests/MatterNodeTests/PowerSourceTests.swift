// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterTestSupport

/// Power Source of a battery (Core 11.7).
struct PowerSourceTests {
    private func commissioned(hasBattery: Bool) throws -> (NodeRig, Controller) {
        var configuration = try MatterConfiguration.test(.contact)
        configuration.hasBattery = hasBattery
        var rig = try NodeRig(configuration)
        var commissioner = try Commissioner()
        let controller = try commissioner.commission(&rig)
        return (rig, controller)
    }

    @Test
    func aNodeWithoutABattery() throws {
        var (rig, controller) = try commissioned(hasBattery: false)
        #expect(try controller.read(&rig, 0, 0x1D, 0) == "[{0=22 1=3}]")
        rig.input { $0.receive(.battery(BatteryState()), at: $1) }
        #expect(try controller.read(&rig, 0, 0x2F, 0) == "status 195")
    }

    @Test
    func aNewBattery() throws {
        var (rig, controller) = try commissioned(hasBattery: true)
        #expect(try controller.read(&rig, 0, 0x1D, 0) == "[{0=22 1=3} {0=17 1=1}]")
        let values: [(UInt32, String)] = [
            (0, "1"), (1, "0"), (2, "\"Primary battery\""), (0x0C, "200"), (0x0E, "0"), (0x0F, "false"), (0x10, "2"),
            (0x11, "true"), (0x12, "[]"), (0x13, "\"AA, alkaline\""), (0x19, "4"), (0x1F, "[]"), (0xFFFC, "10"),
            (0xFFFD, "3"),
        ]
        for (attribute, value) in values { #expect(try controller.read(&rig, 0, 0x2F, attribute) == value) }
    }

    @Test
    func eachPropertyIsReported() throws {
        var (rig, controller) = try commissioned(hasBattery: true)
        var battery = BatteryState()
        (battery.percent, battery.level, battery.needsReplacement) = (4, .critical, true)
        rig.input { $0.receive(.battery(battery), at: $1) }
        #expect(try controller.read(&rig, 0, 0x2F, 0x0C) == "8")
        #expect(try controller.read(&rig, 0, 0x2F, 0x0E) == "2")
        #expect(try controller.read(&rig, 0, 0x2F, 0x0F) == "true")
        battery.fault = .underTemperature
        rig.input { $0.receive(.battery(battery), at: $1) }
        (battery.fault, battery.isPresent, battery.status, battery.percent) = (.unspecified, false, .unavailable, nil)
        rig.input { $0.receive(.battery(battery), at: $1) }
        #expect(try controller.read(&rig, 0, 0x2F, 0) == "3")
        #expect(try controller.read(&rig, 0, 0x2F, 0x0C) == "null")
        #expect(try controller.read(&rig, 0, 0x2F, 0x11) == "false")
        #expect(try controller.read(&rig, 0, 0x2F, 0x12) == "[0]")
        #expect(
            try controller.events(&rig, "<1=0 2=47>") == ["0/47/1 {0=[2] 1=[]}", "0/47/1 {0=[0] 1=[2]}"])
    }

    /// Core 11.7.7.13: the charge is reported each ten seconds at most, from and to unknown at once.
    @Test
    func theChargeIsReportedRarely() throws {
        var (rig, controller) = try commissioned(hasBattery: true)
        _ = try #require(try controller.subscribe(&rig, "<2=0 3=47 4=12>", floor: 0, ceiling: 60))
        var battery = BatteryState()
        func change(_ percent: UInt8?) throws -> [String]? {
            battery.percent = percent
            rig.input { $0.receive(.battery(battery), at: $1) }
            rig.advance(by: .seconds(1))
            return try controller.takeReport(&rig)?.map(\.value)
        }
        #expect(try change(90) == ["180"])
        #expect(try change(89) == nil)
        #expect(try change(88) == nil)
        rig.advance(by: .seconds(6))
        #expect(try controller.takeReport(&rig) == nil)
        rig.advance(by: .seconds(2))
        #expect(try controller.takeReport(&rig)?.map(\.value) == ["176"])
        #expect(try change(nil) == ["null"])
        #expect(try change(50) == ["100"])
    }
}
