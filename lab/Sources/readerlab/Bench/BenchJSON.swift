// SPDX-License-Identifier: Apache-2.0

import Demo
import LoadGenerator

/// A report as JSON. Figures that were not measured are omitted.
enum BenchJSON {
    private struct Report: Encodable {
        var bringUpMilliseconds: Double?
        var bringUpCommands: Int?
        var connectMilliseconds: Double?
        var tests: [Result]
        var fault: String?

        enum CodingKeys: String, CodingKey {
            case bringUpMilliseconds = "bring-up-ms"
            case bringUpCommands = "bring-up-commands"
            case connectMilliseconds = "connect-ms"
            case tests, fault
        }
    }

    private struct Result: Encodable {
        var result: TestResult

        enum CodingKeys: String, CodingKey {
            case test, phones, operations, seconds, failures, allocations
            case measured = "n"
            case perSecond = "per-second"
            case median = "p50-us"
            case p99 = "p99-us"
            case maximum = "maximum-us"
            case host = "host-cpu-us"
            case generator = "generator-cpu-us"
            case resident = "resident-kB"
            case grown = "grown-kB"
            case fewest = "link-fewest"
            case most = "link-most"
            case wasCutShort = "cut-short"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(result.test.rawValue, forKey: .test)
            try container.encode(result.phones, forKey: .phones)
            try container.encode(result.operations, forKey: .operations)
            try container.encode(result.seconds, forKey: .seconds)
            try container.encode(result.perSecond, forKey: .perSecond)
            try container.encode(result.failures, forKey: .failures)
            try container.encode(result.wasCutShort, forKey: .wasCutShort)
            try container.encodeIfPresent(result.latencies?.count, forKey: .measured)
            try container.encodeIfPresent(result.latencies?.median, forKey: .median)
            try container.encodeIfPresent(result.latencies?.p99, forKey: .p99)
            try container.encodeIfPresent(result.latencies?.maximum, forKey: .maximum)
            try container.encodeIfPresent(result.hostMicroseconds, forKey: .host)
            try container.encodeIfPresent(result.generatorMicroseconds, forKey: .generator)
            try container.encodeIfPresent(result.allocations, forKey: .allocations)
            try container.encodeIfPresent(result.residentKilobytes, forKey: .resident)
            try container.encodeIfPresent(result.grownKilobytes, forKey: .grown)
            try container.encodeIfPresent(result.share?.lowerBound, forKey: .fewest)
            try container.encodeIfPresent(result.share?.upperBound, forKey: .most)
        }
    }

    static func text(_ report: LoadReport) throws -> String {
        let bringUp = report.bringUp
        let value = Report(
            bringUpMilliseconds: bringUp?.milliseconds, bringUpCommands: bringUp?.commands,
            connectMilliseconds: bringUp?.connectMilliseconds, tests: report.results.map { Result(result: $0) },
            fault: report.fault.map { "\($0)" })
        return try JSONText.line(value)
    }
}
