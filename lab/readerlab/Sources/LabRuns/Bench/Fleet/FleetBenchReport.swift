// SPDX-License-Identifier: Apache-2.0

import Console
import Commands
import Demo
package import LabReport
import Reader
import Statistics

/// The measurements of many links at a broker.
package struct FleetBenchReport: Encodable {
    /// The connection of all links, at the first start or after the broker's restart.
    struct Arrival: Encodable {
        /// Seconds from the broker's start until the last link was connected.
        var seconds: Double
        /// Seconds until 99 of 100 links were connected; the others may wait long for another attempt.
        var nearly: Double
        /// The maximum number of connections that the broker accepted within a second.
        var peak: Int
        /// The number of attempts.
        var attempts: Int
        /// Processor time of the broker for each link, in microseconds.
        var processor: Double?
        /// Resident memory of the broker for each link at its end, in kilobytes; nil after a storm.
        var memory: Double?

        enum CodingKeys: String, CodingKey {
            case seconds, attempts
            case nearly = "seconds-99-percent"
            case peak = "connections-per-second-most"
            case processor = "broker-cpu-us-per-link"
            case memory = "broker-kB-per-link"
        }
    }

    /// The phase with events.
    struct Traffic: Encodable {
        /// The number of events.
        var events: Int
        /// The number of events that arrived at the back end.
        var arrived: Int
        /// The median of the times to the back end in milliseconds.
        var median: Double?
        var p99: Double?
        /// Processor time of the broker for each event, in microseconds: batch, acknowledgements and mark.
        var processor: Double?

        enum CodingKeys: String, CodingKey {
            case events, arrived
            case median = "p50-ms"
            case p99 = "p99-ms"
            case processor = "broker-cpu-us-per-event"
        }
    }

    package var links: Int
    var isTLS: Bool
    package var spread: Int
    var rise: Arrival?
    var traffic: Traffic?
    var storm: Arrival?
    /// The broker's resident memory at the end, in kilobytes.
    var resident: Int?
    /// The fault that ended the run early.
    package var fault: String?
    package var isInterrupted = false

    package enum CodingKeys: String, CodingKey {
        case links, spread, rise, traffic, storm, fault
        case isTLS = "tls"
        case resident = "broker-resident-kB"
    }

    /// The report as JSON.
    package func json() throws -> String { try JSONText.line(self) }

    /// The report as a table.
    package var lines: [String] {
        var rows = [["", "99 % s", "all s", "attempts", "most conn/s", "broker CPU us/link", "broker kB/link"]]
        for (name, arrival) in [("start", rise), ("storm", storm)] {
            guard let arrival else { continue }
            rows.append([
                name, DecimalText.of(arrival.nearly, 1), DecimalText.of(arrival.seconds, 1),
                "\(arrival.attempts)", "\(arrival.peak)",
                DecimalText.of(arrival.processor, 0), DecimalText.of(arrival.memory, 1),
            ])
        }
        var lines = ["\(links) links, \(isTLS ? "TLS" : "no TLS"), spread over \(spread) s", ""]
        if rows.count > 1 { lines += TextTable.aligned(rows) }
        if let traffic {
            lines += [
                "",
                "events: \(traffic.arrived) of \(traffic.events) at the back end, p50 "
                    + "\(DecimalText.of(traffic.median, 1)) ms, p99 "
                    + "\(TextTable.percentile(traffic.p99, 1)) ms, broker CPU "
                    + "\(DecimalText.of(traffic.processor, 0)) us each",
            ]
        }
        if let resident { lines.append("broker: \(resident) kB resident at the end") }
        if let fault { lines.append("error: \(fault)") }
        return lines
    }

    /// The report as a run of the lab.
    package func run(command: String) -> LabRun {
        var run = LabRun(
            suite: "bench fleet", version: FirmwareVersion.text, command: command, occasion: RunOccasion.now())
        run.isInterrupted = isInterrupted
        for (name, arrival) in [("start", rise), ("storm", storm)] {
            guard let arrival else { continue }
            var one = LabCase("bench.fleet", name, seconds: arrival.seconds)
            one.metrics = [LabMetric("99 % there", arrival.nearly, "s", count: links)]
            if let time = arrival.processor { one.metrics.append(LabMetric("broker CPU", time, "us", count: links)) }
            if let memory = arrival.memory {
                one.metrics.append(LabMetric("broker memory", memory, "kB", count: links))
            }
            run.cases.append(one)
        }
        if let traffic {
            var one = LabCase("bench.fleet", "events")
            if traffic.arrived < traffic.events {
                one.result = .failed(
                    type: "lost", message: "\(traffic.events - traffic.arrived) events did not arrive", text: "")
            }
            if let median = traffic.median {
                one.metrics.append(LabMetric("p50", median, "ms", count: traffic.arrived))
            }
            run.cases.append(one)
        }
        if let fault {
            run.cases.append(LabCase("bench.fleet", "run", .error(type: "fault", message: fault, text: "")))
        }
        return run
    }
}
