// SPDX-License-Identifier: Apache-2.0

package import LabReport
package import LoadGenerator
import Reader
import Statistics

/// Reports of benches as runs of the lab.
package enum BenchRuns {
    /// The run of a load.
    package static func run(_ report: LoadReport, command: String) -> LabRun {
        let suite = "bench host"
        var run = LabRun(
            suite: suite, version: FirmwareVersion.text, command: command, occasion: RunOccasion.now())
        run.isInterrupted = report.isInterrupted
        run.cases = report.results.map { result in
            var one = LabCase("bench.host", result.test.rawValue, seconds: result.seconds)
            if result.failures > 0 {
                one.result = .failed(
                    type: "wrong", message: "\(result.failures) of \(result.operations) were answered wrongly", text: ""
                )
            } else if result.wasCutShort {
                one.output = "the time was over before the operations were; see --seconds"
            }
            one.metrics = figures(result)
            return one
        }
        if let fault = report.fault { run.cases.append(error("bench.host", fault)) }
        if let bringUp = report.bringUp {
            run.metrics = [
                LabMetric("bring-up", bringUp.milliseconds, "ms", count: 1),
                LabMetric("connect", bringUp.connectMilliseconds, "ms", count: 1),
            ]
        }
        run.tables = report.results.isEmpty ? [] : [LabTable("Tests", BenchTableText.rows(report))]
        return run
    }

    /// The run of a door.
    package static func run(_ report: DoorReport, command: String) -> LabRun {
        var run = LabRun(
            suite: "bench door", version: FirmwareVersion.text, command: command, occasion: RunOccasion.now())
        run.isInterrupted = report.isInterrupted
        run.cases = report.openings.map { result in
            var one = LabCase("bench.door", result.opening.rawValue)
            let times = [
                ("edge", result.edge), ("wake", result.wake), ("inside", result.inside), ("bare", result.bare),
                ("answer", result.answer),
            ]
            one.metrics = times.flatMap { latencies($0.1, $0.0) }
            if let mean = result.allocations?.mean.serving {
                one.metrics.append(LabMetric("allocations", mean, "", count: result.edge.count))
            }
            return one
        }
        run.cases += report.parts.map { part in
            var one = LabCase("bench.door", part.part.rawValue)
            if let mean = part.allocations?.mean.serving {
                one.metrics = [LabMetric("allocations", mean, "", count: part.count)]
            }
            return one
        }
        if let fault = report.fault { run.cases.append(error("bench.door", fault)) }
        if let memory = report.memory { run.metrics = [LabMetric("own memory", Double(memory.own), "kB", count: 1)] }
        return run
    }

    private static func error(_ className: String, _ fault: LoadFault) -> LabCase {
        LabCase(className, "run", .error(type: "fault", message: "\(fault)", text: ""))
    }

    private static func figures(_ result: TestResult) -> [LabMetric] {
        let count = result.operations
        var metrics = [LabMetric("rate", result.perSecond, "1/s", count: count, isLessBetter: false)]
        if let times = result.latencies { metrics += latencies(times, "") }
        if let host = result.hostMicroseconds { metrics.append(LabMetric("host CPU", host, "us", count: count)) }
        if let allocations = result.allocations {
            metrics.append(LabMetric("allocations", allocations, "", count: count))
        }
        return metrics
    }

    /// The quantiles of a summary.
    private static func latencies(_ summary: LatencySummary, _ name: String) -> [LabMetric] {
        func metric(_ quantile: Quantile, _ value: Double, _ interval: ClosedRange<Double>?) -> LabMetric {
            LabMetric(
                name.isEmpty ? quantile.name : "\(name) \(quantile.name)", value, "us", interval: interval,
                count: summary.count)
        }
        return [metric(.median, summary.median, summary.medianInterval)]
            + (summary.p99.map { [metric(.p99, $0, summary.p99Interval)] } ?? [])
    }
}
