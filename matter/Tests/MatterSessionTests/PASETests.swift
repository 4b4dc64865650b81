// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Core 4.14.1: passcode-authenticated session establishment.
struct PASETests {
    /// Every octet of the recorded establishment, from the datagram of the request to a message on the session.
    @Test func theRecording() throws {
        let response = try TLVElement(PASERecording.response).structure()
        // In this order: counter of the unsecured session, session identifier 1, exchange number; counter of the
        // session.
        let random = ScriptedRandom([
            [0, 0, 0, 0], [1, 0], [9, 0], try response.required(2).octets(), PASERecording.y, octets("73367b03"),
        ])
        let rig = ChannelRig(random, parameters: SessionParameters())
        let verifier = PASERecording.verifier
        rig.channel.acceptPASE(
            PASEParameters(
                verifier: try SPAKE2PlusVerifier(octets: verifier.span), iterations: 10_000,
                salt: PASERecording.salt))
        let request = try rig.answer(MessageRecording.unsecured)
        #expect(
            hex(request) == "010000000100000" + "06d60a95f7d8951c1" + "0621656900000fd79908"
                + hex(PASERecording.response))
        let initiator = TestInitiator(node: 0xC151_897D_5FA9_606D, counter: 0x0899_D70F, exchange: 0x6965)
        #expect(rig.channel.attempt?.context == PASERecording.context)
        let pake1 = initiator.message(0x22, structure(PASERecording.proverShare), acknowledging: 1)
        let pake2 = try initiator.read(rig.answer(pake1))
        #expect(pake2.proto.opcode == 0x23 && pake2.acknowledged == initiator.counter && pake2.isReliable)
        #expect(pake2.payload == structure(PASERecording.verifierShare, PASERecording.verifierConfirmation))
        let pake3 = initiator.message(0x24, structure(PASERecording.proverConfirmation), acknowledging: 2)
        let report = try initiator.read(rig.answer(pake3))
        #expect(report.payload == [UInt8](repeating: 0, count: 8) && report.isReliable)
        rig.receive(initiator.message(0x10, acknowledging: 3))
        #expect(rig.drain() == ["began", "established", "attemptEnded"] && rig.channel.deadline == nil)

        let session = try #require(rig.channel.session(SessionID(rawValue: 1)))
        #expect(session.kind == .pase && session.fabric == nil && session.peer == .host(1))
        #expect(session.attestationChallenge == PASERecording.attestationChallenge)
        #expect(
            session.peerParameters.idleInterval == 500 && session.peerParameters.specificationVersion == 0x0104_0200)
        #expect(rig.receive(MessageRecording.paseReceived) == [])
        #expect(rig.delivered?.message.payload == Array(MessageRecording.paseReceivedClear[6...]))
        let answer = Array(MessageRecording.paseSentClear[10...])
        #expect(try rig.reply(answer) == MessageRecording.paseSent)
    }

    @Test func bothSidesAgree() throws {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let initiator = try PASEInitiator()
        let (session, report) = try initiator.establish(with: rig)
        #expect(initiator.isConfirmed && report.report == .established)
        let id = try #require(rig.established)
        #expect(rig.channel.session(id)?.attestationChallenge == session.keys.attestationChallenge)
        #expect(rig.channel.sessions(of: nil) == [id])
        rig.channel.setFabric(4, of: id)
        #expect(rig.channel.sessions(of: 4) == [id] && rig.channel.session(id)?.fabric == 4)
    }

    /// An initiator that knows iterations and salt does not get them; this node tells its parameters.
    @Test func parametersOfTheResponse() throws {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let initiator = try PASEInitiator()
        let datagram = try rig.answer(initiator.request(hasParameters: true))
        let response = try TLVElement(initiator.messages.read(datagram).payload).structure()
        #expect(response[4] == nil)
        let own = try SessionParameters(response.required(5))
        #expect(own == .release)
    }

    /// Any lost datagram: the retransmissions of both sides still establish the session.
    @Test(arguments: 0..<4) func loss(lost: Int) throws {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let initiator = try PASEInitiator()
        // The answer `lost` does not arrive: the initiator repeats its message, and this node its answer.
        func exchange(_ message: [UInt8], step: Int) throws -> [UInt8] {
            let answer = try rig.answer(message)
            guard step == lost else { return answer }
            let acknowledgement = try initiator.messages.read(rig.answer(message))
            #expect(acknowledgement.proto.opcode == 0x10)
            let repeated = rig.advance(by: 500)
            #expect(repeated.first?.octets == answer)
            return answer
        }
        let response = try exchange(initiator.request(), step: 0)
        let pake2 = try exchange(initiator.pake1(after: response), step: 1)
        let pake3 = try initiator.pake3(after: pake2)
        let report = try exchange(pake3.octets, step: 2)
        #expect(try initiator.messages.read(report).report == .established && rig.established != nil)
        #expect(rig.drain().filter { !$0.hasPrefix("dropped") } == ["began", "established", "attemptEnded"])
    }

    /// Over BTP the same without acknowledgements.
    @Test func overBTP() throws {
        let (rig, session) = try SessionRig.pase(from: .ble(link: 1))
        #expect(rig.channel.deadline == nil)
        rig.receive(try session.message(2, [1], exchange: 1, isReliable: false), from: .ble(link: 1))
        #expect(rig.drain() == ["received 2 01"])
        rig.channel.linkLost(.ble(link: 2), effects: &rig.effects)
        #expect(rig.drain() == [])
        rig.channel.linkLost(.ble(link: 1), effects: &rig.effects)
        #expect(rig.drain() == ["ended"] && rig.channel.sessionIDs == [] && rig.channel.initiators.isEmpty)
    }

    private func structure(_ members: [UInt8]...) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { structure in
            for (index, octets) in members.enumerated() { structure.octets(octets, as: .context(UInt8(index + 1))) }
        }
        return writer.octets
    }
}
