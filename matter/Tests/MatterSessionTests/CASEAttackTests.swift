// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Hostile initiators: foreign fabrics, wrong certificates, replays and floods of Sigma1.
struct CASEAttackTests {
    private let fabric: TestFabric
    private let identity: OperationalIdentity

    init() throws {
        fabric = try TestFabric()
        identity = try fabric.identity()
    }

    private func rig() -> ChannelRig {
        let rig = ChannelRig()
        rig.channel.setFabrics([identity], effects: &rig.effects)
        return rig
    }

    /// An initiator with numbers of its own.
    private func initiator(_ number: UInt8) throws -> CASEInitiator {
        try CASEInitiator(TestInitiator(node: UInt64(number) + 1), fabric: fabric, random: number)
    }

    @Test func noSharedRoot() throws {
        let rig = rig()
        let other = try TestFabric(0xFAB1, key: 8)
        let initiator = try CASEInitiator(fabric: other)
        let sigma1 = try initiator.sigma1(to: other.identity())
        let refusal = try initiator.messages.read(rig.answer(sigma1))
        #expect(refusal.report == .noSharedTrustRoots && rig.channel.handshakes.isEmpty)
        // Also without any fabric.
        let empty = ChannelRig()
        let report = try initiator.messages.read(empty.answer(initiator.sigma1(to: identity))).report
        #expect(report == .noSharedTrustRoots)
    }

    /// A fault in Sigma3 is refused, and neither a session nor a record results.
    @Test(arguments: [
        "signature", "certificate", "key", "root", "fabric", "expired", "encryption", "TLV", "intermediate",
    ])
    func badSigma3(flaw: String) throws {
        let rig = rig()
        rig.channel.lastKnownGoodTime = MatterTime(rawValue: 1000)
        let initiator = try initiator(1)
        let sigma2 = try rig.answer(initiator.sigma1(to: identity))
        switch flaw {
        case "root": initiator.certificate = try CASEInitiator(fabric: TestFabric(key: 8)).certificate
        case "fabric":
            initiator.certificate = try fabric.certificate(node: 112_233, key: initiator.key, fabric: 0xFAB2)
        case "expired":
            initiator.certificate = try fabric.certificate(node: 112_233, key: initiator.key, notAfter: 999)
        case "key":
            let scalar = [UInt8](repeating: 0x66, count: 32)
            initiator.key = try P256PrivateKey(scalar: scalar.span)
        default: break
        }
        var sigma3 = try initiator.sigma3(after: sigma2, from: identity) { part in
            switch flaw {
            case "signature": part.signature[5] ^= 1
            case "certificate": part.node[100] ^= 1
            case "TLV": part.node = [UInt8](repeating: 0, count: 401)
            case "intermediate": part.intermediate = part.node
            default: break
            }
        }.octets
        if flaw == "encryption" { sigma3[sigma3.count - 10] ^= 1 }
        let refusal = try initiator.messages.read(rig.answer(sigma3))
        #expect(refusal.report == .invalidParameter && refusal.isReliable)
        #expect(rig.drain() == [] && rig.channel.handshakes.isEmpty)
        let resumed = rig.channel.resumptions.record(try #require(initiator.resumption).id)
        #expect(resumed == nil)
    }

    /// A certificate that ends with the known time is still good.
    @Test func validUntilNow() throws {
        let rig = rig()
        rig.channel.lastKnownGoodTime = MatterTime(rawValue: 999)
        let initiator = try initiator(1)
        initiator.certificate = try fabric.certificate(node: 112_233, key: initiator.key, notAfter: 999)
        _ = try initiator.establish(with: rig, to: identity)
        #expect(rig.established != nil)
    }

    @Test func malformedMessages() throws {
        let rig = rig()
        for (number, payload) in ["", "1518", "153001 20"].enumerated() {
            let initiator = TestInitiator(node: UInt64(number))
            let report = try initiator.read(rig.answer(initiator.message(0x30, octets(payload)))).report
            #expect(report == .invalidParameter)
        }
        // Sigma3 without a handshake, an opcode that an initiator does not send, one that does not exist.
        for opcode in [0x32, 0x31, 0x7F] as [UInt8] {
            let initiator = TestInitiator(node: UInt64(opcode) + 100)
            #expect(rig.receive(initiator.message(opcode)) == [])
        }
        rig.advance(by: 30_000)
        #expect(rig.channel.exchanges.isEmpty)
        // An ephemeral key off the curve.
        let initiator = try initiator(7)
        let datagram = try initiator.sigma1(to: identity)
        let key = try #require(datagram.indices.first { datagram[$0...].starts(with: [0x30, 4, 65, 4]) })
        var changed = datagram
        changed[key + 10] ^= 1
        #expect(try initiator.messages.read(rig.answer(changed)).report == .invalidParameter)
        #expect(rig.channel.handshakes.isEmpty)
    }

    /// A half-open handshake ends after 20 s without a message.
    @Test func silence() throws {
        let rig = rig()
        let initiator = try initiator(1)
        let sigma2 = try rig.answer(initiator.sigma1(to: identity), from: .ble(link: 1))
        rig.advance(by: 19_999)
        #expect(rig.channel.handshakes.count == 1)
        rig.advance(by: 1)
        #expect(rig.channel.handshakes.isEmpty && rig.channel.deadline == nil)
        let late = try initiator.sigma3(after: sigma2, from: identity).octets
        let refusal = try initiator.messages.read(rig.answer(late, from: .ble(link: 1)))
        #expect(refusal.report == .invalidParameter)
        // Over UDP the unanswered Sigma2 ends it earlier.
        let other = try self.initiator(2)
        rig.receive(try other.sigma1(to: identity))
        rig.advance(by: 6_000)
        #expect(rig.channel.handshakes.isEmpty && rig.channel.exchanges.isEmpty)
    }

    /// A recorded Sigma1, replayed while its handshake is in progress and after: no second place, nothing disturbed.
    @Test func replay() throws {
        let rig = rig()
        let initiator = try initiator(1)
        let sigma1 = try initiator.sigma1(to: identity)
        let sigma2 = try rig.answer(sigma1)
        for host in 2...30 as ClosedRange<UInt8> {
            let answer = try initiator.messages.read(rig.answer(sigma1, from: .host(host)))
            #expect(answer.report?.code == StatusReport.Code.busy && !answer.isReliable)
        }
        #expect(rig.channel.handshakes.count == 1)
        let sigma3 = try initiator.sigma3(after: sigma2, from: identity).octets
        #expect(try initiator.messages.read(rig.answer(sigma3)).report == .established)
        // Sigma3 elsewhere and again.
        #expect(rig.receive(sigma3, from: .host(40)) == [])
        #expect(rig.drain().filter { $0 == "established" }.count == 1)
    }

    /// A host has three places, and from 3 s on its oldest gives way to its next; other hosts are not stopped.
    @Test func floodFromOneHost() throws {
        let rig = rig()
        func sigma1(_ number: UInt8, from host: UInt8) throws -> SentMessage {
            let initiator = try initiator(number)
            return try initiator.messages.read(rig.answer(initiator.sigma1(to: identity), from: .host(host)))
        }
        for number in 0..<3 as Range<UInt8> { #expect(try sigma1(number, from: 1).proto.opcode == 0x31) }
        #expect(try sigma1(3, from: 1).report?.code == StatusReport.Code.busy)
        let honest = try self.initiator(50)
        _ = try honest.establish(with: rig, to: identity, from: .host(2))
        #expect(rig.established != nil)
        rig.advance(by: 3000)
        #expect(try sigma1(4, from: 1).proto.opcode == 0x31 && rig.channel.handshakes.count == 3)
    }

    /// A flood from many hosts by a member of the fabric: the table stays bounded, and nobody waits longer than 3 s.
    @Test func floodFromManyHosts() throws {
        let rig = rig()
        for number in 0..<60 as Range<UInt8> {
            let initiator = try initiator(number)
            rig.receive(try initiator.sigma1(to: identity), from: .host(number))
        }
        #expect(rig.channel.handshakes.count == CASEHandshake.limit)
        #expect(rig.channel.initiators.count <= UnsecuredInitiator.limit && rig.channel.exchanges.count <= 24)
        let honest = try initiator(100)
        let busy = try honest.messages.read(rig.answer(honest.sigma1(to: identity), from: .host(100))).report
        #expect(busy?.code == StatusReport.Code.busy && busy?.data == [0xB8, 0x0B])
        rig.advance(by: 3000)
        let again = try CASEInitiator(TestInitiator(node: 5000), fabric: fabric, random: 101)
        _ = try again.establish(with: rig, to: identity, from: .host(100))
        #expect(rig.established != nil)
    }

    /// Recordings of Sigma1, after so many foreign ones that their initiators are forgotten: no place for them.
    @Test func oldRecordings() throws {
        let rig = rig()
        var recorded: [[UInt8]] = []
        for number in 0..<10 as Range<UInt8> {
            let initiator = try initiator(number)
            recorded.append(try initiator.sigma1(to: identity))
            let sigma2 = try rig.answer(recorded[Int(number)])
            rig.receive(try initiator.sigma3(after: sigma2, from: identity).octets)
        }
        rig.advance(by: 60_000)
        for number in 1000..<1050 as Range<UInt64> {
            let foreign = TestInitiator(node: number)
            rig.receive(foreign.message(0x30, [0x15, 0x18]), from: .host(77))
        }
        rig.advance(by: 60_000)
        _ = rig.drain()
        for sigma1 in recorded {
            #expect(rig.receive(sigma1) == [] && rig.receive(sigma1, from: .host(78)) == [])
        }
        #expect(rig.channel.handshakes.isEmpty && rig.drain() == Array(repeating: "dropped duplicate", count: 20))
    }

    /// A controller that resumes has a place at once, also in a flood.
    @Test func resumptionInAFlood() throws {
        let rig = rig()
        let known = try initiator(1)
        _ = try known.establish(with: rig, to: identity)
        for number in 10..<60 as Range<UInt8> {
            let initiator = try initiator(number)
            rig.receive(try initiator.sigma1(to: identity), from: .host(number % 10))
        }
        #expect(rig.channel.handshakes.count == CASEHandshake.limit)
        for number in 101...103 as ClosedRange<UInt8> {
            let again = try initiator(number)
            let answer = try rig.answer(again.sigma1(to: identity, resuming: known.resumption))
            #expect(try again.messages.read(answer).proto.opcode == 0x33)
        }
        // Places of those that resume are not taken from them.
        let fourth = try initiator(104)
        let busy = try rig.answer(fourth.sigma1(to: identity, resuming: known.resumption))
        #expect(try fourth.messages.read(busy).report?.code == StatusReport.Code.busy)
        #expect(rig.channel.handshakes.count == CASEHandshake.limit)
    }

    /// Refusals are retransmitted for a few initiators only: a flood of wrong messages is answered one for one.
    @Test func floodOfRefusals() throws {
        let rig = rig()
        var sent = 0
        for number in 0..<200 as Range<UInt64> {
            let initiator = TestInitiator(node: number)
            sent += rig.receive(initiator.message(0x30, [0x15, 0x18]), from: .host(UInt8(number))).count
        }
        #expect(sent == 200 && rig.channel.exchanges.count == 4)
        #expect(rig.channel.initiators.count <= UnsecuredInitiator.limit)
        #expect(rig.advance(by: 60_000).count == 4 * 4)
    }

    /// Random octets, and changed messages of a handshake: nothing traps, and no session results.
    @Test func randomMessages() throws {
        let rig = rig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        var random = SplitMix64(seed: 3)
        let initiator = try initiator(1)
        let sigma1 = try initiator.sigma1(to: identity)
        for _ in 0..<600 {
            var datagram = sigma1
            for _ in 0...Int.random(in: 0...3, using: &random) {
                datagram[Int.random(in: 0..<datagram.count, using: &random)] = random.octets(1)[0]
            }
            datagram.removeLast(Int.random(in: 0...1, using: &random) * Int.random(in: 0..<100, using: &random))
            rig.receive(datagram, from: .host(random.octets(1)[0]))
            rig.receive(random.octets(Int.random(in: 0..<60, using: &random)))
            rig.advance(by: Int.random(in: 0..<500, using: &random))
            #expect(rig.channel.exchanges.count <= 72 && rig.channel.handshakes.count <= CASEHandshake.limit)
        }
        #expect(rig.established == nil)
        rig.advance(by: 200_000)
        #expect(rig.channel.deadline == nil && rig.channel.exchanges.isEmpty)
    }
}
