// SPDX-License-Identifier: Apache-2.0

import WiFi

import TestSupport
import MatterInteraction
import MatterCredentials
import Crypto
import MatterTLV
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Light, socket and contact (Application Clusters 1.2, 1.3, 1.5, 1.7).
struct DeviceTests {
    private func commissioned(_ device: MatterDevice) throws -> (NodeRig, Controller) {
        var rig = try NodeRig(.test(device))
        var commissioner = try Commissioner()
        let controller = try commissioner.commission(&rig)
        return (rig, controller)
    }

    @Test(arguments: [.light, .plug] as [MatterDevice])
    func switching(device: MatterDevice) throws {
        var (rig, controller) = try commissioned(device)
        for (command, isOn) in [(1, true), (1, true), (0, false), (2, true), (2, false)] as [(UInt32, Bool)] {
            #expect(try controller.invoke(&rig, 1, 6, command) == "status 0")
            #expect(try controller.read(&rig, 1, 6, 0) == "\(isOn)")
        }
        #expect(rig.actuations == [.power(true), .power(false), .power(true), .power(false)])
        rig.input { $0.receive(.power(true), at: $1) }
        #expect(rig.node.isOn && rig.actuations.count == 4)
    }

    @Test
    func switchingOffByTime() throws {
        var (rig, controller) = try commissioned(.light)
        #expect(try controller.invoke(&rig, 1, 6, 0x42, "{0=1 1=20 2=30}") == "status 0")
        #expect(!rig.node.isOn, "accepted only when on")
        #expect(try controller.invoke(&rig, 1, 6, 0x42, "{0=0 1=20 2=30}") == "status 0")
        rig.advance(by: .milliseconds(1900))
        #expect(rig.node.isOn)
        #expect(try controller.read(&rig, 1, 6, 0x4001) == "1")
        rig.advance(by: .milliseconds(100))
        #expect(!rig.node.isOn)
        #expect(try controller.invoke(&rig, 1, 6, 0x42, "{0=2 1=1 2=1}") == "status 135")
    }

    @Test(arguments: [("null", true), ("0", false), ("1", true), ("2", false)])
    func startUp(value: String, isOn: Bool) throws {
        var (rig, controller) = try commissioned(.plug)
        #expect(try controller.write(&rig, 1, 6, 0x4003, "3") == 0x87)
        #expect(try controller.write(&rig, 1, 6, 0x4003, value) == 0)
        #expect(try controller.invoke(&rig, 1, 6, 1) == "status 0")
        try rig.cutPower()
        #expect(rig.node.isOn == isOn)
    }

    @Test
    func contact() throws {
        var (rig, controller) = try commissioned(.contact)
        #expect(try controller.read(&rig, 1, 0x45, 0) == "false")
        rig.input { $0.receive(.contact(true), at: $1) }
        #expect(try controller.read(&rig, 1, 0x45, 0) == "true")
        #expect(try controller.events(&rig, "<1=1>") == ["1/69/0 {0=true}"])
    }

    @Test
    func identification() throws {
        var (rig, controller) = try commissioned(.light)
        #expect(try controller.invoke(&rig, 1, 3, 0, "{0=10}") == "status 0")
        rig.advance(by: .milliseconds(3500))
        #expect(try controller.read(&rig, 1, 3, 0) == "7")
        rig.advance(by: .milliseconds(6500))
        #expect(try controller.read(&rig, 1, 3, 0) == "0")
        #expect(rig.actuations == [.identify(seconds: 10), .identify(seconds: 0)])
        #expect(try controller.write(&rig, 1, 3, 0, "4") == 0)
        #expect(try controller.invoke(&rig, 1, 3, 0x40, "{0=1 1=0}") == "status 0")
        #expect(try controller.invoke(&rig, 1, 3, 0x40, "{0=3 1=0}") == "status 135")
    }

    @Test
    func groups() throws {
        var (rig, controller) = try commissioned(.light)
        #expect(try controller.invoke(&rig, 1, 4, 0, "{0=7 1=\"x\"}") == "{0=126 1=7}", "no key")
        let key = "h\"000102030405060708090a0b0c0d0e0f\""
        let set = "{0={0=42 1=0 2=\(key) 3=1 4=null 5=null 6=null 7=null}}"
        #expect(try controller.invoke(&rig, 0x3F, 0, set) == "status 0")
        #expect(try controller.write(&rig, 0x3F, 0, "[{1=7 2=42 254=0}]") == 0)
        #expect(try controller.invoke(&rig, 1, 4, 0, "{0=7 1=\"x\"}") == "{0=0 1=7}")
        #expect(try controller.invoke(&rig, 1, 4, 1, "{0=7}") == "{0=0 1=7 2=\"\"}")
        #expect(try controller.invoke(&rig, 1, 4, 2, "{0=[]}") == "{0=3 1=[7]}")
        #expect(try controller.read(&rig, 0x3F, 1) == "[{1=7 2=[1] 254=1}]")
        try rig.cutPower()
        #expect(rig.node.model.state.groups.count == 1 && rig.node.model.state.groupKeySets.count == 1)
        #expect(rig.node.model.state.groupKeyMap.count == 1)
    }

    @Test
    func groupKeys() throws {
        var (rig, controller) = try commissioned(.lock(LockTraits()))
        #expect(try controller.invoke(&rig, 0x3F, 4) == "{0=[0]}")
        #expect(
            try controller.invoke(&rig, 0x3F, 1, "{0=0}")
                == "{0={0=0 1=0 2=null 3=0 4=null 5=null 6=null 7=null}}")
        #expect(try controller.invoke(&rig, 0x3F, 1, "{0=3}") == "status 139")
        #expect(try controller.invoke(&rig, 0x3F, 3, "{0=0}") == "status 133")
        let key = "h\"000102030405060708090a0b0c0d0e0f\""
        for set in [0, 42] {
            let fields = "{0={0=\(set) 1=0 2=\(key) 3=1 4=null 5=null 6=null 7=null}}"
            #expect(try controller.invoke(&rig, 0x3F, 0, fields) == "status 137")
        }
    }

    @Test
    func diagnostics() throws {
        var (rig, controller) = try commissioned(.contact)
        #expect(
            try controller.invoke(&rig, 0x33, 0, "{0=\(quoted([UInt8](repeating: 0, count: 16))) 1=1}") == "status 135")
        rig.advance(by: .seconds(7))
        #expect(try controller.invoke(&rig, 0x33, 1) == "{0=7000 1=1780000007000}")
        #expect(try controller.read(&rig, 0x33, 1) == "1")
        rig.input { $0.receive(ipv4: [[10, 0, 0, 1]], ipv6: [], at: $1) }
        #expect(
            try controller.read(&rig, 0x33, 0)
                == "[{0=\"eth0\" 1=true 2=null 3=null 4=h\"000102030405\" 5=[h\"0a000001\"] 6=[] 7=2}]")
        try rig.cutPower()
        #expect(rig.node.model.state.rebootCount == 2)
    }
}
