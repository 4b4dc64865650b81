// SPDX-License-Identifier: Apache-2.0

import Demo
package import LoadGenerator

/// A report as JSON. Figures that were not measured are omitted.
package enum BenchDoorJSON {
    package static func text(_ report: DoorReport) throws -> String {
        try JSONText.line([
            "phones": report.phones, "openings": report.openings.map(fields), "parts": report.parts.map(fields),
            "memory": report.memory.map(fields), "fault": report.fault.map { "\($0)" },
        ])
    }

    private static func fields(_ opening: OpeningResult) -> SortedJSON {
        [
            "opening": opening.opening.rawValue, "edge": fields(opening.edge), "wake": fields(opening.wake),
            "inside": fields(opening.inside), "bare": fields(opening.bare),
            "inside-cpu": fields(opening.insideProcessor), "bare-cpu": fields(opening.bareProcessor),
            "answer": fields(opening.answer),
            // The quotient of `inside` and `bare`, and that of each tenth of the openings.
            "quotient": opening.quotient, "quotients": opening.rounds, "host-cpu-us": opening.hostMicroseconds,
            "allocations": opening.allocations.map(fields),
        ]
    }

    private static func fields(_ part: PartResult) -> SortedJSON {
        ["part": part.part.rawValue, "count": part.count, "allocations": part.allocations.map(fields)]
    }

    /// The quantiles of a summary; `p99` is omitted for too few measurements.
    private static func fields(_ summary: LatencySummary) -> SortedJSON {
        ["n": summary.count, "p50": summary.median, "p99": summary.p99, "maximum": summary.maximum]
    }

    private static func fields(_ report: AllocationReport) -> SortedJSON {
        [
            "serving": report.mean.serving, "disk": report.mean.disk, "libcrypto": report.mean.libcrypto,
            // The median of ten parts of the run.
            "serving-steady": report.steady.serving,
        ]
    }

    private static func fields(_ memory: HostMemory) -> SortedJSON {
        ["resident-kB": memory.resident, "proportional-kB": memory.proportional, "own-kB": memory.own]
    }
}
