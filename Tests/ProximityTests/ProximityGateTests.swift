// SPDX-License-Identifier: Apache-2.0

import Proximity
import Testing
import Timekeeping

@Suite struct ProximityGateTests {
    let start = Instant(nanoseconds: 1_000_000_000)

    func gate(
        interval: Duration = .milliseconds(15), _ change: (inout ProximityGate.Configuration) -> Void = { _ in }
    ) -> ProximityGate {
        var configuration = ProximityGate.Configuration()
        change(&configuration)
        return ProximityGate(configuration: configuration, connectionInterval: interval, at: start)
    }

    /// Feeds readings; the verdict and how many it took.
    func verdict(_ readings: [Int8], of gate: ProximityGate) -> (ProximityGate.Verdict?, Int) {
        var gate = gate
        for (index, reading) in readings.enumerated() {
            if let verdict = gate.receive(.rssi(dBm: reading), at: start) { return (verdict, index + 1) }
        }
        return (nil, readings.count)
    }

    @Test func theMedianOfThreeAtTheThresholdOpens() {
        #expect(verdict([-60, -60, -60], of: gate()) == (.near(median: -60), 3))
        #expect(verdict([-40, -90, -59], of: gate()) == (.near(median: -59), 3))
        #expect(verdict([-61, -61, -40, -60], of: gate()) == (.near(median: -60), 4))
    }

    @Test func oneDecibelUnderTheThresholdDoesNot() {
        #expect(verdict([-61, -61, -61, -61, -61, -61], of: gate()) == (nil, 6))
    }

    @Test func fewerReadingsThanTheMedianNeedsNeverOpen() {
        #expect(verdict([-10, -10], of: gate()) == (nil, 2))
        #expect(verdict([-10, -10, -10, -10], of: gate { $0.samples = 5 }) == (nil, 4))
    }

    @Test func ofAnEvenNumberTheWeakerOfTheMiddleCounts() {
        #expect(verdict([-50, -50, -61, -61], of: gate { $0.samples = 4 }) == (nil, 4))
        #expect(verdict([-50, -60, -60, -61], of: gate { $0.samples = 4 }) == (.near(median: -60), 4))
    }

    @Test func threeReadingsInARowFarUnderEndItEarly() {
        #expect(verdict([-75, -76, -75], of: gate()) == (.wellUnder(last: -75), 3))
        #expect(verdict([-75, -75, -74, -75, -75, -80], of: gate()) == (.wellUnder(last: -80), 6))
        #expect(verdict([-74, -74, -74, -74], of: gate()) == (nil, 4))
    }

    @Test func aThresholdAtTheEndOfTheScaleDoesNotTrap() {
        #expect(verdict([-126, -126, -126], of: gate { $0.threshold = -128 }) == (.near(median: -126), 3))
    }

    @Test func sampleCountsOutOfRangeAreHeldInRange() {
        #expect(verdict([-50], of: gate { $0.samples = 0 }) == (.near(median: -50), 1))
        let many = [Int8](repeating: -50, count: 15)
        #expect(verdict(many, of: gate { $0.samples = 200 }) == (.near(median: -50), 15))
    }

    /// Feeds readings with the power of the phone; the verdict and how many it took.
    func verdict(_ readings: [(dBm: Int8, power: Int8?)], limit: Int, samples: Int = 3) -> (ProximityGate.Verdict?, Int)
    {
        var gate = gate {
            $0.maximumPathLoss = limit
            $0.samples = samples
        }
        for (index, reading) in readings.enumerated() {
            let evidence = DistanceEvidence.rssi(dBm: reading.dBm, transmitPower: reading.power)
            if let verdict = gate.receive(evidence, at: start) { return (verdict, index + 1) }
        }
        guard case .decided(let verdict) = gate.advance(to: gate.windowEnd) else { return (nil, readings.count) }
        return (verdict, readings.count)
    }

    @Test func pathLossIsThePowerLessTheRSSI() {
        #expect(DistanceEvidence.rssi(dBm: -60, transmitPower: 4).pathLoss == 64)
        #expect(DistanceEvidence.rssi(dBm: -126, transmitPower: 20).pathLoss == 146)
        #expect(DistanceEvidence.rssi(dBm: -1, transmitPower: -127).pathLoss == -126)
        #expect(DistanceEvidence.rssi(dBm: -60).pathLoss == nil)
    }

    @Test func theMedianPathLossHasToBeWithinTheLimit() {
        #expect(verdict([(-50, 10), (-50, 10), (-50, 10)], limit: 60) == (.near(median: -50), 3))
        #expect(verdict([(-50, 11), (-50, 11), (-50, 11)], limit: 60) == (.pathLoss(median: 61), 3))
        #expect(verdict([(-50, 20), (-50, 0), (-50, 10)], limit: 60) == (.near(median: -50), 3))
        // Of an even number the greater of the middle.
        #expect(
            verdict([(-50, 0), (-50, 10), (-50, 11), (-50, 12)], limit: 60, samples: 4) == (.pathLoss(median: 61), 4))
    }

    /// It tightens: a loss within the limit opens nothing for a phone that is too weak.
    @Test func aSmallPathLossDoesNotReplaceTheThreshold() {
        #expect(verdict([(-61, -127), (-61, -127), (-61, -127)], limit: 60) == (.windowEnded(median: -61), 3))
        #expect(verdict([(-80, -20), (-80, -20), (-80, -20)], limit: 60) == (.wellUnder(last: -80), 3))
    }

    @Test func eachReadingOfTheMedianNeedsAPower() {
        #expect(verdict([(-40, nil), (-40, nil), (-40, nil), (-40, nil)], limit: 146) == (.pathLoss(median: nil), 4))
        #expect(verdict([(-40, 0), (-40, nil), (-40, 0)], limit: 60) == (.pathLoss(median: nil), 3))
        // Told late: the readings from then on count.
        #expect(verdict([(-40, nil), (-40, 0), (-40, 0), (-40, 0)], limit: 60) == (.near(median: -40), 4))
        #expect(
            verdict([(-40, 0), (-40, 0), (-40, nil), (-40, 0), (-40, 0)], limit: 60) == (.pathLoss(median: nil), 5))
    }

    @Test func withoutALimitThePathLossDoesNotMatter() {
        var gate = gate()
        for count in 1...3 {
            let verdict = gate.receive(.rssi(dBm: -50, transmitPower: 20), at: start)
            #expect(verdict == (count == 3 ? .near(median: -50) : nil))
        }
    }

    @Test func readingsAreDueEach25MillisecondsOrConnectionInterval() {
        for (interval, pace) in [(15, 25), (25, 25), (50, 50)] as [(Int, Int)] {
            var gate = gate(interval: .milliseconds(interval))
            var due: [Int64] = []
            for millisecond in 0..<200 {
                let now = start + .milliseconds(millisecond)
                if gate.advance(to: now) == .sample { due.append((now - start).wholeMilliseconds) }
            }
            #expect(due == stride(from: pace, to: 200, by: pace).map(Int64.init))
        }
    }

    @Test func theWindowEndsAfter400Milliseconds() {
        var gate = gate()
        _ = gate.receive(.rssi(dBm: -70), at: start)
        _ = gate.receive(.rssi(dBm: -71), at: start)
        #expect(gate.windowEnd == start + .milliseconds(400))
        #expect(gate.advance(to: start + .milliseconds(399)) == .sample)
        #expect(gate.advance(to: start + .milliseconds(400)) == .decided(.windowEnded(median: nil)))
        _ = gate.receive(.rssi(dBm: -70), at: start)
        #expect(gate.advance(to: start + .milliseconds(401)) == .decided(.windowEnded(median: -70)))
    }

    @Test func aSlowLinkHasALongerWindowButNeverOverASecond() {
        #expect(gate(interval: .milliseconds(150)).windowEnd == start + .milliseconds(600))
        #expect(gate(interval: .seconds(4)).windowEnd == start + .seconds(1))
        var gate = gate()
        gate.connectionIntervalChanged(to: .milliseconds(200))
        #expect(gate.windowEnd == start + .milliseconds(800))
    }

    /// The phone was promised that window when it connected; the host's own wish for a shorter interval is not to cost
    /// it the rest.
    @Test func aShorterIntervalDoesNotShortenTheWindow() {
        var gate = gate(interval: .milliseconds(200))
        #expect(gate.windowEnd == start + .milliseconds(800))
        gate.connectionIntervalChanged(to: .milliseconds(15))
        #expect(gate.windowEnd == start + .milliseconds(800))
        #expect(gate.advance(to: start + .milliseconds(500)) == .sample)
    }

    @Test func theDeadlineIsTheNextReadingOrTheWindowsEnd() {
        var gate = gate(interval: .milliseconds(15))
        #expect(gate.nextDeadline == start + .milliseconds(25))
        _ = gate.advance(to: start + .milliseconds(390))
        #expect(gate.nextDeadline == start + .milliseconds(400))
    }
}
