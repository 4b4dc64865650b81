// SPDX-License-Identifier: Apache-2.0

import WiFi

import TestSupport
import MatterCredentials
import Crypto
import MatterFaults
import MatterInteraction
import MatterTLV
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Faults for the developers of apps.
struct FaultTests {
    @Test
    func silenceAfterPASE() throws {
        var rig = try NodeRig(.test())
        rig.node.faults.isSilentAfterPASE = true
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        #expect(try commissioner.controller?.invoke(&rig, 0x30, 0, "{0=60 1=1}") == nil)
        #expect(rig.notices.contains(.faultInjected("silent after PASE")))
        rig.advance(by: .seconds(60))
        #expect(rig.advertisement.commissionable != nil)
    }

    @Test
    func neverOperational() throws {
        var rig = try NodeRig(.test())
        rig.node.faults.isNeverOperational = true
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .credentials)
        #expect(rig.advertisement.operational.isEmpty)
        let identity = try #require(rig.node.model.state.fabrics.first?.identity)
        let initiator = try CASEInitiator(rig.initiator(), fabric: commissioner.fabric)
        let answer = try rig.answer(initiator.sigma1(to: identity), from: .host(1))
        #expect(try initiator.messages.read(answer).proto.opcode == 0x40)
    }

    @Test
    func commandsWithReactions() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        let arm = MatterFaults.Command(cluster: 0x30, command: 0)
        rig.node.faults.reactions[arm] = .refusal(.busy)
        try commissioner.expect("status 156", &rig, 0x30, 0, "{0=60 1=1}")
        rig.node.faults.reactions[arm] = .delay(.seconds(5))
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x30, 0, "{0=60 1=1}") == nil)
        rig.advance(by: .milliseconds(4900))
        #expect(try controller.laterOutcome(&rig) == nil)
        rig.advance(by: .milliseconds(100))
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=\"\"}")
        rig.node.faults.reactions[arm] = .silence
        #expect(try controller.invoke(&rig, 0x30, 0, "{0=60 1=1}") == nil)
        #expect(rig.notices.last == .faultInjected("no answer to ArmFailSafe"))
    }

    /// A command without an answer is over: it is none of the open ones of its session, of which there are few.
    @Test
    func silenceTakesNoRoom() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        rig.node.faults.reactions[MatterFaults.Command(cluster: 0x30, command: 0)] = .silence
        var controller = try #require(commissioner.controller)
        for _ in 0..<2 * InteractionLimits.transactionsPerSession {
            #expect(try controller.invoke(&rig, 0x30, 0, "{0=60 1=1}") == nil)
            rig.advance(by: .milliseconds(300))  // the acknowledgement by itself
        }
        rig.node.faults = MatterFaults()
        let answer = try controller.invoke(&rig, 0x30, 0, "{0=60 1=1}")
        #expect(answer == "{0=0 1=\"\"}")
    }

    /// The outcome of ScanNetworks is that of the station: the delay begins when it is there.
    @Test
    func delayOfAnOutcomeThatHasToBeWaitedFor() throws {
        var rig = try NodeRig(.test(network: .wifi(address: [2, 0, 0, 0, 0, 9])))
        var commissioner = try Commissioner(peer: .ble(link: 1))
        try commissioner.commission(&rig, upTo: .passcode)
        rig.node.faults.reactions[MatterFaults.Command(cluster: 0x31, command: 0)] = .delay(.seconds(5))
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 0, "{1=3}") == nil)
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        rig.advance(by: .milliseconds(4900))
        #expect(try controller.laterOutcome(&rig) == nil)
        rig.advance(by: .milliseconds(100))
        #expect(try controller.laterOutcome(&rig) == "{0=0 2=[]}")
    }

    @Test
    func wrongSignatureOfTheRequest() throws {
        var rig = try NodeRig(.test())
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .attestation)
        rig.node.faults.spoilsCSRSignature = true
        try commissioner.perform(.request, &rig)
        #expect(rig.notices.contains(.faultInjected("wrong signature of the CSR elements")))
    }

    @Test
    func wrongNonceOfAttestation() throws {
        var rig = try NodeRig(.test())
        rig.node.faults.spoilsAttestationNonce = true
        var commissioner = try Commissioner()
        try commissioner.perform(.passcode, &rig)
        let answer = try #require(try commissioner.controller?.invoke(&rig, 0x3E, 0, "{0=\(Commissioner.nonce)}"))
        let elements = try TLVElement(Notation.octets(answer)).structure().required(0).octets()
        #expect(
            try TLVElement(elements).structure().required(2).octets() == [0x5B] + [UInt8](repeating: 0x5A, count: 31))
    }

    /// matter-extra, 4: an unsigned error value, which controllers refuse.
    @Test
    func unsignedErrorValue() throws {
        var rig = try NodeRig(.test(network: .wifi(address: [])))
        rig.node.faults.sendsUnsignedErrorValue = true
        var commissioner = try Commissioner()
        try commissioner.commission(&rig, upTo: .credentials)
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 2, "{0=h\"41\" 1=h\"\"}") == "{0=0 2=0}")
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=h\"41\"}") == nil)
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        rig.input { $0.receive(.joinFailed(.authentication), at: $1) }
        let answer = try #require(rig.drain(to: controller.peer).first)
        let response = try controller.session.read(answer).payload
        // Context tag 2 with type 4, an unsigned integer of one octet.
        #expect(response.indices.contains { response[$0...].starts(with: [0x24, 0x02, 0x07]) })
    }
}
