// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Reader
import Testing

@Suite struct ReaderMetricsTests {
    @Test func aHistogramCountsInclusively() {
        var histogram = Histogram(bounds: [-10, 0, 10])
        for value: Int64 in [-11, -10, -9, 0, 1, 10, 11, 1000] { histogram.count(value) }
        #expect(histogram.counts == [2, 2, 2, 2])
        #expect(histogram.total == 8 && histogram.sum == 992)
        histogram.count(.max)
        histogram.count(.max)
        #expect(histogram.total == 10)
    }

    @Test func gatesAreCountedByTheModeOfTheLink() {
        var metrics = ReaderMetrics()
        let peer = BluetoothAddress.randomStatic(from: 1)
        let (one, other) = (LinkID(slot: 0, generation: 1), LinkID(slot: 63, generation: 2))
        metrics.count(.connected(one, .access, peer: peer))
        metrics.count(.connected(other, nil, peer: peer))
        metrics.count(.measured(one, dBm: -60))
        metrics.count(.near(one, median: -60))
        metrics.count(.refused(.link(other), .tooFar(median: -90)))
        // The slot is given to a link of another mode.
        metrics.count(.connected(LinkID(slot: 0, generation: 3), .classic, peer: peer))
        metrics.count(.refused(.link(LinkID(slot: 0, generation: 3)), .wellUnder(last: -99)))
        metrics.count(.refused(.link(LinkID(slot: 0, generation: 3)), .idle))
        // A slot that no host has does not trap.
        metrics.count(.connected(LinkID(slot: 9999, generation: 4), .onTouch, peer: peer))
        metrics.count(.near(LinkID(slot: 9999, generation: 4), median: -40))

        #expect(metrics.links == [1, 1, 1, 0, 0, 0, 1])
        // classic, on-touch, access, access-ibeacon, pkoc, aliro, unknown;
        // near, too-far, well-under, path-loss, power-unknown.
        #expect(
            metrics.gates
                == [0, 0, 1, 0, 0] + [0, 0, 0, 0, 0] + [1, 0, 0, 0, 0] + [0, 0, 0, 0, 0] + [0, 0, 0, 0, 0]
                + [0, 0, 0, 0, 0] + [1, 1, 0, 0, 0])
        #expect(metrics.refusals["too-far"] == 1 && metrics.refusals["well-under"] == 1)
        #expect(metrics.refusals["idle"] == 1 && metrics.refusals["pool-full"] == 0)
        #expect(metrics.rssi.total == 1 && metrics.rssi.sum == -60)
    }

    /// Every refusal has a counter from the start, so that a monitor sees zeros and not nothing.
    @Test func everyRefusalHasACounter() {
        let all: [Refusal] = [
            .tooFar(median: nil), .wellUnder(last: 0), .pathLoss(median: 0), .powerUnknown, .powerUnavailable, .idle,
            .poolFull, .backingOff, .rssiUnavailable,
            .earlyDataExceeded,
            .lifetimeExceeded, .evicted, .replaced, .surveyed, .outdated,
        ]
        let metrics = ReaderMetrics()
        #expect(Set(metrics.refusals.keys) == Set(all.map(\.name)))
    }

    /// Cards are counted by the reason, from their protocol and from the decision; phones are not.
    @Test func refusedCardsAreCountedByReason() {
        var metrics = ReaderMetrics()
        #expect(Set(CardRefusal.allCases.map(\.rawValue)) == Set(metrics.refusedCards.keys))
        #expect(metrics.refusedCards.values.allSatisfy { $0 == 0 })
        metrics.count(.cardRefused(.tap(1), .pkoc, .proof))
        var decision = CredentialDecision(.pkoc, of: nil, .denied(.notListed))
        metrics.count(.decided(.tap(2), decision, .ok))
        decision.card = CardEvidence(kind: .pkoc, identity: [])
        for outcome: CredentialDecision.Outcome in [
            .denied(.notListed), .denied(.validity), .failed(.storageFull), .failed(.unavailable),
            .granted(.defaultTime),
        ] {
            decision.outcome = outcome
            metrics.count(.decided(.tap(3), decision, decision.status))
        }
        #expect(
            metrics.refusedCards.filter { $0.value > 0 } == [
                "invalid-proof": 1, "not-listed": 1, "outside-its-validity": 1, "log-full": 1, "not-recorded": 1,
            ])
    }

    @Test func sessionsControllerAndDecisions() {
        var metrics = ReaderMetrics()
        let link = LinkID(slot: 1, generation: 1)
        metrics.count(.executed(.link(link), credential: "C", command: "tokn", .ok))
        metrics.count(.executed(.link(link), credential: "C", command: "tokn", .ok))
        metrics.count(.messageRefused(.link(link), .unavailable, told: false))
        #expect(metrics.sessions == [.ok: 2, .unavailable: 1])
        metrics.count(.controllerFailed(.transportLost))
        #expect(metrics.controllerFault == .transportLost && metrics.controllerFailures == 1)
        metrics.count(.advertising(.on))
        #expect(metrics.isAdvertising && !metrics.isControllerReady)
        metrics.count(.denied)
        metrics.count(.granted)
        metrics.count(.granted)
        #expect(metrics.decisions == [2, 1, 0])
        metrics.count(latency: .microseconds(400))
        metrics.count(latency: .seconds(9))
        metrics.count(latency: .seconds(-1))
        #expect(metrics.latency.counts == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    }
}
