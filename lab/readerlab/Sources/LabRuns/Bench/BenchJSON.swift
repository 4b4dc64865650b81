// SPDX-License-Identifier: Apache-2.0

import Demo
package import LoadGenerator

/// A report as JSON. Figures that were not measured are omitted.
package enum BenchJSON {
    package static func text(_ report: LoadReport) throws -> String {
        try JSONText.line([
            "bring-up-ms": report.bringUp?.milliseconds, "bring-up-commands": report.bringUp?.commands,
            "connect-ms": report.bringUp?.connectMilliseconds, "tests": report.results.map(fields),
            "fault": report.fault.map { "\($0)" },
        ])
    }

    private static func fields(_ result: TestResult) -> SortedJSON {
        [
            "test": result.test.rawValue, "phones": result.phones, "operations": result.operations,
            "seconds": result.seconds, "per-second": result.perSecond, "failures": result.failures,
            "cut-short": result.wasCutShort, "n": result.latencies?.count, "p50-us": result.latencies?.median,
            "p99-us": result.latencies?.p99, "maximum-us": result.latencies?.maximum,
            "host-cpu-us": result.hostMicroseconds, "generator-cpu-us": result.generatorMicroseconds,
            "allocations": result.allocations, "resident-kB": result.residentKilobytes,
            "grown-kB": result.grownKilobytes, "link-fewest": result.share?.lowerBound,
            "link-most": result.share?.upperBound,
        ]
    }
}
