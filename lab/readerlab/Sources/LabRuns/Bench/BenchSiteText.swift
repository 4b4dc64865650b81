// SPDX-License-Identifier: Apache-2.0

import Console
import Commands
import Emulation
import JSON
import Phone
import Scenario
import Statistics
import Timekeeping

/// The bench of a site as tables and as JSON.
package enum BenchSiteText {
    private static let peopleHead = ["phones", "links", "runs", "people a minute", "95 % interval"]
    private static let edgeHead = [
        "phone", "interval", "opened", "p50 ms", "95 % interval", "p90 ms", "p99 ms",
    ]

    package static func lines(_ bench: SiteBench) -> [String] {
        var parts: [[String]] = []
        if !bench.people.isEmpty { parts.append(TextTable.aligned(peopleRows(bench))) }
        if !bench.edges.isEmpty { parts.append(TextTable.aligned(edgeRows(bench))) }
        return Array(parts.joined(separator: [""]))
    }

    /// The head and the rows of people per minute.
    static func peopleRows(_ bench: SiteBench) -> [[String]] {
        [peopleHead]
            + bench.people.map { row in
                [
                    row.preset.name, "\(row.links)", "\(row.perMinute.count)",
                    DecimalText.of(row.perMinute[.median], 0), interval(row.perMinute),
                ]
            }
    }

    /// The head and the rows of times to the edge.
    static func edgeRows(_ bench: SiteBench) -> [[String]] {
        [edgeHead]
            + bench.edges.map { row in
                [
                    row.preset.name, "\(row.interval.wholeMilliseconds) ms", "\(row.times.count) of \(row.count)",
                    DecimalText.of(row.times[.median], 0), interval(row.times),
                    TextTable.percentile(row.times[.p90], 0), TextTable.percentile(row.times[.p99], 0),
                ]
            }
    }

    private static func interval(_ values: Distribution<Double>) -> String {
        guard let interval = values.interval(.median) else { return Quantile.tooFew }
        let low = DecimalText.of(interval.lowerBound, 0)
        return "\(low) to \(DecimalText.of(interval.upperBound, 0))"
    }

    package static func json(_ bench: SiteBench) -> String {
        (["people": bench.people.map(json), "edge": bench.edges.map(json)] as JSONObject).text
    }

    private static func json(_ row: PeopleBench) -> JSONObject {
        var object: JSONObject = ["phone": row.preset.name, "links": row.links, "runs": row.perMinute.count]
        add(row.perMinute, [.median], "per-minute-", to: &object)
        return object
    }

    private static func json(_ row: EdgeBench) -> JSONObject {
        var object: JSONObject = [
            "phone": row.preset.name, "interval-ms": row.interval.wholeMilliseconds, "runs": row.count,
            "opened": row.times.count,
        ]
        add(row.times, Quantile.allCases, "ms-", to: &object)
        return object
    }

    /// Adds the quantiles that the number of values supports.
    private static func add(
        _ values: Distribution<Double>, _ quantiles: [Quantile], _ prefix: String, to object: inout JSONObject
    ) {
        for quantile in quantiles {
            guard let value = values[quantile] else { continue }
            object.add(prefix + quantile.name, json: DecimalText.of(value, 3))
        }
    }
}
