// SPDX-License-Identifier: Apache-2.0

@testable import Peripheral
import TestSupport
import Testing
import Timekeeping

/// Random and nearly valid octets: the server never traps, answers each request once within the ATT_MTU, and releases
/// all resources.
@Suite struct GATTHostilityTests {
    private static let opcodes: [UInt8] = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x12, 0x16, 0x16, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
    ]

    /// A PDU of a known opcode whose handles, types and offsets are mostly small enough to hit something.
    private func pdu(_ random: inout SplitMix64) -> [UInt8] {
        var pdu = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        guard !pdu.isEmpty, random.next() % 8 != 0 else { return pdu }
        pdu[0] = GATTHostilityTests.opcodes[Int(random.next() % UInt64(GATTHostilityTests.opcodes.count))]
        for position in pdu.indices.dropFirst() {
            switch (position % 2, random.next() % 4) {
            case (0, 1...): pdu[position] = 0
            case (1, 1...): pdu[position] %= 0x22
            default: break
            }
        }
        if pdu[0] == 0x18, pdu.count > 1 { pdu = [0x18, pdu[1] % 3] }
        if pdu[0] == 0x0A || pdu[0] == 0x02 { pdu = Array(pdu.prefix(3)) }
        if pdu[0] == 0x0C || pdu[0] == 0x04 { pdu = Array(pdu.prefix(5)) }
        if pdu[0] == 0x08 || pdu[0] == 0x10 { pdu = Array(pdu.prefix(5)) + [UInt8(random.next() % 6), 0x28] }
        return pdu
    }

    @Test func anyPDUs() throws {
        var random = SplitMix64(seed: 0x4154_5400)
        let bench = try SampleTable.bench(slots: 3)
        var answers = 0
        var successes = 0
        for round in 0..<100_000 {
            let slot = Int(random.next() % 4)
            let sent = pdu(&random)
            bench.now = Instant.origin + .milliseconds(round)
            let answer = bench.send(sent, slot: slot)
            let mtu = bench.mtu(slot: slot)
            if answer.count > mtu { Issue.record("\(hex(sent)): \(answer.count) octets at MTU \(mtu)") }
            if slot < 3, let opcode = sent.first, ATTOpcode(rawValue: opcode).isRequest != !answer.isEmpty {
                Issue.record("\(hex(sent)) is answered with \(hex(answer))")
            }
            if !answer.isEmpty { answers += 1 }
            if let first = answer.first, first != 0x01 { successes += 1 }
            if random.next() % 500 == 0 { turn(bench, slot, &random) }
            bench.events.removeAll()
        }
        // The octets were near enough to be served, not only refused.
        #expect(answers > 50_000)
        #expect(successes > 5_000)
        for slot in 0..<3 { bench.close(slot: slot) }
        #expect(bench.server.preparedParts == 0)
        #expect(bench.server.preparedOctets == 0)
        #expect(bench.nextDeadline == nil)
    }

    /// The same with dynamic values, stale caches, and several bearers: every request of a bearer is answered once,
    /// unless it was dropped as too early.
    @Test func anyPDUsForADeviceThatAnswersLate() throws {
        var random = SplitMix64(seed: 0x4154_5401)
        var configuration = GATTServer.Configuration()
        configuration.enhancedBearers = 2
        let bench = GATTBench(try GATTHostilityTests.handledHouse(), configuration: configuration)
        for slot in 0..<2 { _ = bench.openBearer(slot: slot, mtu: 64) }
        var questions: [AttributeRequest] = []
        var answers = 0
        for round in 0..<50_000 {
            bench.now = Instant.origin + .milliseconds(round)
            answers +=
                bench.send(pdu(&random), slot: Int(random.next() % 2), bearer: Int(random.next() % 3)).isEmpty ? 0 : 1
            if let question = bench.question { questions.append(question) }
            bench.events.removeAll()
            guard random.next() % 4 == 0 else { continue }
            for question in questions.suffix(3).reversed() {
                switch random.next() % 4 {
                case 0: _ = bench.refuse(question, 0x80)
                case 1: _ = bench.accept(question)
                default: _ = bench.respond(question, [UInt8](repeating: 1, count: Int(random.next() % 600)))
                }
            }
            answers += bench.outputs().count
            if questions.count > 100 { questions.removeAll() }
            if random.next() % 200 == 0 { change(bench, &random) }
        }
        #expect(answers > 10_000)
        for slot in 0..<2 { bench.close(slot: slot) }
        #expect(bench.server.preparedParts == 0 && bench.server.preparedOctets == 0)
        #expect(bench.nextDeadline == nil && bench.outputs() == [])
        #expect(bench.clients.flatMap(\.bearers).allSatisfy { !$0.isOpen && !$0.transaction.isInvolved })
    }

    private func change(_ bench: GATTBench, _ random: inout SplitMix64) {
        let slot = Int(random.next() % 2)
        switch random.next() % 5 {
        case 0: bench.closeBearer(slot: slot, bearer: 1)
        case 1: _ = bench.openBearer(slot: slot, mtu: 64)
        case 2:
            if let database = try? GATTHostilityTests.handledHouse(isFirst: random.next() % 2 == 0) {
                bench.replaceDatabase(with: database)
            }
        case 3:
            if let state = bench.clientState(slot: slot) {
                bench.open(slot: slot)
                bench.restore(state, slot: slot)
            }
        default: _ = bench.advance(to: bench.now)
        }
    }

    private static func handledHouse(isFirst: Bool = true) throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGATTService()
        builder.addService(BluetoothUUID(0xFCBA))
        for number in 0..<5 as Range<UInt16> {
            builder.addCharacteristic(
                BluetoothUUID(0x2803), properties: [.read, .write], value: number % 2 == 0 ? .dynamic : .static([1]),
                reliableWrites: isFirst)
        }
        return try builder.build()
    }

    /// Links begin, end and change their security meanwhile.
    private func turn(_ bench: GATTBench, _ slot: Int, _ random: inout SplitMix64) {
        switch random.next() % 4 {
        case 0: bench.open(slot: slot)
        case 1:
            bench.close(slot: slot)
            bench.open(slot: slot)
        case 2: bench.setSecurity(LinkSecurityLevel(isEncrypted: true, isAuthenticated: true), slot: slot)
        default: _ = bench.advance(to: bench.now)
        }
        let parts = bench.clients.reduce(0) { $0 + $1.prepared.parts.count }
        let count = bench.clients.reduce(0) { $0 + $1.prepared.octets.count }
        if parts != bench.server.preparedParts || count != bench.server.preparedOctets {
            Issue.record("\(parts) parts of \(count) octets are counted as \(bench.server.preparedParts)")
        }
    }
}
