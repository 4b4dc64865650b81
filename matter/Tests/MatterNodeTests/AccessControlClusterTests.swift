// SPDX-License-Identifier: Apache-2.0

import WiFi

import Timekeeping
import TestSupport
import MatterInteraction
import MatterCredentials
import Crypto
import MatterTLV
import Testing

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Writes of the access control list (Core 9.10.5).
struct AccessControlClusterTests {
    private static let administrator = "{1=5 2=2 3=[112233] 4=null 254=0}"

    @Test
    func replacement() throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        let list = "[\(Self.administrator) {1=3 2=2 3=[5] 4=[{0=257 1=null 2=null}] 254=9}]"
        #expect(try controller.write(&rig, 0x1F, 0, list) == 0)
        #expect(
            try controller.read(&rig, 0x1F, 0)
                == "[{1=5 2=2 3=[112233] 4=null 254=1} {1=3 2=2 3=[5] 4=[{0=257 1=null 2=null}] 254=1}]")
        // Added by PASE with AddNOC, then added over CASE.
        #expect(
            try controller.events(&rig, "<2=31>") == [
                "0/31/0 {1=null 2=0 3=1 4={1=5 2=2 3=[112233] 4=null 254=1} 254=1}",
                "0/31/0 {1=112233 2=null 3=1 4={1=3 2=2 3=[5] 4=[{0=257 1=null 2=null}] 254=1} 254=1}",
            ])
        try rig.cutPower()
        #expect(rig.node.model.state.accessEntries.count == 2)
    }

    /// The list decides at once: without an administrator in it, nobody administers the fabric any longer.
    @Test
    func aListWithoutAdministrator() throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        #expect(try controller.write(&rig, 0x1F, 0, "[{1=1 2=2 3=[112233] 4=null}]") == 0)
        #expect(try controller.write(&rig, 0x1F, 0, "[]") == 0x7E)
        #expect(try controller.read(&rig, 0x28, 1) == "\"Lab\"")
    }

    @Test(
        arguments: [
            ("{1=5 2=1 3=[1] 4=null}", 0x87), ("{1=6 2=2 3=[1] 4=null}", 0x87), ("{1=5 2=3 3=[1] 4=null}", 0x87),
            ("{1=3 2=3 3=[1] 4=null}", 0x87), ("{1=3 2=3 3=[18446744073709486081] 4=null}", 0),
            ("{1=3 2=2 3=[0] 4=null}", 0x87), ("{1=3 2=2 3=[18446744060824715264] 4=null}", 0x87),
            ("{1=3 2=2 3=[18446744060824715265] 4=null}", 0), ("{1=3 2=2 3=[1 2 3 4] 4=null}", 0),
            ("{1=3 2=2 3=[1 2 3 4 5] 4=null}", 0x89), ("{1=3 2=2 3=null 4=[{0=null 1=null 2=null}]}", 0x87),
            ("{1=3 2=2 3=null 4=[{0=null 1=1 2=10}]}", 0x87),
            ("{1=3 2=2 3=null 4=[{0=1} {0=2} {0=3} {0=4}]}", 0x89), ("{1=3 2=2 3=[true] 4=null}", 0x8D),
            ("{1=3}", 0x8D), ("7", 0x8D),
        ] as [(String, UInt8)])
    func judgement(entry: String, status: UInt8) throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        #expect(try controller.write(&rig, 0x1F, 0, "[\(Self.administrator) \(entry)]") == status)
        #expect(rig.node.model.state.accessEntries.count == (status == 0 ? 2 : 1))
    }

    @Test
    func fiveEntries() throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        let list = [String](repeating: Self.administrator, count: 5).joined(separator: " ")
        #expect(try controller.write(&rig, 0x1F, 0, "[\(list)]") == 0x89)
    }
}
