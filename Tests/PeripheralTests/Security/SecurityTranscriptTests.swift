// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral
import Testing
import Timekeeping

/// The pairings in `Vectors/smp_transcripts.json`, recorded between other hosts: the central's PDUs are replayed to
/// this peripheral with the same keys and random numbers, and every response must have the same octets.
@Suite struct SecurityTranscriptTests {
    struct Transcripts: Decodable {
        struct Side: Decodable {
            var address: String
            var private_key: String
            var irk: String

            var parsed: BluetoothAddress {
                BluetoothAddress(address.hasSuffix("random") ? .random : .public, String(address.prefix(12)))
            }
        }
        struct PDU: Decodable {
            var from: String
            var pdu: String
        }
        struct Result: Decodable {
            var ltk: String?
            var ltk_central: String?
            var irk: String
        }
        struct Transcript: Decodable, CustomTestStringConvertible {
            var name: String
            var central: Side
            var peripheral: Side
            var pdus: [PDU]
            var passkey: String?
            var numeric_comparison: String?
            var result: Result
            var testDescription: String { name }

            func sent(_ code: String) -> [String] {
                pdus.filter { $0.from == "peripheral" && $0.pdu.hasPrefix(code) }.map { String($0.pdu.dropFirst(2)) }
            }
        }
        var transcripts: [Transcript]
    }

    @Test(arguments: [
        "LE SC Just Works", "LE SC numeric comparison", "LE SC passkey, peripheral displays",
        "legacy Just Works", "legacy passkey, peripheral displays",
    ])
    func replay(_ name: String) throws {
        let all = try SecurityFacts.read("smp_transcripts.json", as: Transcripts.self).transcripts
        #expect(all.count == 5)
        let transcript = try #require(all.first { $0.name == name })
        let response = try Self.responseFeatures(transcript)
        var manager = try manager(for: transcript, response)
        manager.open(slot: 0, peer: transcript.central.parsed, own: transcript.peripheral.parsed)

        var answers: [String] = []
        var encryptedWith: Value128?
        var rest = transcript.pdus[...]
        while let pdu = rest.popFirst() {
            if pdu.from == "central" {
                if pdu.pdu.hasPrefix("0d") { #expect(!manager.level(slot: 0).isEncrypted) }
                manager.receive(octets(pdu.pdu), slot: 0, at: start)
                answers += try drain(&manager, transcript)
                continue
            }
            // The link is encrypted where the first key is handed out, in both kinds of pairing.
            if pdu.pdu.hasPrefix("06") || pdu.pdu.hasPrefix("08"), encryptedWith == nil {
                encryptedWith = manager.longTermKeyRequested(slot: 0, name: .zero)
                #expect(encryptedWith != nil)
                manager.encryptionChanged(slot: 0, status: .success, at: start)
                answers += try drain(&manager, transcript)
            }
            try #require(!answers.isEmpty, "nothing was answered where \(pdu.pdu) was")
            #expect(answers.removeFirst() == pdu.pdu)
        }
        #expect(answers == [])
        try check(manager.bonds, transcript, response, encryptedWith)
        #expect(
            manager.level(slot: 0)
                == LinkSecurityLevel(
                    isEncrypted: true, isAuthenticated: response.requirements.contains(.mitm),
                    isSecureConnections: response.requirements.contains(.secureConnections), keySize: 16,
                    isBonded: true))
        #expect(manager.nextDeadline == nil)
    }

    private func check(
        _ bonds: [Bond], _ transcript: Transcripts.Transcript, _ response: PairingFeatures, _ key: Value128?
    ) throws {
        let bond = try #require(bonds.first)
        #expect(bonds.count == 1 && bond.identity == transcript.central.parsed)
        #expect(bond.resolvingKey?.wire == transcript.result.irk)
        #expect(bond.isAuthenticated == response.requirements.contains(.mitm))
        if let ltk = transcript.result.ltk {
            #expect(bond.isSecureConnections && bond.longTermKey == key && bond.longTermKey.wire == ltk)
        } else {
            #expect(!bond.isSecureConnections && bond.longTermKey.wire == transcript.result.ltk_central)
        }
    }

    static func responseFeatures(_ transcript: Transcripts.Transcript) throws -> PairingFeatures {
        let octets = transcript.sent("02").map { TestSupport.octets("02" + $0) }
        guard case .pairingResponse(let features) = try SecurityPDU(try #require(octets.first)) else {
            throw SecurityPDU.ParseError.reserved
        }
        return features
    }

    /// The policy and the random numbers of the transcript's peripheral. The order of the draws: private key, passkey,
    /// nonces; or passkey, nonce, long-term key, EDIV, Rand.
    static func side(
        of transcript: Transcripts.Transcript, _ response: PairingFeatures
    ) -> (policy: SecurityPolicy, identity: SecurityIdentity, random: ScriptedRandom) {
        let isSecure = response.requirements.contains(.secureConnections)
        var policy = SecurityPolicy()
        policy.ioCapability = response.ioCapability
        policy.secureConnections = isSecure ? .only : .never
        policy.requestsAuthentication = response.requirements.contains(.mitm)
        var script: [UInt8] = isSecure ? octets(transcript.peripheral.private_key) : []
        if let passkey = transcript.passkey.flatMap({ UInt32($0) }) {
            script += (0..<4).map { UInt8(truncatingIfNeeded: passkey >> UInt32(24 - 8 * $0)) }
        }
        for random in transcript.sent("04") + transcript.sent("06") { script += octets(random).reversed() }
        if !isSecure { script += [UInt8](repeating: 0, count: 16) }
        let identity = SecurityIdentity(
            address: transcript.peripheral.parsed, resolvingKey: Value128(wire: transcript.peripheral.irk))
        return (policy, identity, ScriptedRandom(script))
    }

    private func manager(
        for transcript: Transcripts.Transcript, _ response: PairingFeatures
    ) throws -> SecuredLinks {
        let side = Self.side(of: transcript, response)
        return SecuredLinks(
            policy: side.policy, identity: side.identity, store: TransientBondStore(), random: side.random,
            linkCapacity: 1)
    }

    /// The PDUs that were sent; the user answers as the transcript says.
    private func drain(
        _ manager: inout SecuredLinks, _ transcript: Transcripts.Transcript
    ) throws -> [String] {
        var sent: [String] = []
        while let action = manager.nextAction() {
            switch action {
            case .send(let pdu): sent.append(hex(pdu.octets))
            case .displayPasskey(let passkey): #expect(passkey == transcript.passkey.flatMap { UInt32($0) })
            case .compare(let number):
                #expect(number == transcript.numeric_comparison.flatMap { UInt32($0) })
                let wasAwaited = manager.answerComparison(true, slot: 0, at: start)
                #expect(wasAwaited)
            case .levelChanged: break
            case .paired(let storeError): #expect(storeError == nil)
            case .requestPasskey, .bondRemoved, .failed, .disconnect: Issue.record("\(action)")
            }
        }
        return sent
    }
}
