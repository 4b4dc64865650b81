// SPDX-License-Identifier: Apache-2.0

import Peripheral
import SeededNumbers
import Testing
import Timekeeping

@testable import VirtualRadio

@Suite("Propagation: path loss, fading, sway, against recorded signal strengths")
struct PropagationTests {
    @Test("decibels and decay agree with known values")
    func arithmetic() {
        for (power, decibels) in [(1, 0), (2, 3.010_299_957), (10, 10), (0.5, -3.010_299_957), (1e-6, -60), (1e9, 90)] {
            #expect(abs(Decibel.of(power: power) - decibels) < 1e-6)
        }
        for (exponent, value) in [(0, 1), (1, 0.367_879_441), (0.01, 0.990_049_834), (20, 2.061_153_6e-9), (80, 0)] {
            #expect(abs(Decibel.decay(exponent) - value) < 1e-8)
        }
    }

    @Test("the mean level falls by the exponent with each tenfold distance, and by the carry's loss")
    func meanLevel() {
        let hand = Propagation(levelAtOneMetre: -50, exponent: 2.4)
        #expect(abs(hand.level(at: 1) + 50) < 1e-9)
        #expect(abs(hand.level(at: 10) + 74) < 1e-9)
        #expect(hand.level(at: 0) == hand.level(at: Propagation.nearest))
        #expect(Propagation(carry: .pocket).level(at: 1) == -57.5)
    }

    /// Takes like those of mitll-static-nrf52.csv: 130 of 7.8 s, standing at 1.83 m, a packet in some 66 ms.
    private func modelled() -> TraceStatistics {
        var gaps = SeededGenerator(seed: 5)
        return TraceStatistics(
            (0..<130).map { take in
                var fading = Fading(SeededGenerator(seed: UInt64(take)), shadowing: 4.5)
                var now = Instant.origin
                return (0..<118).map { _ in
                    now = now + .milliseconds(30 + Int64(gaps.below(72)))
                    let channel = Fading.Channel.advertising(Int(gaps.below(3)))
                    let deviation = fading.deviation(on: channel, metres: 1.83, at: now)
                    return (Double(now.nanoseconds) / 1e9, (-58 + deviation).rounded())
                }
            })
    }

    @Test("percentiles within 2 dB and autocorrelation within 0.1 of recorded takes")
    func distribution() throws {
        let (real, model) = (TraceStatistics(try TraceStatistics.recorded("mitll-static-nrf52.csv")), modelled())
        for share in [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99] {
            let (wanted, got) = (real.percentile(share), model.percentile(share))
            #expect(abs(wanted - got) <= 2, "percentile \(share): recorded \(wanted) dB, modelled \(got) dB")
        }
        for lag in [0.03, 0.1, 0.2, 0.4, 0.8] {
            let (wanted, got) = (real.autocorrelation(lag), model.autocorrelation(lag))
            #expect(abs(wanted - got) <= 0.1, "at \(lag) s: recorded \(wanted), modelled \(got)")
        }
    }

    /// Across the street nobody is received as at the door: sway and shadowing end at the line of sight, 10 dB above
    /// the mean, and the constant and the scattered part of a fade seldom add up to more than 6 dB.
    @Test("the level ends at the line of sight, but for fading")
    func noLevelBeyondTheLineOfSight() {
        var (highest, beyond) = (-Double.infinity, 0)
        for person in 0..<2000 as Range<UInt64> {
            var fading = Fading(SeededGenerator(seed: person), shadowing: 4.5)
            for packet in 0..<50 {
                let now = Instant.origin + .milliseconds(400 * packet)
                let deviation = fading.deviation(on: .data(UInt8(packet * 5 % 37)), metres: 40, at: now)
                highest = max(highest, deviation)
                if deviation > 16 { beyond += 1 }
            }
        }
        #expect(highest < 22 && beyond < 50, "\(highest) dB, \(beyond) of 100000 packets beyond 16 dB")
    }

    @Test("a tenth of a metre brings another fade, a tenth of a second does not")
    func movement() {
        func correlation(_ metres: Double, _ time: Duration) -> Double {
            var (products, squares) = (0.0, 0.0)
            for seed in 0..<400 as Range<UInt64> {
                var fading = Fading(SeededGenerator(seed: seed), shadowing: 0)
                let levels = [0, 1].map { step in
                    // The mean over many packets removes the receiver's error.
                    (0..<64).reduce(0) { sum, packet in
                        let deviation = fading.deviation(
                            on: .advertising(packet), metres: 1 + metres * Double(step), at: .origin + time * step)
                        return sum + deviation / 64
                    }
                }
                products += levels[0] * levels[1]
                squares += levels[0] * levels[0]
            }
            return products / squares
        }
        #expect(correlation(0, .milliseconds(100)) > 0.85)
        #expect(correlation(0.25, .milliseconds(100)) < correlation(0, .milliseconds(100)) - 0.05)
    }

    /// Standing still, packets of one channel fade alike, those of another not: its levels are elsewhere (facts of
    /// BabbleSim's indoor channel: a coherence bandwidth of 13 MHz).
    @Test("a channel keeps its fade, and another one has another")
    func channelsFadeApart() {
        func spread(_ channels: (Int) -> Fading.Channel) -> Double {
            (0..<200 as Range<UInt64>).reduce(0) { sum, seed in
                var fading = Fading(SeededGenerator(seed: seed), shadowing: 0)
                let levels = (0..<9).map { packet in
                    fading.deviation(on: channels(packet), metres: 2, at: .origin + .milliseconds(packet))
                }
                return sum + ((levels.max() ?? 0) - (levels.min() ?? 0)) / 200
            }
        }
        let (same, three) = (spread { _ in .advertising(1) }, spread { .advertising($0) })
        let groups = spread { .data(UInt8($0 * 4)) }
        #expect(same < 3 && three > same + 2 && groups > three, "\(same), \(three), \(groups) dB")
    }

    /// An antenna sends as it receives: what differs between the two directions is the receivers' error.
    @Test("both directions of a path fade alike")
    func reciprocity() {
        let air = Air(seed: 4)
        let (one, other) = (
            air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1000)),
            air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1001))
        )
        for (from, to) in [(one, other), (other, one)] {
            air.approach(from: from, to: to, metres: (9, 1), duration: .seconds(6))
        }
        var levels: Set<Int> = []
        for step in 0..<200 {
            air.advance(to: .origin + .milliseconds(30 * step))
            let channel = Fading.Channel.data(UInt8(step * 5 % 37))
            let there = Int(air.reception(from: one, to: other, on: channel) ?? 0)
            let back = Int(air.reception(from: other, to: one, on: channel) ?? 0)
            #expect(abs(there - back) <= 5)
            levels.insert(there)
        }
        #expect(levels.count > 15)
    }

    @Test("a path of the air is the model's, repeats from its seed, and does not shift the others")
    func air() {
        func levels(seed: UInt64, others: Int) -> [Int8?] {
            let air = Air(seed: seed)
            let controllers = (0..<3 as Range<UInt64>).map {
                air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1000 + $0))
            }
            air.approach(from: controllers[0], to: controllers[1], metres: (8, 0.5), duration: .seconds(6))
            air.approach(from: controllers[2], to: controllers[1], metres: (3, 3), duration: .zero)
            return (0..<60).map { step in
                air.advance(to: .origin + .milliseconds(100 * step))
                for _ in 0..<others { _ = air.reception(from: controllers[2], to: controllers[1], on: .data(0)) }
                return air.reception(from: controllers[0], to: controllers[1], on: .data(UInt8(step % 37)))
            }
        }
        #expect(levels(seed: 1, others: 0) == levels(seed: 1, others: 5))
        #expect(levels(seed: 1, others: 0) != levels(seed: 2, others: 0))
        let walk = levels(seed: 1, others: 0).compactMap(\.self).map(Int.init)
        let (far, near) = (walk.prefix(10).reduce(0, +), walk.suffix(10).reduce(0, +))
        #expect(near > far + 80)
    }
}
