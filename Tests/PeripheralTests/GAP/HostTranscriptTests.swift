// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@testable import Peripheral

/// The pairings in `Vectors/smp_transcripts.json` through a whole host: in data packets, with the controller's request
/// for the key where the transcript's link was encrypted. Every answer must be the same octets.
@Suite struct HostTranscriptTests {
    @Test(arguments: 0..<5)
    func replay(_ number: Int) throws {
        let all = try SecurityFacts.read("smp_transcripts.json", as: SecurityTranscriptTests.Transcripts.self)
            .transcripts
        #expect(all.count == 5)
        let transcript = all[number]
        let response = try SecurityTranscriptTests.responseFeatures(transcript)
        let side = SecurityTranscriptTests.side(of: transcript, response)
        let set = AdvertisingSet(
            id: 1, address: transcript.peripheral.parsed, data: [], scanResponse: [], interval: .milliseconds(100))
        let rig = try SecureRig([side.policy], identity: side.identity, random: side.random, sets: [set])
        let link = try rig.connect(0x40, transcript.central.parsed)
        var answers: [String] = []
        var key: Value128?
        for pdu in transcript.pdus {
            if pdu.from == "central" {
                rig.give(0x40, octets(pdu.pdu))
                if rig.takeEvents().contains(where: { if case .compare = $0 { true } else { false } }) {
                    #expect(rig.answerComparison(link, true))
                }
                answers += rig.takeSMP(0x40).map(hex)
                continue
            }
            // The link is encrypted where the first key is handed out, in both kinds of pairing.
            if pdu.pdu.hasPrefix("06") || pdu.pdu.hasPrefix("08"), key == nil {
                #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
                key = rig.key(0x40)
                #expect(key != nil)
                rig.encryptionChange(0x40)
                answers += rig.takeSMP(0x40).map(hex)
            }
            try #require(!answers.isEmpty, "nothing was answered where \(pdu.pdu) was")
            #expect(answers.removeFirst() == pdu.pdu)
        }
        #expect(answers == [] && rig.takeSMP(0x40) == [])
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
        let isAuthenticated = response.requirements.contains(.mitm)
        #expect(rig.read(0x40, SecureRig.authenticated) == (isAuthenticated ? "0ba3" : "010a070005"))
        let bond = try #require(rig.bonds.first)
        #expect(bond.longTermKey.wire == transcript.result.ltk ?? transcript.result.ltk_central)
        #expect(transcript.result.ltk == nil || key == bond.longTermKey)
    }
}
