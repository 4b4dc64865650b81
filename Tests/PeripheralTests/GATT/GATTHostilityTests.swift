@testable import Peripheral
import Testing
import Timekeeping

/// Octets of no meaning, and of nearly some: the server never traps, answers each request once and within the
/// ATT_MTU, and gives everything back.
@Suite struct GATTHostilityTests {
    private static let opcodes: [UInt8] = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x12, 0x16, 0x16, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
    ]

    /// A PDU of a known opcode whose handles, types and offsets are mostly small enough to hit something.
    private func pdu(_ random: inout SplitMix) -> [UInt8] {
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
        var random = SplitMix(state: 0x4154_5400)
        let bench = try House.bench(slots: 3)
        var answers = 0
        var successes = 0
        for round in 0..<100_000 {
            let slot = Int(random.next() % 4)
            let sent = pdu(&random)
            bench.now = Instant.origin + .milliseconds(round)
            let answer = bench.send(sent, slot: slot)
            let mtu = bench.server.mtu(slot: slot)
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
        for slot in 0..<3 { bench.server.close(slot: slot) }
        #expect(bench.server.preparedParts == 0)
        #expect(bench.server.preparedOctets == 0)
        #expect(bench.server.nextDeadline == nil)
    }

    /// Links come, go and change their security meanwhile.
    private func turn(_ bench: GATTBench, _ slot: Int, _ random: inout SplitMix) {
        switch random.next() % 4 {
        case 0: bench.server.open(slot: slot)
        case 1:
            bench.server.close(slot: slot)
            bench.server.open(slot: slot)
        case 2: bench.server.setSecurity(LinkSecurity(isEncrypted: true, isAuthenticated: true), slot: slot)
        default:
            var timedOut: [Int] = []
            bench.server.advance(to: bench.now, timedOut: &timedOut)
        }
        let parts = bench.server.links.reduce(0) { $0 + $1.prepared.parts.count }
        let count = bench.server.links.reduce(0) { $0 + $1.prepared.octets.count }
        if parts != bench.server.preparedParts || count != bench.server.preparedOctets {
            Issue.record("\(parts) parts of \(count) octets are counted as \(bench.server.preparedParts)")
        }
    }
}
