// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Core 4.14.2: certificate-authenticated session establishment.
struct CASETests {
    /// A key that signs what was recorded.
    private struct RecordedKey: HeldPrivateKey {
        let publicKey: P256PublicKey
        let signature: [UInt8]

        func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
            throw .libraryFailure
        }

        func sign(_ message: Span<UInt8>, into der: inout [UInt8]) throws(CryptoError) {
            // Neither number of the recording begins with a zero octet.
            var numbers: [UInt8] = []
            for half in [signature[..<32], signature[32...]] {
                let padded = half.first.map { $0 >= 0x80 } == true ? [0] + half : Array(half)
                numbers += [0x02, UInt8(padded.count)] + padded
            }
            der += [0x30, UInt8(numbers.count)] + numbers
        }
    }

    private func recordedFabric() throws -> OperationalIdentity {
        let encrypted = try TLVElement(CASERecording.encrypted2).structure()
        let node = try OperationalCertificate(tlv: CASERecording.node)
        let point = node.publicKey
        return try OperationalIdentity(
            index: 1, root: OperationalCertificate(tlv: CASERecording.root),
            intermediate: OperationalCertificate(tlv: CASERecording.intermediate), node: node,
            groupKey: CASERecording.groupKey,
            key: RecordedKey(
                publicKey: P256PublicKey(point: point.span), signature: encrypted.required(3).octets(exactly: 64)))
    }

    /// Sigma2 comes out as recorded, Sigma3 verifies, the session decrypts and encrypts the recorded messages.
    @Test func theRecording() throws {
        let sigma2 = try TLVElement(CASERecording.sigma2).structure()
        let encrypted = try TLVElement(CASERecording.encrypted2).structure()
        let random = ScriptedRandom([
            [0, 0, 0, 0], [2, 0], [9, 0], CASERecording.ephemeralKey, try sigma2.required(1).octets(),
            try encrypted.required(4).octets(), [0x9A, 0x62, 0xCC, 0x0D],
        ])
        let rig = ChannelRig(random, parameters: SessionParameters())
        rig.channel.setFabrics([try recordedFabric()], effects: &rig.effects)
        let initiator = TestInitiator()
        let answer = try initiator.read(rig.answer(initiator.message(0x30, CASERecording.sigma1)))
        #expect(answer.proto.opcode == 0x31 && answer.payload == CASERecording.sigma2)
        let report = try initiator.read(
            rig.answer(initiator.message(0x32, CASERecording.sigma3, acknowledging: answer.header.counter)))
        #expect(report.report == .established)
        #expect(rig.drain() == ["established"])

        let session = try #require(rig.channel.session(SessionID(rawValue: 2)))
        #expect(session.kind == .case(node: 112_233, tags: []) && session.fabric == 1)
        #expect(session.attestationChallenge == CASERecording.attestationChallenge)
        #expect(session.peerParameters.activeInterval == 300)
        #expect(rig.receive(MessageRecording.caseReceived) == [])
        #expect(rig.delivered?.message.payload == Array(MessageRecording.caseReceivedClear[6...]))
        #expect(try rig.reply(Array(MessageRecording.caseSentClear[10...]), opcode: 9) == MessageRecording.caseSent)
    }

    @Test func theRecordedKeys() throws {
        let secret = SessionSecret(CASERecording.sharedSecret)
        let groupKey = try recordedFabric().operationalGroupKey
        let sigma2 = try TLVElement(CASERecording.sigma2).structure()
        let key = try CASEKeys.sigma2(
            secret: secret, groupKey: groupKey, responderRandom: sigma2.required(1).octets(),
            responderKey: sigma2.required(3).octets(), sigma1: CASERecording.sigma1)
        #expect(key.octets == CASERecording.sigma2Key)
        let transcript = CASERecording.sigma1 + CASERecording.sigma2
        let sigma3 = try CASEKeys.sigma3(secret: secret, groupKey: groupKey, transcript: transcript)
        #expect(sigma3.octets == CASERecording.sigma3Key)
        let keys = try CASEKeys.session(
            secret: secret, groupKey: groupKey, transcript: transcript + CASERecording.sigma3)
        #expect(Array(keys.receiving) == CASERecording.initiatorToResponder)
        #expect(Array(keys.sending) == CASERecording.responderToInitiator)
    }

    @Test func bothSidesAgree() throws {
        let rig = ChannelRig()
        let fabric = try TestFabric()
        let other = try TestFabric(0xFAB2, key: 9)
        let identity = try fabric.identity(index: 3)
        rig.channel.setFabrics([try other.identity(index: 1), identity], effects: &rig.effects)
        let initiator = try CASEInitiator(fabric: fabric, tags: [0x0001_0002])
        let session = try initiator.establish(with: rig, to: identity)
        let id = try #require(rig.established)
        #expect(rig.channel.session(id)?.kind == .case(node: 112_233, tags: [0x0001_0002]))
        #expect(rig.channel.session(id)?.fabric == 3 && rig.channel.sessions(of: 3) == [id])
        rig.receive(try session.message(2, [1], exchange: 1), from: .host(1, port: 7777))
        #expect(try session.read(rig.reply([2])).payload == [2])
        // The answer goes where the peer was heard last.
        #expect(rig.channel.session(id)?.peer == .host(1, port: 7777))
        #expect(rig.channel.deadline != nil && rig.channel.handshakes.isEmpty)
    }

    /// Sigma2 is retransmitted with identical octets, and the handshake goes on with it.
    @Test func loss() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let initiator = try CASEInitiator(fabric: fabric)
        let sigma1 = try initiator.sigma1(to: identity)
        let sigma2 = try rig.answer(sigma1)
        // The repeated Sigma1 is acknowledged, and begins nothing.
        let acknowledgement = try initiator.messages.read(rig.answer(sigma1))
        #expect(acknowledgement.proto.opcode == 0x10 && rig.channel.handshakes.count == 1)
        #expect(rig.advance(by: 450).map(\.octets) == [sigma2])
        let sigma3 = try initiator.sigma3(after: sigma2, from: identity)
        let report = try rig.answer(sigma3.octets)
        #expect(rig.advance(by: 450).map(\.octets) == [report])
        // The repeated Sigma3 after the end of the handshake.
        #expect(try initiator.messages.read(rig.answer(sigma3.octets)).proto.opcode == 0x10)
        #expect(rig.drain().filter { $0 == "established" }.count == 1)
    }

    /// The recorded resumption: tags and keys.
    @Test func theRecordedResumption() throws {
        let secret = SessionSecret(ResumptionRecording.sharedSecret)
        let sigma1 = try Sigma1(ResumptionRecording.sigma1)
        #expect(sigma1.initiatorRandom == ResumptionRecording.initiatorRandom)
        #expect(sigma1.resumption?.id == ResumptionRecording.oldID)
        #expect(sigma1.resumption?.tag == ResumptionRecording.initiatorTag)
        let request = try CASEKeys.resumptionTag(
            secret: secret, initiatorRandom: sigma1.initiatorRandom, id: ResumptionRecording.oldID,
            isFromInitiator: true)
        #expect(request == ResumptionRecording.initiatorTag)
        let answer = try CASEKeys.resumptionTag(
            secret: secret, initiatorRandom: sigma1.initiatorRandom, id: ResumptionRecording.newID,
            isFromInitiator: false)
        #expect(answer == ResumptionRecording.responderTag)
        let keys = try CASEKeys.resumed(
            secret: secret, initiatorRandom: sigma1.initiatorRandom, id: ResumptionRecording.oldID)
        #expect(keys.secret.octets == ResumptionRecording.keys)
        let message = Sigma2Resume(
            resumptionID: ResumptionRecording.newID, tag: answer, responderSessionID: 3,
            sessionParameters: SessionParameters())
        #expect(message.octets == ResumptionRecording.sigma2Resume)
    }

    /// A session is resumed without certificates, twice, each time with the identifier of the last.
    @Test func resumption() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let first = try CASEInitiator(fabric: fabric, tags: [0x0001_0001])
        _ = try first.establish(with: rig, to: identity)
        var resumption = try #require(first.resumption)
        for number in 1...2 as ClosedRange<UInt8> {
            let again = try CASEInitiator(
                TestInitiator(node: UInt64(number)), fabric: fabric, sessionID: UInt16(number), random: number)
            let sigma2 = try rig.answer(again.sigma1(to: identity, resuming: resumption))
            _ = rig.drain()
            let last = try again.finish(after: sigma2, from: identity)
            #expect(rig.receive(last.octets).count == 1 && rig.drain() == ["established"])
            let id = SessionID(rawValue: last.session.peerID)
            #expect(rig.channel.session(id)?.kind == .case(node: 112_233, tags: [0x0001_0001]))
            rig.receive(try last.session.message(2, [number], exchange: 1))
            #expect(try last.session.read(rig.reply([5])).payload == [5])
            resumption = try #require(again.resumption)
        }
        #expect(rig.channel.sessionIDs.count == 3)
    }

    /// 4.14.2.2.2: an unknown identifier and a wrong tag continue with the full handshake; half a request is refused.
    @Test func noResumption() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let first = try CASEInitiator(fabric: fabric)
        _ = try first.establish(with: rig, to: identity)
        let known = try #require(first.resumption)
        for (number, flaw) in [
            CASEInitiator.Resumption(id: [UInt8](repeating: 1, count: 16), secret: known.secret),
            CASEInitiator.Resumption(id: known.id, secret: [UInt8](repeating: 1, count: 32)),
        ].enumerated() {
            let again = try CASEInitiator(
                TestInitiator(node: UInt64(number)), fabric: fabric, random: UInt8(number + 1))
            let sigma2 = try rig.answer(again.sigma1(to: identity, resuming: flaw))
            let sigma3 = try again.sigma3(after: sigma2, from: identity)
            #expect(try again.messages.read(rig.answer(sigma3.octets)).report == .established)
        }
        let half = try CASEInitiator(TestInitiator(node: 9), fabric: fabric, random: 9)
        let datagram = try half.sigma1(to: identity, tag: [UInt8](repeating: 1, count: 16))
        #expect(try half.messages.read(rig.answer(datagram)).report == .invalidParameter)
    }

    /// The initiator refuses Sigma2Resume: no session, and the record stays as it was.
    @Test func refusedResumption() throws {
        let (rig, fabric, identity) = try SessionRig.fabric()
        let first = try CASEInitiator(fabric: fabric)
        _ = try first.establish(with: rig, to: identity)
        let resumption = try #require(first.resumption)
        _ = rig.drain()
        let again = try CASEInitiator(TestInitiator(node: 2), fabric: fabric, random: 2)
        let sigma2 = try rig.answer(again.sigma1(to: identity, resuming: resumption))
        rig.receive(try again.finish(after: sigma2, from: identity, report: .invalidParameter).octets)
        #expect(rig.drain() == [] && rig.channel.handshakes.isEmpty)
        let third = try CASEInitiator(TestInitiator(node: 3), fabric: fabric, random: 3)
        let answer = try rig.answer(third.sigma1(to: identity, resuming: resumption))
        rig.receive(try third.finish(after: answer, from: identity).octets)
        #expect(rig.drain() == ["established"])
    }
}
