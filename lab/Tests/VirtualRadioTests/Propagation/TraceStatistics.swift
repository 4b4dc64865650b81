// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The variation of signal strengths around the mean of their take, as one distribution over many takes.
struct TraceStatistics {
    /// One packet: time in seconds, level in dBm.
    typealias Packet = (seconds: Double, level: Double)

    private var residuals: [[Packet]]

    init(_ takes: [[Packet]]) {
        residuals = takes.map { take in
            let mean = take.reduce(0) { $0 + $1.level } / Double(take.count)
            return take.map { ($0.seconds, $0.level - mean) }
        }
    }

    /// The residual that this share of the packets is below, in dB.
    func percentile(_ share: Double) -> Double {
        let all = residuals.joined().map(\.level).sorted()
        return all[min(all.count - 1, Int(share * Double(all.count)))]
    }

    /// The correlation of packets that are `seconds` apart, to half an interval of 30 ms.
    func autocorrelation(_ seconds: Double) -> Double {
        var (products, pairs) = (0.0, 0)
        for take in residuals {
            var later = 0
            for packet in take {
                while later < take.count, take[later].seconds < packet.seconds + seconds - 0.015 { later += 1 }
                guard later < take.count, take[later].seconds < packet.seconds + seconds + 0.015 else { continue }
                products += packet.level * take[later].level
                pairs += 1
            }
        }
        let all = residuals.joined()
        let variance = all.reduce(0) { $0 + $1.level * $1.level } / Double(all.count)
        return products / Double(pairs) / variance
    }

    /// The takes of a file in lab/Traces.
    static func recorded(_ name: String) throws -> [[Packet]] {
        var lab = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { lab.deleteLastPathComponent() }
        let text = try String(contentsOf: lab.appendingPathComponent("Traces/\(name)"), encoding: .utf8)
        var takes: [Substring: [Packet]] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let seconds = Double(fields[1]), let level = Double(fields[4]) else { continue }
            takes[fields[0], default: []].append((seconds, level))
        }
        return takes.sorted { $0.key < $1.key }.map(\.value)
    }
}
