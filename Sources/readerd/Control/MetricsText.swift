// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import EventStore
import Octets
import Peripheral
import System
import Reader
import Timekeeping

/// Writes metrics in Prometheus text format (exposition format 0.0.4).
struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""

    /// Begins a metric.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP readerd_\(name) \(help)\n# TYPE readerd_\(name) \(kind.rawValue)\n"
    }

    /// Adds a value of the metric, with its labels in this order.
    mutating func value(_ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger) {
        let inside = labels.map { "\($0.0)=\"\(MetricsText.escaped($0.1))\"" }.joined(separator: ",")
        text += "readerd_\(name)\(inside.isEmpty ? "" : "{\(inside)}") \(value)\n"
    }

    /// Adds a metric with a single value.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        begin(name, kind, help)
        self.value(name, [], value)
    }

    /// Adds a histogram; `write` formats its bounds and sum.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram, write: (Int64) -> String) {
        begin(name, .histogram, help)
        var below: UInt64 = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            below &+= count
            value("\(name)_bucket", [("le", write(bound))], below)
        }
        value("\(name)_bucket", [("le", "+Inf")], histogram.total)
        text += "readerd_\(name)_sum \(write(histogram.sum))\n"
        value("\(name)_count", [], histogram.total)
    }

    /// Returns nanoseconds as seconds, without rounding.
    static func seconds(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest != 0 else { return "\(whole)" }
        var digits = rest.magnitude.padded(to: 9)
        while digits.last == "0" { digits.removeLast() }
        return "\(nanoseconds < 0 && whole == 0 ? "-" : "")\(whole).\(digits)"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}

extension MetricsText {
    /// Adds the counters since the start; `servesPhones` as in the status.
    mutating func add(_ metrics: ReaderMetrics, servesPhones: Bool) {
        begin("links_total", .counter, "Connections of phones by mode.")
        for (place, count) in metrics.links.enumerated() {
            value("links_total", [("mode", ReaderMetrics.modeName(place))], count)
        }
        begin("gate_results_total", .counter, "Results of the proximity gate by mode.")
        for place in metrics.links.indices {
            for (column, result) in ReaderMetrics.GateResult.allCases.enumerated() {
                let count = metrics.gates[place * ReaderMetrics.GateResult.allCases.count + column]
                value(
                    "gate_results_total", [("mode", ReaderMetrics.modeName(place)), ("result", result.rawValue)], count)
            }
        }
        begin("refused_links_total", .counter, "Connections closed by the reader, by reason.")
        for (reason, count) in metrics.refusals.sorted(by: { $0.key < $1.key }) {
            value("refused_links_total", [("reason", reason)], count)
        }
        begin("sessions_total", .counter, "Exchanges by status code (0 is success).")
        for (code, count) in metrics.sessions.sorted(by: { $0.key.rawValue > $1.key.rawValue }) {
            value("sessions_total", [("status", "\(code.rawValue)")], count)
        }
        begin("decisions_total", .counter, "Opening attempts of phones by decision.")
        for (decision, count) in zip(ReaderMetrics.Decision.allCases, metrics.decisions) {
            value("decisions_total", [("decision", decision.rawValue)], count)
        }
        single(
            "unanswerable_total", .counter, "Answers that could not be sent to a phone.", metrics.unanswerable)
        single("taps_total", .counter, "Sessions over NFC.", metrics.taps)
        single("controller_starts_total", .counter, "Starts of the controller.", metrics.controllerStarts)
        single(
            "controller_resets_total", .counter, "Resets of the controller after a failure.",
            metrics.controllerFailures)
        single(
            "controller_ready", .gauge, "1 while the controller is ready and phones are served in at least one mode.",
            servesPhones ? 1 : 0)
        single(
            "advertising", .gauge, "1 while the controller has confirmed that it advertises.",
            metrics.isAdvertising ? 1 : 0)
        histogram("rssi_dbm", "RSSI readings of links during verification, in dBm.", metrics.rssi) { "\($0)" }
        histogram(
            "open_latency_seconds", "Time from the last packet of a token to the lock's line, in seconds.",
            metrics.latency, write: MetricsText.seconds)
    }
}

extension ReaderProcess {
    /// All metrics as text for Prometheus.
    var metricsText: String {
        var text = MetricsText()
        text.begin("info", .gauge, "Always 1; the labels name version and device.")
        text.value("info", [("version", FirmwareVersion.text), ("device", setup.deviceID)], 1)
        text.single(
            "uptime_seconds", .gauge, "Run time of the process.",
            (reactor.now - stage.startedAt).wholeMilliseconds / 1000)
        let door = device.reader.doorStatus
        text.begin("door_state", .gauge, "1 for the door's present state.")
        for state in [DoorState.inactive, .secured, .unlocked, .passage, .lockdown] {
            text.value("door_state", [("state", state.rawValue)], state == door.state ? 1 : 0)
        }
        text.single("door_openings_total", .counter, "Openings of the door for any reason.", door.openings)
        text.single("links_served", .gauge, "Links with a slot.", device.reader.servedLinks)
        text.single(
            "links_max", .gauge,
            "Maximum number of links with a "
                + "slot.", device.reader.configuration.maximumLinks)
        text.add(metrics, servesPhones: servesPhones)
        let contactless = service(ReaderContactless.self)
        let presence = contactless?.presence.since.map { reactor.now - $0 } ?? .zero
        text.add(contactless?.contactless, presence, metrics)
        text.single("lines_failing", .gauge, "Failing lines of the door.", reported.failingOutputs.count)
        text.single(
            "event_log_failing", .gauge, "1 while the event log cannot be written.",
            device.reader.ledger.fault == nil ? 0 : 1)
        text.single(
            "event_log_full", .gauge, "1 while a full event log refuses access.",
            device.reader.ledger.isFull ? 1 : 0)
        text.single("event_log_waiting", .gauge, "Events not yet on the disk.", device.reader.ledger.pending)
        if let state = audit.state {
            text.single("event_log_records", .gauge, "Records in the event log.", state.count)
            text.single("event_log_last", .gauge, "Number of the newest record.", state.last)
        }
        text.begin("fault", .gauge, "1 for each present fault; see docs/operate/faults.md.")
        for code in FaultCode.allCases { text.value("fault", [("code", code.rawValue)], faults.has(code) ? 1 : 0) }
        text.single(
            "clock_set", .gauge, "1 if the clock is set.", auditTime.quality == .unset ? 0 : 1)
        return text.text
    }
}
