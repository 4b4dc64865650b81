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

/// The fail-safe with its roll-back (Core 11.10.7.2).
struct FailSafeTests {
    /// All that a roll-back restores.
    private func summary(_ rig: NodeRig) -> String {
        let model = rig.node.model
        return [
            "\(rig.node.fabrics)", "\(model.state.accessEntries)", "\(String(describing: model.state.network))",
            "\(model.breadcrumb)", "\(String(describing: rig.node.window))", "\(rig.node.isFailSafeArmed)",
            "\(rig.node.channel.sessionIDs.count)", "\(String(describing: rig.advertisement.commissionable))",
            "\(rig.advertisement.operational)",
        ].joined(separator: "\n")
    }

    private static let steps = CommissioningStep.allCases.dropLast()

    /// The time-out restores everything at every step, and PASE is possible at once.
    @Test(arguments: steps)
    func timeout(step: CommissioningStep) throws {
        var rig = try NodeRig(.test())
        let before = summary(rig)
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: step)
        #expect(summary(rig) != before)
        rig.advance(by: .seconds(59))
        #expect(rig.node.isFailSafeArmed)
        rig.advance(by: .seconds(1))
        #expect(summary(rig) == before)
        #expect(rig.notices.contains(.failSafeExpired(.timeout)))
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig)
        #expect(rig.node.fabrics.map(\.fabric) == [0xFAB2])
    }

    /// ArmFailSafe with 0 does so at once, after its reply.
    @Test(arguments: steps.dropFirst())
    func disarming(step: CommissioningStep) throws {
        var rig = try NodeRig(.test())
        let before = summary(rig)
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: step)
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=0 1=5}")
        #expect(!rig.node.isFailSafeArmed && rig.node.fabrics.isEmpty)
        rig.advance(by: .seconds(5))
        #expect(summary(rig) == before)
        #expect(rig.notices.contains(.failSafeExpired(.disarmed)))
    }

    /// A loss of power restores everything at every step; the completed commissioning remains.
    @Test(arguments: CommissioningStep.allCases)
    func powerCut(step: CommissioningStep) throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: step)
        try rig.cutPower()
        if step == .complete {
            #expect(rig.node.fabrics.map(\.fabric) == [0xFAB1])
            #expect(rig.node.window == nil && rig.advertisement.operational.count == 1)
            try commissioner.establishCASE(&rig)
        } else {
            #expect(rig.node.fabrics.isEmpty && rig.node.model.state.accessEntries.isEmpty)
            #expect(rig.node.window == .label && rig.advertisement.operational.isEmpty)
            var second = try Commissioner(0xFAB2, key: 9)
            try second.commission(&rig)
        }
        #expect(!rig.node.isFailSafeArmed)
    }

    /// A loss of power between the change and its storage: the administrator had no answer, and nothing is there.
    @Test
    func powerCutBeforeStorage() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .session)
        rig.storesAtOnce = false
        #expect(try commissioner.controller?.invoke(&rig, 0x30, 4) == nil)
        try rig.cutPower()
        #expect(rig.node.fabrics.isEmpty && rig.node.window == .label)
    }

    /// A loss of power before any document of a life with two fabrics is stored: the device can be commissioned, or is
    /// on its fabrics, never between, and no reply told more than what is stored.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func powerCutBeforeEachDocument(number: UInt64) throws {
        var rig = try NodeRig(.test())
        rig.unstorable = number
        var completed = 0
        var removed = 0
        do {
            var first = try Commissioner()
            try first.commission(&rig, upTo: .session)
            if try first.controller?.invoke(&rig, 0x30, 4) != nil { completed += 1 }
            rig.input { $0.openWindow(at: $1) }
            var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
            try second.commission(&rig, upTo: .session)
            if try second.controller?.invoke(&rig, 0x30, 4) != nil { completed += 1 }
            if try second.controller?.invoke(&rig, 1, 0x101, 1, timed: true) == "status 0" {
                if try second.controller?.invoke(&rig, 0x3E, 0x0A, "{0=1}") != nil { removed += 1 }
            }
        } catch is NoAnswer {
            // The commissioner gives up.
        }
        try rig.cutPower()
        #expect(rig.node.fabrics.isEmpty == (rig.node.window == .label))
        #expect(!rig.node.isFailSafeArmed)
        #expect(rig.node.fabrics.count >= completed - removed)
        #expect(removed == 0 || !rig.node.fabrics.contains { $0.index == 1 })
        #expect(rig.node.model.state.accessEntries.map(\.fabric) == rig.node.fabrics.map(\.index))
    }

    /// An administrator's own fail-safe: its session goes on.
    @Test
    func theSessionOfAnAdministratorRemains() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig)
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=0 1=1}")
        rig.advance(by: .seconds(10))
        #expect(try commissioner.controller?.read(&rig, 0x30, 0) == "0")
    }

    @Test
    func extensionAndItsLimit() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        for _ in 0..<8 {
            try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=200 1=1}")
            rig.advance(by: .seconds(100))
            #expect(rig.node.isFailSafeArmed)
        }
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=65535 1=1}")
        rig.advance(by: .seconds(99))
        #expect(rig.node.isFailSafeArmed)
        rig.advance(by: .seconds(1))
        #expect(!rig.node.isFailSafeArmed)
    }

    /// A pause of 70 s ends the session: nothing is answered then (matter-extra, 2).
    @Test
    func silenceAfterTheTimeout() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        rig.advance(by: .seconds(50))
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        rig.advance(by: .seconds(70))
        var controller = try #require(commissioner.controller)
        #expect(try controller.send(&rig, 8, []) == nil)
    }

    /// The PASE session is lost before AddNOC: the next commissioner need not wait.
    @Test
    func lostLink() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner(peer: .ble(link: 1))
        try commissioner.commission(&rig, upTo: .root)
        rig.input { $0.linkLost(.ble(link: 1), at: $1) }
        #expect(rig.notices.contains(.failSafeExpired(.sessionLost)))
        #expect(rig.advertisement.commissionable != nil)
    }

    /// After AddNOC, the link may go: CASE completes.
    @Test
    func lostLinkAfterAddNOC() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner(peer: .ble(link: 1))
        try commissioner.commission(&rig, upTo: .credentials)
        rig.input { $0.linkLost(.ble(link: 1), at: $1) }
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
    }

    @Test
    func theFailSafeOfAnother() throws {
        var rig = try NodeRig(.test())
        var first = try Commissioner()
        try first.commission(&rig)
        rig.input { $0.openWindow(at: $1) }
        // An open window leaves the fail-safe to the commissioner.
        try first.expect("{0=4 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.perform(.passcode, &rig)
        try first.expect("{0=4 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        try first.expect("{0=4 1=\"\"}", &rig, 0x30, 0, "{0=0 1=1}")
        try first.expect("{0=2 1=\"\"}", &rig, 0x30, 4, "{}")
        try first.expect("status 202", &rig, 0x3E, 4, "{0=\(Commissioner.nonce)}")
        for step in CommissioningStep.allCases[1...] { try second.perform(step, &rig) }
        #expect(rig.node.fabrics.map(\.index) == [1, 2])
        try first.expect("{0=3 1=\"\"}", &rig, 0x30, 4, "{}")
        try first.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=0 1=7}")
    }

    /// Changes of other administrators meanwhile are stored, and survive the roll-back.
    @Test
    func changesOfOthersLast() throws {
        var rig = try NodeRig(.test())
        var first = try Commissioner()
        try first.commission(&rig)
        rig.input { $0.openWindow(at: $1) }
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig, upTo: .session)
        var controller = try #require(first.controller)
        #expect(try controller.write(&rig, 0x28, 5, "\"Door\"") == 0)
        try rig.cutPower()
        #expect(rig.node.fabrics.map(\.index) == [1])
        #expect(rig.node.model.state.nodeLabel == "Door")
    }
}
