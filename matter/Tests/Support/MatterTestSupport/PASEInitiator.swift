// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterSession
import MatterTLV
import TestSupport
import Testing

/// A commissioner up to the PASE session: the prover of SPAKE2+.
final class PASEInitiator {
    static let salt = Array("SPAKE2P Key Salt".utf8)
    static let iterations = 1000

    var messages: TestInitiator
    let sessionID: UInt16
    private let scalars: SPAKE2PlusScalars
    private let x: P256Group.Scalar
    private var request: [UInt8] = []
    private var response: [UInt8] = []
    private var share: P256Point?

    /// The verifier of 20202021, which most tests use.
    static func parameters() throws -> PASEParameters {
        PASEParameters(
            verifier: try SPAKE2PlusVerifier(passcode: 20_202_021, salt: salt.span, iterations: iterations),
            iterations: UInt32(iterations), salt: salt)
    }

    init(
        _ messages: TestInitiator = TestInitiator(), passcode: UInt32 = 20_202_021, salt: [UInt8] = PASEInitiator.salt,
        iterations: Int = PASEInitiator.iterations, sessionID: UInt16 = 0xBEEF
    ) throws {
        self.messages = messages
        self.sessionID = sessionID
        scalars = try SPAKE2PlusScalars(passcode: passcode, salt: salt.span, iterations: iterations)
        let random = [UInt8](repeating: 0x5A, count: 32)
        x = try P256Group.scalar(reducing: random.span)
    }

    /// PBKDFParamRequest.
    ///
    /// - Parameter session: the commissioner's session parameters, a structure; nil for none.
    func request(passcodeID: UInt16 = 0, hasParameters: Bool = false, session: TLVElement? = nil) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { request in
            request.octets([UInt8](repeating: 0x11, count: 32), as: 1)
            request.unsigned(sessionID, as: 2)
            request.unsigned(passcodeID, as: 3)
            request.bool(hasParameters, as: 4)
            if let session { request.element(session, as: 5) }
        }
        request = writer.octets
        return messages.message(0x20, request)
    }

    /// Pake1, the answer to PBKDFParamResponse.
    func pake1(after datagram: [UInt8]) throws -> [UInt8] {
        let received = try messages.read(datagram)
        #expect(received.proto.opcode == 0x21)
        response = received.payload
        let (x, w0) = (x, scalars.w0)
        let masked = try P256Group.multiply(SPAKE2PlusConstants.m, by: w0.span)
        let share = try P256Group.add(P256Group.multiplyGenerator(by: x.span), masked)
        self.share = share
        return pake1(share: octets(share.octets), acknowledging: received)
    }

    /// Pake1 with any share.
    func pake1(share: [UInt8], acknowledging received: SentMessage? = nil) -> [UInt8] {
        messages.message(0x22, structure(share), acknowledging: acknowledgement(of: received))
    }

    /// Pake3, the answer to Pake2, and the session that it makes.
    func pake3(after datagram: [UInt8]) throws -> (octets: [UInt8], session: TestSession) {
        let received = try messages.read(datagram)
        #expect(received.proto.opcode == 0x23)
        let fields = try TLVElement(received.payload).structure()
        let (x, w0, w1) = (x, scalars.w0, scalars.w1)
        let peerOctets = try fields.required(1).octets(exactly: 65)
        let peerShare = try P256Point(peerOctets.span)
        let mask = try P256Group.multiply(SPAKE2PlusConstants.n, by: w0.span)
        let unmasked = try P256Group.subtract(mask, from: peerShare)
        let context = try PASEAttempt.context(request: request, response: response)
        let z = try P256Group.multiply(unmasked, by: x.span)
        let v = try P256Group.multiply(unmasked, by: w1.span)
        let ownShare = try #require(share)
        let schedule = try SPAKE2PlusSchedule(
            context: context.span, proverShare: ownShare, verifierShare: peerShare, z: z, v: v, w0: w0.span)
        isConfirmed = try fields.required(2).octets() == octets(schedule.verifierConfirmation)
        let peerID: UInt16 = try TLVElement(response).structure().required(3).unsigned()
        let keys = try SessionKeys(inputKey: octets(schedule.key), salt: [])
        let pake3 = messages.message(
            0x24, structure(octets(schedule.proverConfirmation)), acknowledging: acknowledgement(of: received))
        return (pake3, TestSession(keys: keys, localID: sessionID, peerID: peerID))
    }

    /// True if the responder's confirmation in Pake2 was right.
    private(set) var isConfirmed = false

    /// Runs all of it.
    func establish(
        with rig: ChannelRig, from peer: TransportPeer = .host(1)
    ) throws -> (session: TestSession, last: SentMessage) {
        let response = try rig.answer(request(), from: peer)
        let pake2 = try rig.answer(try pake1(after: response), from: peer)
        let pake3 = try pake3(after: pake2)
        let report = try messages.read(rig.answer(pake3.octets, from: peer))
        if let counter = acknowledgement(of: report) {
            #expect(rig.receive(messages.message(0x10, acknowledging: counter), from: peer) == [])
        }
        return (pake3.session, report)
    }

    private func structure(_ octets: [UInt8]) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { $0.octets(octets, as: 1) }
        return writer.octets
    }

    private func acknowledgement(of message: SentMessage?) -> UInt32? {
        guard let message, message.isReliable else { return nil }
        return message.header.counter
    }
}
