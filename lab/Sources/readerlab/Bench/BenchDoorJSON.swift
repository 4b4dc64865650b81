// SPDX-License-Identifier: Apache-2.0

import Demo
import LoadGenerator

/// A report as JSON. Figures that were not measured are omitted.
enum BenchDoorJSON {
    private struct Report: Encodable {
        var phones: Int
        var openings: [Opening]
        var parts: [Part]
        var memory: Memory?
        var fault: String?
    }

    private struct Memory: Encodable {
        var resident: Int
        var proportional: Int
        var own: Int

        init(_ memory: HostMemory) {
            (resident, proportional, own) = (memory.resident, memory.proportional, memory.own)
        }

        enum CodingKeys: String, CodingKey {
            case resident = "resident-kB"
            case proportional = "proportional-kB"
            case own = "own-kB"
        }
    }

    private struct Times: Encodable {
        var n: Int
        var p50: Double
        /// Nil for too few measurements.
        var p99: Double?
        var maximum: Double

        init(_ summary: LatencySummary) {
            (n, p50, p99, maximum) = (summary.count, summary.median, summary.p99, summary.maximum)
        }
    }

    private struct Allocations: Encodable {
        var serving: Double
        var disk: Double
        var libcrypto: Double
        /// The medians of ten parts of the run.
        var steady: Double

        init(_ report: AllocationReport) {
            (serving, disk, libcrypto) = (report.mean.serving, report.mean.disk, report.mean.libcrypto)
            steady = report.steady.serving
        }

        enum CodingKeys: String, CodingKey {
            case serving, disk, libcrypto
            case steady = "serving-steady"
        }
    }

    private struct Opening: Encodable {
        var opening: String
        var edge: Times
        var wake: Times
        var inside: Times
        var bare: Times
        var insideProcessor: Times
        var bareProcessor: Times
        var answer: Times
        /// The values of `inside` and `bare` for each tenth of the openings.
        var quotients: [Double]
        var processor: Double?
        var allocations: Allocations?

        enum CodingKeys: String, CodingKey {
            case opening, edge, wake, inside, bare, answer, quotients, allocations
            case insideProcessor = "inside-cpu"
            case bareProcessor = "bare-cpu"
            case processor = "host-cpu-us"
        }
    }

    private struct Part: Encodable {
        var part: String
        var count: Int
        var allocations: Allocations?
    }

    static func text(_ report: DoorReport) throws -> String {
        let value = Report(
            phones: report.phones,
            openings: report.openings.map {
                Opening(
                    opening: $0.opening.rawValue, edge: Times($0.edge), wake: Times($0.wake), inside: Times($0.inside),
                    bare: Times($0.bare), insideProcessor: Times($0.insideProcessor),
                    bareProcessor: Times($0.bareProcessor), answer: Times($0.answer), quotients: $0.rounds,
                    processor: $0.hostMicroseconds, allocations: $0.allocations.map(Allocations.init))
            },
            parts: report.parts.map {
                Part(part: $0.part.rawValue, count: $0.count, allocations: $0.allocations.map(Allocations.init))
            },
            memory: report.memory.map(Memory.init), fault: report.fault.map { "\($0)" })
        return try JSONText.line(value)
    }
}
