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

/// Commissioning from PASE to CommissioningComplete (Core 5.5).
struct CommissioningTests {
    @Test(arguments: [.host(1), .ble(link: 3)] as [TransportPeer])
    func commissioningOverEachTransport(peer: TransportPeer) throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner(peer: peer)
        try commissioner.commission(&rig)
        #expect(
            rig.node.fabrics == [
                MatterFabric(index: 1, fabric: 0xFAB1, node: 0x1001, vendor: 0xFFF1, label: "")
            ])
        #expect(!rig.node.isFailSafeArmed)
        #expect(rig.node.window == nil)
        #expect(rig.advertisement.commissionable == nil)
        #expect(rig.advertisement.operational.map(\.node) == [0x1001])
        #expect(rig.node.sessions.values.allSatisfy { $0.authentication != .pase })
        // Core 5.5: the Bluetooth link is the commissioner's to end; what it leaves open ends by itself.
        rig.advance(by: MatterNode.linkClosingTime - .milliseconds(1))
        #expect(rig.requests == [])
        rig.advance(by: .milliseconds(1))
        #expect(rig.requests == (peer == .ble(link: 3) ? ["disconnect \(peer)"] : []))
    }

    /// The CHIP controller on BlueZ crashed now and then when both sides ended the link at the same time.
    @Test
    func linkThatTheCommissionerEnds() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner(peer: .ble(link: 3))
        try commissioner.commission(&rig)
        rig.input { $0.linkLost(.ble(link: 3), at: $1) }
        rig.advance(by: .seconds(60))
        #expect(rig.requests == [])
    }

    @Test
    func noticesOfTheWholeCommissioning() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig)
        let steps = rig.notices.map { notice in
            if case .command(_, _, let name, let fabric, let outcome) = notice {
                return "\(name) \(fabric?.rawValue ?? 0) \(outcome)"
            }
            return "\(notice)"
        }
        #expect(
            steps == [
                "commissionable: the label's code", "PASE begins", "PASE: the passcode is right",
                "fail-safe: 60 s, armed by PASE", "fail-safe: 60 s", "ArmFailSafe 0 ok", "SetRegulatoryConfig 0 ok",
                "CertificateChainRequest 0 ok", "AttestationRequest 0 ok", "CSRRequest 0 ok",
                "AddTrustedRootCertificate 0 ok", "fabric 1 added, node 0x1001", "AddNOC 0 ok",
                "CASE session: fabric 1, node 0x1B669", "commissioned: fabric 1",
                "no longer commissionable: commissioned", "CommissioningComplete 1 ok", "the PASE session has ended",
            ])
    }

    /// Commissionable at first; silent while a commissioner is at work; operational from AddNOC on.
    @Test
    func advertisementsDuringCommissioning() throws {
        var rig = try NodeRig(.test())
        let first = try #require(rig.advertisement.commissionable)
        #expect(first.serviceData == octets("00 00 0F F1 FF 01 80 00"))
        #expect(first.isOverBluetooth && first.mode == 1)
        #expect(first.subtypes == ["_L3840", "_S15", "_V65521", "_T10", "_CM"])
        #expect(first.instanceName.count == 16)
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        #expect(rig.advertisement == MatterAdvertisement())
        for step in CommissioningStep.allCases[1...6] { try commissioner.perform(step, &rig) }
        let name = try #require(rig.advertisement.operational.first).instanceName
        #expect(name.hasSuffix("-0000000000001001") && name.count == 33)
    }

    /// A wildcard read of everything, and each attribute that the node declares, answers without a status.
    @Test(arguments: [.lock(NodeRig.fullLock), .light, .plug, .contact] as [MatterDevice])
    func wildcardRead(device: MatterDevice) throws {
        for network in [
            .ethernet(name: "eth0", address: []), .wifi(address: [2, 0, 0, 0, 0, 1]), .thread(address: []),
        ] as [MatterConfiguration.Network] {
            var (rig, controller) = try NodeRig.commissioned(.test(device, network: network))
            let reports = try controller.readAll(&rig, "<>")
            #expect(!reports.contains { $0.value.hasPrefix("status") || $0.path.hasPrefix("message") })
            let declared = rig.node.model.endpoints.flatMap(\.clusters).map { $0.attributes.count + 5 }.reduce(0, +)
            #expect(Set(reports.map(\.path)).count >= declared)
        }
    }

    /// Before AddNOC, the reply does not wait for storage; CommissioningComplete does.
    @Test
    func completionLeavesAfterStorage() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .session)
        rig.storesAtOnce = false
        let before = rig.stored
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x30, 4) == nil)
        #expect(rig.stored == before)
        rig.store()
        #expect(rig.stored != before)
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=\"\"}")
    }

    /// Without storage there is no success, and the node tries again.
    @Test
    func failedStorage() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .session)
        rig.storesAtOnce = false
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x30, 4) == nil)
        let (number, _) = rig.unstored.removeFirst()
        rig.input { $0.storingFailed(number, at: $1) }
        #expect(try controller.laterOutcome(&rig) == nil)
        #expect(rig.notices.contains(.storingFailed))
        #expect(rig.unstored.isEmpty)
        rig.advance(by: .seconds(1))
        #expect(rig.unstored.count == 1)
    }

    /// Storage that never answers: replies that wait have a bound, and come when it does.
    @Test
    func storageThatHangs() throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        rig.storesAtOnce = false
        #expect(try controller.write(&rig, 0x28, 5, "\"Door\"") == nil)
        for _ in 0..<100 {
            #expect(try controller.invoke(&rig, 0x33, 1) == nil)
            // The exchange ends meanwhile.
            rig.advance(by: .seconds(200))
        }
        #expect(rig.node.storage.heldCount == InteractionLimits.transactions + InteractionLimits.subscriptions)
        rig.store()
        #expect(rig.node.storage.heldCount == 0)
    }

    /// Core 11.10.7: errors of General Commissioning.
    @Test
    func refusalsOfGeneralCommissioning() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        try commissioner.expect("{0=2 1=\"\"}", &rig, 0x30, 4, "{}")
        try commissioner.expect("{0=1 1=\"\"}", &rig, 0x30, 2, "{0=3 1=\"XX\" 2=2}")
        try commissioner.expect("status 135", &rig, 0x30, 2, "{0=0 1=\"X\" 2=2}")
        try commissioner.expect("status 135", &rig, 0x30, 2, "{0=0 1=\"XXX\" 2=2}")
        try commissioner.expect("status 133", &rig, 0x30, 0, "{0=60}")
        try commissioner.expect("status 133", &rig, 0x30, 0, "{0=\"\" 1=1}")
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 2, "{0=0 1=\"DE\" 2=9}")
        var controller = try #require(commissioner.controller)
        #expect(try controller.read(&rig, 0x30, 0) == "9")
        #expect(try controller.read(&rig, 0x30, 2) == "0")
        #expect(try controller.read(&rig, 0x28, 6) == "\"DE\"")
    }

    @Test
    func refusalsOfAttestation() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        try commissioner.expect("status 133", &rig, 0x3E, 0, "{0=h\"00\"}")
        try commissioner.expect("status 133", &rig, 0x3E, 2, "{0=3}")
        try commissioner.expect("status 133", &rig, 0x3E, 4, "{0=h\"00\"}")
        try commissioner.expect("status 133", &rig, 0x3E, 4, "{0=\(Commissioner.nonce) 1=true}")
    }
}
