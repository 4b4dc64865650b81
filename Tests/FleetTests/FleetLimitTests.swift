// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// The limits of a broker (MQTT 5, 3.2.2.3), stated and shown.
@Suite struct FleetLimitTests {
    /// The setting of the broker that has to change is named, and nothing is published.
    @Test(arguments: ["max_packet_size", "max_qos", "retain_available"])
    func aLimitBelowTheNeedsIsAFault(setting: String) throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var limits = BrokerLimits()
        switch setting {
        case "max_packet_size": limits.maximumPacket = 4095
        case "max_qos": limits.maximumQoS = 0
        default: limits.retains = false
        }
        bench.session.connect(limits, at: bench.now)
        let effects = bench.session.takeEffects()
        #expect(effects.first == .disconnect)
        let status = try #require(SessionBench.status(effects))
        #expect(!status.isConnected && Array(status.faults.keys) == [.limit])
        #expect(status.faults[.limit]?.contains(setting) == true)
    }

    /// A read asks for a batch that fits; a longer one, of before, is not sent.
    @Test func batchesFitIntoThePacketsOfTheBroker() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var limits = BrokerLimits()
        limits.maximumPacket = 8192
        _ = bench.connect(limits)
        #expect(bench.mark(0).contains(SessionBench.read(1, 8192 - 160)))
        let long = String(repeating: "x", count: 8192 - 159)
        #expect(bench.receive(.batch(long, covers: 1...50, hasGap: false)).isEmpty)
        #expect(bench.wait(.seconds(5)).contains(SessionBench.read(1, 8192 - 160)))
        let fitting = String(long.dropLast())
        let effects = bench.receive(.batch(fitting, covers: 1...40, hasGap: false))
        #expect(effects.contains { if case .publish(fitting, _, _, .batch) = $0 { true } else { false } })
        limits.maximumPacket = 4096
        _ = bench.close()
        _ = bench.connect(limits)
        #expect((bench.mark(0) + bench.wait(.seconds(5))).contains(SessionBench.read(1, 4096 - 160)))
    }

    /// A broker that states no limit, and ends the connection at each long batch, gets shorter ones.
    @Test(arguments: [true, false]) func aLimitThatIsNotStatedIsFound(saysWhy: Bool) throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var lengths: [Int] = []
        for _ in 0..<4 {
            _ = bench.wait(.seconds(8))
            _ = bench.connect()
            bench.acknowledgeBeginning()
            for case .request(.read(let first, let octets)) in bench.mark(0) + bench.wait(.zero) {
                lengths.append(octets)
                let text = String(repeating: "x", count: octets)
                _ = bench.receive(.batch(text, covers: first...(first + 9), hasGap: false))
            }
            guard lengths.last ?? 0 > 10_240 else { break }
            let failure = saysWhy ? LinkFailure("broker", .packetTooLarge, refused: false) : nil
            let status = SessionBench.status(failure.map { bench.fail($0) } ?? bench.close())
            #expect(status?.faults.keys.sorted() == [saysWhy ? .limit : .lost])
            #expect(status?.faults.values.first?.contains("maximum packet size") == true)
        }
        #expect(lengths == [16_384, 8192])
    }

    /// Once a length was acknowledged, a loss says nothing about it.
    @Test func aLossOfAnotherCauseShortensNothing() throws {
        let bench = try SessionBench()
        bench.begun()
        let long = String(repeating: "x", count: 16_000)
        _ = bench.receive(.batch(long, covers: 1...50, hasGap: false))
        _ = bench.acknowledge(.batch, 0, octets: 16_000)
        _ = bench.receive(.batch(long, covers: 51...100, hasGap: false))
        _ = bench.close()
        _ = bench.connect()
        #expect((bench.mark(0) + bench.wait(.seconds(5))).contains(SessionBench.read(1)))
    }

    /// Without wildcards (MQTT 5, 3.2.2.3.11) each chunk of a state is subscribed to by its name.
    @Test func withoutWildcardsChunksAreSubscribedToOneByOne() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var limits = BrokerLimits()
        _ = bench.connect(limits)
        #expect(bench.receive(.fetch(.chunks)) == [.subscribe("acc/v1/7761307931597753/down/desired/+")])
        _ = bench.close()
        limits.permitsWildcards = false
        _ = bench.connect(limits)
        let effects = bench.receive(.fetch(.chunks))
        #expect(effects.count == FleetLimits.chunksPerState)
        #expect(effects.last == .subscribe("acc/v1/7761307931597753/down/desired/47"))
    }

    /// A discovery message with the longest name, whose characters take six octets each, and an order's answer fit into
    /// the least packet. Batches and states are the reader's (`LinkBatchTests`).
    @Test func messagesFitIntoTheLeastPacket() throws {
        var reader = try SessionBench().reader
        reader.name = String(repeating: "\u{1}", count: 64)
        reader.firmware = "100.100.100"
        let most = FleetLimits.leastPacket - FleetLimits.packetOverhead
        #expect(HomeAssistant.discovery(reader).utf8.count <= most)
        let answer = RemoteAnswer(
            device: reader.device, id: [UInt8](repeating: 9, count: 16), command: "0123456789abcdef", .refused,
            .nothingToReset, sequence: .max, counter: .max, missing: 48)
        #expect(RemoteAnswer.text(answer.body, signature: [UInt8](repeating: 9, count: 72)).utf8.count <= most)
        #expect(FleetLimits.batchCount + 512 <= FleetLimits.lineCount)
    }
}
