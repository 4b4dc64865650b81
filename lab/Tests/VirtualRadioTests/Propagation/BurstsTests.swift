// SPDX-License-Identifier: Apache-2.0

import Peripheral
import SeededNumbers
import Testing
import Timekeeping

@testable import VirtualRadio

/// Interference in bursts.
@Suite struct BurstsTests {
    /// The lengths of bursts in ms, and the share of time that they take.
    private func measure(_ share: Double) -> (lengths: [Int], share: Double) {
        var bursts = Bursts(share: share, SeededGenerator(seed: 8), at: .origin)
        var (lengths, covered, length) = ([Int](), 0, 0)
        for millisecond in 0..<200_000 {
            if bursts.cover(.origin + .milliseconds(millisecond)) {
                covered += 1
                length += 1
            } else if length > 0 {
                lengths.append(length)
                length = 0
            }
        }
        return (lengths, Double(covered) / 200_000)
    }

    @Test(arguments: [0.1, 0.33, 0.9])
    func burstsAreOfOneToThreeEventsAndTakeTheirShare(_ share: Double) {
        let measured = measure(share)
        #expect(abs(measured.share - share) < 0.03)
        // Sampled each millisecond.
        #expect(measured.lengths.allSatisfy { (29...91).contains($0) })
        #expect((measured.lengths.max() ?? 0) > 80 && (measured.lengths.min() ?? 0) < 40)
    }

    /// Packets are lost in runs of several connection events, and not one by one; without interference none is.
    @Test func lossesComeInRuns() {
        let air = Air(seed: 2)
        let (one, other) = (
            air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1000)),
            air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0x1001))
        )
        func lost(_ share: Double) -> [Bool] {
            air.setInterference(at: one, share: share)
            return (0..<2000).map { _ in
                air.advance(to: air.now + .milliseconds(30))
                return air.reception(from: other, to: one, on: .data(1)) == nil
            }
        }
        #expect(!lost(0).contains(true))
        let all = lost(0.3)
        let count = all.count { $0 }
        #expect((480...720).contains(count))
        // Alone, a loss would be followed by another one as often as any packet is lost.
        let followed = zip(all, all.dropFirst()).count { $0 && $1 }
        #expect(Double(followed) / Double(count) > 0.4)
    }
}
