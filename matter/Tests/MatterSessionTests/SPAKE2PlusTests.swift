// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@testable import MatterTestSupport

/// Matter Core 3.10: SPAKE2+ on P-256, and the primitives under it.
@Suite("SPAKE2+, against a recorded commissioning and with both sides")
struct SPAKE2PlusTests {
    @Test("The recorded verifier: PBKDF2, w0 and L")
    func recordedVerifier() throws {
        let salt = PASERecording.salt
        let verifier = try SPAKE2PlusVerifier(
            passcode: PASERecording.passcode, salt: salt.span, iterations: PASERecording.iterations)
        #expect(verifier.octets == PASERecording.w0 + PASERecording.l)
    }

    @Test("The published verifier of passcode 20202021")
    func publishedVerifier() throws {
        let salt = Array("SPAKE2P Key Salt".utf8)
        let verifier = try SPAKE2PlusVerifier(passcode: 20_202_021, salt: salt.span, iterations: 1_000)
        let expected = octets(
            """
            b96170aae803346884724fe9a3b287c30330c2a660375d17bb205a8cf1aecb350457f8ab79ee253ab6a8e46bb09e543ae422736d
            e501e3db37d441fe344920d09548e4c18240630c4ff4913c53513839b7c07fcc0627a1b8573a149fcd1fa466cf
            """)
        #expect(verifier.octets == expected)
        let stored = try SPAKE2PlusVerifier(octets: expected.span)
        #expect(stored.octets == expected)
    }

    @Test("The recorded exchange: share, confirmations and session keys")
    func recordedExchange() throws {
        let octets = PASERecording.w0 + PASERecording.l
        let (share, context, y) = (PASERecording.proverShare, PASERecording.context, PASERecording.y)
        let verifier = try SPAKE2PlusVerifier(octets: octets.span)
        var answer = try verifier.answer(proverShare: share.span, context: context.span, random: y.span)
        #expect([UInt8](answer.share.octets) == PASERecording.verifierShare)
        #expect([UInt8](answer.confirmation) == PASERecording.verifierConfirmation)
        let confirmation = PASERecording.proverConfirmation
        let key = try #require(answer.key(confirmedBy: confirmation))
        let label = Array("SessionKeys".utf8)
        let keys: InlineArray<48, UInt8> = try HKDFSHA256.derive(inputKey: key.span, salt: Span(), info: label.span)
        let expected =
            PASERecording.initiatorToResponder + PASERecording.responderToInitiator + PASERecording.attestationChallenge
        #expect([UInt8](keys) == expected)
        answer.wipe()
        let wiped = try #require(answer.key(confirmedBy: confirmation))
        #expect(wiped == [UInt8](repeating: 0, count: 16))
    }

    @Test("Both sides agree with the right passcode, and neither accepts the other with a wrong one")
    func bothSides() throws {
        var random = SplitMix64(seed: 7)
        let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let context = [UInt8](repeating: 3, count: 32)
        let verifier = try SPAKE2PlusVerifier(passcode: 20_202_021, salt: salt.span, iterations: 1_000)
        for passcode in [20_202_021, 20_202_022] as [UInt32] {
            let x = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let y = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let prover = try SPAKE2PlusProver(passcode: passcode, salt: salt, iterations: 1_000, random: x)
            let share = [UInt8](prover.share.octets)
            let answer = try verifier.answer(proverShare: share.span, context: context.span, random: y.span)
            let schedule = try prover.schedule(verifierShare: [UInt8](answer.share.octets), context: context)
            let agrees = passcode == 20_202_021
            let key = answer.key(confirmedBy: [UInt8](schedule.proverConfirmation))
            #expect(key == (agrees ? [UInt8](schedule.key) : nil))
            #expect(([UInt8](schedule.verifierConfirmation) == [UInt8](answer.confirmation)) == agrees)
        }
    }

    @Test("A confirmation of another length or with one wrong bit gives no key")
    func confirmationIsExact() throws {
        let octets = PASERecording.w0 + PASERecording.l
        let (share, context, y) = (PASERecording.proverShare, PASERecording.context, PASERecording.y)
        let answer = try SPAKE2PlusVerifier(octets: octets.span).answer(
            proverShare: share.span, context: context.span, random: y.span)
        let right = PASERecording.proverConfirmation
        for bit in 0..<256 {
            var wrong = right
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(answer.key(confirmedBy: wrong) == nil)
        }
        let short = Array(right.dropLast())
        #expect(answer.key(confirmedBy: short) == nil)
        #expect(answer.key(confirmedBy: []) == nil)
    }

    @Test("Hostile shares: off the curve, compressed, of another length, and the one that leads to infinity")
    func hostileShares() throws {
        let octets = PASERecording.w0 + PASERecording.l
        let (context, y, w0) = (PASERecording.context, PASERecording.y, PASERecording.w0)
        let verifier = try SPAKE2PlusVerifier(octets: octets.span)
        var offCurve = PASERecording.proverShare
        offCurve[64] ^= 1
        let masked = try P256Group.multiply(SPAKE2PlusConstants.m, by: w0.span)
        let shares: [[UInt8]] = [
            offCurve, [0x02] + PASERecording.proverShare[1..<33], Array(PASERecording.proverShare.dropLast()), [], [0],
            [0x04] + [UInt8](repeating: 0, count: 64), [UInt8](masked.octets),
        ]
        for share in shares {
            #expect(throws: CryptoError.invalidPoint) {
                try verifier.answer(proverShare: share.span, context: context.span, random: y.span)
            }
        }
    }

    @Test("Verifiers that are none: length, w0 of 0 and of the order, L off the curve")
    func invalidVerifiers() {
        let order = octets("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        var offCurve = PASERecording.l
        offCurve[1] ^= 1
        let cases: [([UInt8], CryptoError)] = [
            (PASERecording.w0 + PASERecording.l.dropLast(), .invalidLength), ([], .invalidLength),
            ([UInt8](repeating: 0, count: 32) + PASERecording.l, .invalidKey), (order + PASERecording.l, .invalidKey),
            (PASERecording.w0 + offCurve, .invalidPoint),
        ]
        for (octets, error) in cases {
            #expect(throws: error) { try SPAKE2PlusVerifier(octets: octets.span) }
        }
    }

    @Test("Scalars modulo the order, and lengths that are none")
    func reduction() throws {
        let order = octets("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let two = [UInt8](repeating: 0, count: 31) + [2]
        var plusTwo = order
        plusTwo[31] += 2
        let reduced = try P256Group.scalar(reducing: plusTwo.span)
        #expect([UInt8](reduced) == two)
        let zero = try P256Group.scalar(reducing: order.span)
        #expect([UInt8](zero) == [UInt8](repeating: 0, count: 32))
        let tooLong = [UInt8](repeating: 1, count: 65)
        #expect(throws: CryptoError.invalidLength) { try P256Group.scalar(reducing: tooLong.span) }
        #expect(throws: CryptoError.invalidLength) { try P256Group.scalar(reducing: Span()) }
    }
}

extension SPAKE2PlusAnswer {
    /// `key(confirmedBy:)` on arrays.
    fileprivate func key(confirmedBy confirmation: [UInt8]) -> [UInt8]? {
        key(confirmedBy: confirmation.span).map { [UInt8]($0) }
    }
}
