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

/// Commissioning windows (Core 5.6, 11.19).
struct WindowTests {
    private func enhanced(
        seconds: Int = 180, verifier: [UInt8]? = nil, discriminator: Int = 0xABC, iterations: Int = 2000,
        salt: [UInt8] = Array("another salt of it".utf8)
    ) throws -> String {
        let verifier =
            try verifier
            ?? SPAKE2PlusVerifier(passcode: 34_567_890, salt: salt.span, iterations: 2000).octets
        return "{0=\(seconds) 1=\(quoted(verifier)) 2=\(discriminator) 3=\(iterations) 4=\(quoted(salt))}"
    }

    private func commissioned() throws -> (NodeRig, Controller) {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        let controller = try commissioner.commission(&rig)
        return (rig, controller)
    }

    @Test
    func enhancedWindow() throws {
        var (rig, controller) = try commissioned()
        #expect(try controller.invoke(&rig, 0x3C, 0, enhanced()) == "status 198", "not timed")
        #expect(try controller.invoke(&rig, 0x3C, 0, enhanced(), timed: true) == "status 0")
        let advertised = try #require(rig.advertisement.commissionable)
        #expect(advertised.discriminator == 0xABC && advertised.mode == 2 && !advertised.isOverBluetooth)
        #expect(try controller.readAll(&rig, "<2=0 3=60>").prefix(3).map(\.value) == ["1", "1", "65521"])
        #expect(try controller.invoke(&rig, 0x3C, 0, enhanced(), timed: true) == "status 1 cluster 2")
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=180}", timed: true) == "status 1 cluster 2")
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        second.code = (34_567_890, Array("another salt of it".utf8), 2000)
        try second.commission(&rig)
        #expect(rig.node.fabrics.map(\.index) == [1, 2])
        #expect(try controller.readAll(&rig, "<2=0 3=60>").prefix(3).map(\.value) == ["0", "null", "null"])
        #expect(rig.notices.contains(.windowClosed(.commissioned)))
    }

    @Test
    func refusedWindows() throws {
        var (rig, controller) = try commissioned()
        for (fields, outcome) in [
            (try enhanced(seconds: 179), "status 133"), (try enhanced(seconds: 901), "status 133"),
            (try enhanced(discriminator: 0x1000), "status 133"),
            (try enhanced(iterations: 999), "status 1 cluster 3"),
            (try enhanced(iterations: 100_001), "status 1 cluster 3"),
            (try enhanced(verifier: [1, 2]), "status 1 cluster 3"),
            (try enhanced(verifier: [UInt8](repeating: 1, count: 97)), "status 1 cluster 3"),
            (try enhanced(verifier: [], salt: [1]), "status 1 cluster 3"), ("{0=180}", "status 133"),
        ] {
            #expect(try controller.invoke(&rig, 0x3C, 0, fields, timed: true) == outcome)
        }
        #expect(rig.node.window == nil)
        #expect(try controller.invoke(&rig, 0x3C, 2, timed: true) == "status 1 cluster 4")
    }

    @Test
    func basicWindowAndRevocation() throws {
        var (rig, controller) = try commissioned()
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=300}", timed: true) == "status 0")
        #expect(rig.advertisement.commissionable?.mode == 1)
        #expect(try controller.read(&rig, 0x3C, 0) == "2")
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig, upTo: .credentials)
        // The fail-safe belongs to the new fabric by now; before AddNOC it would be rolled back.
        #expect(try controller.invoke(&rig, 0x3C, 2, timed: true) == "status 0")
        #expect(rig.node.window == nil)
        #expect(rig.node.isFailSafeArmed)
    }

    @Test
    func revocationDuringPASE() throws {
        var (rig, controller) = try commissioned()
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=300}", timed: true) == "status 0")
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig, upTo: .root)
        #expect(try controller.invoke(&rig, 0x3C, 2, timed: true) == "status 0")
        #expect(!rig.node.isFailSafeArmed)
        #expect(rig.notices.contains(.failSafeExpired(.revoked)))
    }

    @Test
    func timeouts() throws {
        var (rig, controller) = try commissioned()
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=180}", timed: true) == "status 0")
        rig.advance(by: .seconds(179))
        #expect(rig.node.window == .basic)
        rig.advance(by: .seconds(1))
        #expect(rig.node.window == nil)
        // The device's own window, after 15 minutes.
        rig = try NodeRig(.test())
        rig.advance(by: .seconds(900))
        #expect(rig.node.window == nil && rig.advertisement == MatterAdvertisement())
        let first = rig.advertisements.compactMap(\.commissionable).last?.instance
        rig.input { $0.openWindow(at: $1) }
        #expect(rig.node.window == .label)
        #expect(rig.advertisement.commissionable?.instance != first)
        rig.input { $0.closeWindow(at: $1) }
        #expect(rig.notices.last == .windowClosed(.closed))
    }

    /// Core 5.6.2: twenty failures close the window, and the button opens it again.
    @Test
    func twentyFailures() throws {
        var rig = try NodeRig(.test())
        for count in 1...20 {
            #expect(rig.node.window == .label)
            let initiator = try PASEInitiator(rig.initiator(), passcode: 11)
            let peer = TransportPeer.host(UInt8(count))
            let response = try rig.answer(initiator.request(), from: peer)
            let pake2 = try rig.answer(try initiator.pake1(after: response), from: peer)
            rig.receive(try initiator.pake3(after: pake2).octets, from: peer)
            #expect(rig.notices.contains(.passcodeFailed(count: count)))
        }
        #expect(rig.node.window == nil && rig.advertisement.commissionable == nil)
        #expect(rig.notices.last == .windowClosed(.tooManyFailures))
        let initiator = try PASEInitiator(rig.initiator())
        #expect(rig.receive(initiator.request(), from: .host(50)) == [])
        rig.input { $0.openWindow(at: $1) }
        var commissioner = try Commissioner(peer: .host(51))
        try commissioner.commission(&rig)
    }

    /// With the last fabric its administrator's window ends, and its verifier: from then on the label's code works, and
    /// the former administrator's does not.
    @Test(arguments: [WindowKind.basic, .enhanced], [0, 300, 7_000, 30_000])
    func removalOfTheLastFabric(kind: WindowKind, milliseconds: Int) throws {
        var (rig, controller) = try commissioned()
        let fields = kind == .basic ? "{0=180}" : try enhanced()
        let command: UInt32 = kind == .basic ? 1 : 0
        #expect(try controller.invoke(&rig, 0x3C, command, fields, timed: true) == "status 0")
        #expect(rig.node.window == kind)
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=1}") == "{0=0 1=1}")
        #expect(rig.node.window == .label && rig.advertisement.commissionable?.mode == 1)
        #expect(rig.notices.contains(.windowClosed(.fabricRemoved)))
        rig.advance(by: .milliseconds(milliseconds))
        let former = try PASEInitiator(
            rig.initiator(), passcode: 34_567_890, salt: Array("another salt of it".utf8), iterations: 2000)
        let response = try rig.answer(former.request(), from: .host(3))
        let pake2 = try rig.answer(try former.pake1(after: response), from: .host(3))
        let refusal = try former.messages.read(rig.answer(try former.pake3(after: pake2).octets, from: .host(3)))
        #expect(refusal.report == .invalidParameter)
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig)
    }

    /// A commissioner that came through that window does not complete.
    @Test(arguments: [CommissioningStep.passcode, .root, .credentials])
    func removalOfTheLastFabricWhileACommissionerIsAtWork(step: CommissioningStep) throws {
        var (rig, controller) = try commissioned()
        #expect(try controller.invoke(&rig, 0x3C, 1, "{0=300}", timed: true) == "status 0")
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        try second.commission(&rig, upTo: step)
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=1}") == "{0=0 1=1}")
        #expect(rig.node.fabrics.isEmpty && !rig.node.isFailSafeArmed && rig.node.window == .label)
        #expect(try second.controller?.invoke(&rig, 0x30, 0, "{0=60 1=1}") == nil, "its session has ended")
        try rig.cutPower()
        #expect(rig.node.fabrics.isEmpty)
    }

    @Test
    func removalOfTheOpener() throws {
        var (rig, controller) = try commissioned()
        rig.input { $0.openWindow(at: $1) }
        var second = try Commissioner(0xFAB2, key: 9, peer: .host(2))
        var other = try second.commission(&rig)
        #expect(try other.invoke(&rig, 0x3C, 1, "{0=300}", timed: true) == "status 0")
        #expect(try controller.read(&rig, 0x3C, 1) == "2")
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=2}") == "{0=0 1=2}")
        #expect(try controller.readAll(&rig, "<2=0 3=60>").prefix(2).map(\.value) == ["2", "null"])
    }
}
