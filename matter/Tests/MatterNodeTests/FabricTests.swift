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

/// Operational credentials and the fabric table (Core 11.18).
struct FabricTests {
    /// A node with `count` fabrics, and their commissioners.
    private func node(fabrics count: Int) throws -> (NodeRig, [Commissioner]) {
        var rig = try NodeRig(.test())
        var commissioners: [Commissioner] = []
        for number in 1...UInt8(count) {
            if number > 1 { rig.input { $0.openWindow(at: $1) } }
            var commissioner = try Commissioner(
                FabricID(rawValue: 0xFAB0 + UInt64(number)), key: 6 + number, peer: .host(number))
            try commissioner.commission(&rig)
            commissioners.append(commissioner)
        }
        return (rig, commissioners)
    }

    @Test
    func fiveFabrics() throws {
        var (rig, commissioners) = try node(fabrics: 5)
        #expect(rig.node.fabrics.map(\.index) == [1, 2, 3, 4, 5])
        #expect(rig.advertisement.operational.count == 5)
        for index in commissioners.indices {
            #expect(try commissioners[index].controller?.read(&rig, 0x3E, 5) == "\(index + 1)")
            #expect(try commissioners[index].controller?.read(&rig, 0x3E, 3) == "5")
        }
        // The sixth finds no room, and its fail-safe rolls back.
        rig.input { $0.openWindow(at: $1) }
        var sixth = try Commissioner(0xFABF, key: 20, peer: .host(20))
        try sixth.commission(&rig, upTo: .root)
        try sixth.expect("{0=5}", &rig, 0x3E, 6, try sixth.credentials())
        // All fabrics are there after a loss of power, and can be reached.
        try rig.cutPower()
        #expect(rig.node.fabrics.map(\.index) == [1, 2, 3, 4, 5])
        for index in commissioners.indices {
            try commissioners[index].establishCASE(&rig)
            #expect(try commissioners[index].controller?.read(&rig, 0x3E, 5) == "\(index + 1)")
        }
    }

    /// An index is not used again before all others were, also after a loss of power.
    @Test
    func indicesAreNotReused() throws {
        var (rig, commissioners) = try node(fabrics: 2)
        #expect(try commissioners[0].controller?.invoke(&rig, 0x3E, 0x0A, "{0=2}") == "{0=0 1=2}")
        try rig.cutPower()
        try commissioners[0].establishCASE(&rig)
        rig.input { $0.openWindow(at: $1) }
        var next = try Commissioner(0xFABF, key: 20, peer: .host(20))
        try next.commission(&rig)
        #expect(rig.node.fabrics.map(\.index) == [1, 3])
        var state = NodeState()
        state.nextFabricIndex = 254
        #expect(state.reserveFabricIndex() == 254)
        #expect(state.reserveFabricIndex() == 1)
    }

    @Test
    func removalOfAnother() throws {
        var (rig, commissioners) = try node(fabrics: 2)
        var gone = try #require(commissioners[1].controller)
        #expect(try commissioners[0].controller?.invoke(&rig, 0x3E, 0x0A, "{0=9}") == "{0=11}")
        #expect(try commissioners[0].controller?.invoke(&rig, 0x3E, 0x0A, "{0=0}") == "status 135")
        #expect(try commissioners[0].controller?.invoke(&rig, 0x3E, 0x0A, "{0=2}") == "{0=0 1=2}")
        #expect(rig.node.fabrics.map(\.index) == [1])
        #expect(try gone.send(&rig, 8, []) == nil)
        let author = MatterAuthor(fabric: 1, node: commissioners[0].administrator)
        #expect(rig.notices.contains(.fabricRemoved(2, by: author)))
        #expect(rig.node.model.state.accessEntries.map(\.fabric) == [1])
        #expect(try commissioners[0].controller?.events(&rig, "<2=40>") == ["0/40/0 {0=1}", "0/40/2 {0=2}"])
        #expect(try commissioners[0].controller?.read(&rig, 0x3E, 3) == "1")
    }

    /// Matter-extra, 8: the answer comes first, then the sessions end; the last fabric leaves a device as delivered.
    @Test
    func removalOfOneself() throws {
        var (rig, commissioners) = try node(fabrics: 1)
        rig.storesAtOnce = false
        var controller = try #require(commissioners[0].controller)
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=1}") == nil, "not durable yet")
        rig.store()
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=1}")
        #expect(try controller.send(&rig, 8, []) == nil, "the session serves no more")
        #expect(rig.node.fabrics.isEmpty && rig.node.window == .label)
        #expect(rig.advertisement.commissionable?.mode == 1)
        rig.advance(by: .seconds(5))
        #expect(rig.node.channel.sessionIDs.isEmpty)
        rig.storesAtOnce = true
        try rig.cutPower()
        #expect(rig.node.fabrics.isEmpty && rig.node.window == .label)
        var again = try Commissioner(0xFAB2, key: 9, peer: .host(9))
        try again.commission(&rig)
    }

    /// An app that looks whether its removal worked finds nobody, at once and whoever removed the fabric: the last
    /// replies need the session, not the fabric.
    @Test(arguments: [0, 1])
    func noSessionWithARemovedFabric(removedBy author: Int) throws {
        var (rig, commissioners) = try node(fabrics: 2)
        let gone = try #require(rig.node.model.state.fabrics.last?.identity)
        let before = try CASEInitiator(rig.initiator(), fabric: commissioners[1].fabric)
        let sigma2 = try rig.answer(before.sigma1(to: gone), from: .host(0x55))
        _ = try rig.answer(try before.sigma3(after: sigma2, from: gone).octets, from: .host(0x55))
        let half = try CASEInitiator(rig.initiator(), fabric: commissioners[1].fabric)
        let halfSigma2 = try rig.answer(half.sigma1(to: gone), from: .host(0x66))
        #expect(try commissioners[author].controller?.invoke(&rig, 0x3E, 0x0A, "{0=2}") == "{0=0 1=2}")
        for resumption in [nil, before.resumption] {
            let again = try CASEInitiator(rig.initiator(), fabric: commissioners[1].fabric)
            let refusal = try rig.answer(again.sigma1(to: gone, resuming: resumption), from: .host(0x77))
            #expect(try again.messages.read(refusal).report == .noSharedTrustRoots)
        }
        // A handshake that had begun does not go on.
        let sigma3 = try half.sigma3(after: halfSigma2, from: gone).octets
        let answers = rig.receive(sigma3, from: .host(0x66))
        #expect(try answers.allSatisfy { try half.messages.read($0).report != .established })
        #expect(rig.node.channel.sessions(of: 2).count == author)
    }

    /// The same after a roll-back, also by the command of the session that it ends.
    @Test(arguments: [true, false])
    func noSessionWithAnUndoneFabric(byCommand isByCommand: Bool) throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .credentials)
        let gone = try #require(rig.node.model.state.fabrics.last?.identity)
        if isByCommand {
            try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=0 1=0}")
        } else {
            rig.advance(by: .seconds(60))
        }
        let again = try CASEInitiator(rig.initiator(), fabric: commissioner.fabric)
        let refusal = try rig.answer(again.sigma1(to: gone), from: .host(0x77))
        #expect(try again.messages.read(refusal).report == .noSharedTrustRoots)
    }

    /// New credentials: the session that requested them has its reply, and resumes nothing.
    @Test
    func noResumptionWithFormerCredentials() throws {
        var (rig, commissioners) = try node(fabrics: 1)
        var commissioner = commissioners[0]
        let former = try #require(rig.node.model.state.fabrics.first?.identity)
        let initiator = try CASEInitiator(
            rig.initiator(), fabric: commissioner.fabric, node: commissioner.administrator)
        let sigma2 = try rig.answer(initiator.sigma1(to: former), from: .host(0x55))
        _ = try rig.answer(try initiator.sigma3(after: sigma2, from: former).octets, from: .host(0x55))
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        let key = try commissioner.requestKey(&rig, isForUpdate: true)
        let certificate = try commissioner.fabric.certificate(node: 0x3003, point: key)
        try commissioner.expect("{0=0 1=1}", &rig, 0x3E, 7, "{0=\(quoted(certificate.tlv)) 1=h\"\"}")
        let again = try CASEInitiator(rig.initiator(), fabric: commissioner.fabric)
        let refusal = try rig.answer(again.sigma1(to: former, resuming: initiator.resumption), from: .host(0x77))
        #expect(try again.messages.read(refusal).report == .noSharedTrustRoots)
    }

    /// An empty intermediate certificate is none, as in the reference implementation: controllers of matter.js send it.
    @Test
    func anEmptyIntermediateIsNone() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .root)
        let fields = try commissioner.credentials().replacing(" 2=h", with: " 1=h\"\" 2=h")
        try commissioner.expect("{0=0 1=1}", &rig, 0x3E, 6, fields)
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
        #expect(try commissioner.controller?.read(&rig, 0x3E, 0).contains("2=null") == true)
        try rig.cutPower()
        try commissioner.establishCASE(&rig)
    }

    /// The same within Sigma3, where it is neither verified nor signed.
    @Test
    func anEmptyIntermediateOfAController() throws {
        var (rig, commissioners) = try node(fabrics: 1)
        let identity = try #require(rig.node.model.state.fabrics.first?.identity)
        let initiator = try CASEInitiator(rig.initiator(), fabric: commissioners[0].fabric)
        let sigma2 = try rig.answer(initiator.sigma1(to: identity), from: .host(0x55))
        let sigma3 = try initiator.sigma3(after: sigma2, from: identity) { $0.intermediate = [] }
        let report = try initiator.messages.read(rig.answer(sigma3.octets, from: .host(0x55)))
        #expect(report.report == .established)
    }

    /// A refusal names the rule that was broken, beside the code.
    @Test
    func refusalsNameTheirRules() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        func outcome() -> String? {
            for case .command(_, _, _, _, let outcome) in rig.notices.reversed() { return outcome }
            return nil
        }
        try commissioner.commission(&rig, upTo: .attestation)
        let key = [UInt8](commissioner.fabric.root.publicKey)
        try commissioner.expect("{0=4}", &rig, 0x3E, 6, try commissioner.credentials(key: key))
        #expect(outcome() == "code 4 MissingCsr: CSRRequest did not come before, or the fail-safe has ended since")
        try commissioner.perform(.request, &rig)
        try commissioner.expect("{0=3}", &rig, 0x3E, 6, try commissioner.credentials())
        #expect(outcome() == "code 3 InvalidNOC: AddTrustedRootCertificate did not come before")
        try commissioner.expect("status 133", &rig, 0x3E, 0x0B, "{0=h\"1518\"}")
        #expect(outcome() == "status 0x85 INVALID_COMMAND: the certificate's TLV is invalid: tag 1 is missing")
        try commissioner.perform(.root, &rig)
        #expect(outcome() == "ok")
        try commissioner.expect("{0=1}", &rig, 0x3E, 6, try commissioner.credentials(key: key))
        #expect(
            outcome() == "code 1 InvalidPublicKey: the node certificate is not for the key of the last CSRRequest")
        let other = try TestFabric(0xFAB1, key: 30)
        let foreign = try other.certificate(node: 1, point: commissioner.operationalKey)
        try commissioner.expect(
            "{0=3}", &rig, 0x3E, 6, "{0=\(quoted(foreign.tlv)) 2=\(quoted(other.groupKey)) 3=1 4=65521}")
        #expect(
            outcome()
                == "code 3 InvalidNOC: the node certificate names another issuer than the next one of the chain")
        try commissioner.perform(.credentials, &rig)
    }

    @Test
    func statusCodesOfAddNOC() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .attestation)
        // A certificate of any key: there is no CSR to compare with.
        let key = [UInt8](commissioner.fabric.root.publicKey)
        try commissioner.expect("{0=4}", &rig, 0x3E, 6, try commissioner.credentials(key: key))
        try commissioner.perform(.request, &rig)
        try commissioner.expect("{0=3}", &rig, 0x3E, 6, try commissioner.credentials())
        try commissioner.expect("status 133", &rig, 0x3E, 0x0B, "{0=h\"15\"}")
        try commissioner.expect("status 133", &rig, 0x3E, 0x0B, "{0=h\"1518\"}")
        try commissioner.perform(.root, &rig)
        try commissioner.expect("status 135", &rig, 0x3E, 0x0B, "{0=\(quoted(commissioner.fabric.root.tlv))}")
        try commissioner.expect("{0=1}", &rig, 0x3E, 6, try commissioner.credentials(key: key))
        try commissioner.expect("{0=6}", &rig, 0x3E, 6, try commissioner.credentials(subject: 0))
        try commissioner.expect("{0=6}", &rig, 0x3E, 6, try commissioner.credentials(subject: 0xFFFF_FFFD_0001_0000))
        try commissioner.expect("status 133", &rig, 0x3E, 6, try commissioner.credentials(vendor: 0))
        let other = try TestFabric(0xFAB1, key: 30)
        let foreign = try other.certificate(node: 1, point: commissioner.operationalKey)
        try commissioner.expect(
            "{0=3}", &rig, 0x3E, 6,
            "{0=\(quoted(foreign.tlv)) 2=\(quoted(other.groupKey)) 3=1 4=65521}")
        try commissioner.expect(
            "status 133", &rig, 0x3E, 6, "{0=\(quoted(foreign.tlv)) 2=h\"00\" 3=1 4=65521}")
        try commissioner.expect("{0=3}", &rig, 0x3E, 6, "{0=h\"1518\" 2=\(quoted(other.groupKey)) 3=1 4=65521}")
        try commissioner.perform(.credentials, &rig)
        try commissioner.expect("status 135", &rig, 0x3E, 6, try commissioner.credentials())
        try commissioner.expect("status 135", &rig, 0x3E, 4, "{0=\(Commissioner.nonce)}")
        try commissioner.expect("status 135", &rig, 0x3E, 0x0B, "{0=\(quoted(commissioner.fabric.root.tlv))}")
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
    }

    @Test
    func theSameFabricTwice() throws {
        var (rig, _) = try node(fabrics: 1)
        rig.input { $0.openWindow(at: $1) }
        var again = try Commissioner(0xFAB1, key: 7, node: 0x2002, peer: .host(9))
        try again.commission(&rig, upTo: .root)
        try again.expect("{0=9}", &rig, 0x3E, 6, try again.credentials())
    }

    /// Without a fail-safe, nothing about credentials is done.
    @Test
    func failSafeRequired() throws {
        var (rig, commissioners) = try node(fabrics: 1)
        for (command, fields) in [
            (4, "{0=\(Commissioner.nonce)}"), (0x0B, "{0=h\"1518\"}"),
            (6, "{0=h\"15\" 2=h\"\" 3=1 4=1}"), (7, "{0=h\"15\"}"),
        ] as [(UInt32, String)] {
            try commissioners[0].expect("status 202", &rig, 0x3E, command, fields)
        }
    }

    @Test(arguments: [true, false])
    func updateOfCredentials(isCompleted: Bool) throws {
        var (rig, commissioners) = try node(fabrics: 1)
        var commissioner = commissioners[0]
        let before = rig.node.model.state.fabrics.map(\.identity.node)
        try commissioner.expect("{0=0 1=\"\"}", &rig, 0x30, 0, "{0=60 1=1}")
        try commissioner.expect("{0=4}", &rig, 0x3E, 7, "{0=h\"1518\"}")
        let key = try commissioner.requestKey(&rig, isForUpdate: true)
        try commissioner.expect("status 135", &rig, 0x3E, 6, try commissioner.credentials())
        let foreign = try commissioner.fabric.certificate(node: 0x1001, point: key, fabric: 0xFAB9)
        try commissioner.expect("{0=3}", &rig, 0x3E, 7, "{0=\(quoted(foreign.tlv))}")
        let certificate = try commissioner.fabric.certificate(node: 0x3003, point: key)
        try commissioner.expect("{0=0 1=1}", &rig, 0x3E, 7, "{0=\(quoted(certificate.tlv))}")
        #expect(rig.node.fabrics.map(\.node) == [0x3003])
        try commissioner.establishCASE(&rig)
        if isCompleted {
            try commissioner.perform(.complete, &rig)
            try rig.cutPower()
            #expect(rig.node.fabrics.map(\.node) == [0x3003])
        } else {
            rig.advance(by: .seconds(60))
            #expect(rig.node.model.state.fabrics.map(\.identity.node) == before)
            try commissioner.establishCASE(&rig)
            #expect(try commissioner.controller?.read(&rig, 0x3E, 5) == "1")
            try rig.cutPower()
            #expect(rig.node.model.state.fabrics.map(\.identity.node) == before)
        }
    }

    @Test
    func labels() throws {
        var (rig, commissioners) = try node(fabrics: 2)
        try commissioners[0].expect("{0=0 1=1}", &rig, 0x3E, 9, "{0=\"Home\"}")
        try commissioners[1].expect("{0=10}", &rig, 0x3E, 9, "{0=\"Home\"}")
        try commissioners[1].expect("{0=0 1=2}", &rig, 0x3E, 9, "{0=\"\"}")
        try commissioners[1].expect("status 135", &rig, 0x3E, 9, "{0=\"\(String(repeating: "x", count: 33))\"}")
        try rig.cutPower()
        #expect(rig.node.fabrics.map(\.label) == ["Home", ""])
    }

    /// Core 9.10, 11.18: lists of other fabrics without what only they may see.
    @Test
    func foreignEntries() throws {
        var (rig, commissioners) = try node(fabrics: 2)
        var controller = try #require(commissioners[1].controller)
        let certificates = try controller.read(&rig, 0x3E, 0)
        #expect(certificates.hasPrefix("[{254=1} {1=h\""))
        #expect(try controller.read(&rig, 0x3E, 0, isFiltered: true).hasPrefix("[{1=h\""))
        #expect(try controller.read(&rig, 0x1F, 0) == "[{254=1} {1=5 2=2 3=[112233] 4=null 254=2}]")
        #expect(try controller.read(&rig, 0x1F, 0, isFiltered: true) == "[{1=5 2=2 3=[112233] 4=null 254=2}]")
    }

    @Test
    func factoryReset() throws {
        var (rig, commissioners) = try node(fabrics: 2)
        rig.input { $0.factoryReset(at: $1) }
        #expect(rig.node.fabrics.isEmpty && rig.node.window == .label)
        #expect(rig.notices.contains(.factoryReset))
        #expect(try commissioners[0].controller?.send(&rig, 8, []) == nil)
        try rig.cutPower()
        #expect(rig.node.fabrics.isEmpty)
        var again = try Commissioner(0xFAB1, key: 7, peer: .host(9))
        try again.commission(&rig)
        let events = try again.controller?.events(&rig, "<2=257>")
        #expect(events == ["1/257/0 {0=1}"], "nothing of the owner before")
    }
}
