// SPDX-License-Identifier: Apache-2.0

package import LabReport
import Phone
import Reader
import Scenario
import Statistics
import Timekeeping

/// The bench of a site as a run of the lab. It is on virtual time: equal options make equal reports.
package enum BenchSiteRuns {
    package static func run(_ bench: SiteBench, seed: UInt64, command: String) -> LabRun {
        var run = LabRun(suite: "bench site", version: FirmwareVersion.text, command: command, seed: seed)
        run.cases = bench.people.map(one) + bench.edges.map(one)
        for (title, rows, isThere) in [
            ("People per minute", BenchSiteText.peopleRows(bench), !bench.people.isEmpty),
            ("Threshold to edge", BenchSiteText.edgeRows(bench), !bench.edges.isEmpty),
        ] where isThere { run.tables.append(LabTable(title, rows)) }
        run.plots = plots(bench)
        return run
    }

    private static func one(_ row: PeopleBench) -> LabCase {
        var one = LabCase("bench.site.people", "\(row.preset.name), \(row.links) link(s)")
        if let median = row.perMinute[.median] {
            one.metrics = [
                LabMetric(
                    "people a minute", median, "1/min", interval: row.perMinute.interval(.median),
                    count: row.perMinute.count, isLessBetter: false)
            ]
        } else {
            one.result = .skipped("the run ended before it")
        }
        return one
    }

    private static func one(_ row: EdgeBench) -> LabCase {
        var one = LabCase("bench.site.edge", "\(row.preset.name), \(row.interval.wholeMilliseconds) ms")
        one.metrics = LabMetric.quantiles(of: row.times, "", "ms")
        guard let share = Share(row.times.count, of: row.count) else {
            one.result = .skipped("the run ended before it")
            return one
        }
        one.metrics.append(
            LabMetric("opened", share.value, "", interval: share.interval, count: row.count, isLessBetter: false))
        return one
    }

    private static func plots(_ bench: SiteBench) -> [LabPlot] {
        guard let most = bench.people.compactMap({ $0.perMinute[.median] }).max() else { return [] }
        let names = bench.people.map(\.preset.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return [
            LabPlot(
                "People a minute", about: "People who are let in within a minute, over the reader's links.",
                horizontal: LabPlot.Axis("links", marks: PeopleBench.linkCounts.map(Double.init), to: 8),
                vertical: LabPlot.Axis("people a minute", upTo: most),
                curves: names.map { name in
                    LabPlot.Curve(
                        name,
                        bench.people.filter { $0.preset.name == name }.compactMap { row in
                            row.perMinute[.median].map {
                                LabPlot.Point(Double(row.links), $0, row.perMinute.interval(.median))
                            }
                        })
                })
        ]
    }
}
