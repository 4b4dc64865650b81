// SPDX-License-Identifier: Apache-2.0

import JSON

/// A metric of a reader from the collector's data (exposition format 0.0.4).
public struct FleetMetric {
    private var name: String
    private var kind = "gauge"
    private var help: String
    /// The labels in addition to the reader's, with their values.
    private var values: (FleetDatabase.Reader) -> [(labels: String, value: String)]

    private init(
        _ name: String, kind: String = "gauge", _ help: String, _ value: @escaping (FleetDatabase.Reader) -> String?
    ) {
        (self.name, self.kind, self.help) = (name, kind, help)
        values = { reader in value(reader).map { [("", $0)] } ?? [] }
    }

    /// The metrics of all readers, without the last line feed. An unknown state has no value.
    public static func text(_ readers: [FleetDatabase.Reader]) -> String {
        all.map { metric in
            let name = "readerd_fleet_\(metric.name)"
            var lines = ["# HELP \(name) \(metric.help)", "# TYPE \(name) \(metric.kind)"]
            for reader in readers {
                // A name is free text. The format has only JSON's escapes for quotes, backslashes and line feeds.
                let title = JSONObject.quoted(String(reader.name.filter { $0.asciiValue.map { $0 >= 0x20 } ?? true }))
                for (labels, value) in metric.values(reader) {
                    lines.append("\(name){device=\"\(reader.device)\",reader=\(title)\(labels)} \(value)")
                }
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static var all: [FleetMetric] {
        var faults = FleetMetric("fault", "1 for each fault that the reader reports.") { _ in nil }
        faults.values = { $0.faults.filter(isCode).map { (",code=\"\($0)\"", "1") } }
        var firmware = FleetMetric("firmware_info", "1 for the reader's firmware version.") { _ in nil }
        firmware.values = { $0.firmware.isEmpty ? [] : [(",version=\(JSONObject.quoted($0.firmware))", "1")] }
        return [
            FleetMetric("link_up", "1 while the reader's link reports it as present.") { $0.isOnline.map(digit) },
            firmware,
            FleetMetric("unlocked", "1 while the lock is released.") {
                $0.text("lock", of: $0.state).map { digit($0 == "UNLOCKED") }
            },
            FleetMetric("door_open", "1 while the door stands open.") { flag("open", $0) },
            FleetMetric("tampered", "1 after the housing was opened, until the reset.") { flag("tampered", $0) },
            FleetMetric("log_sequence", "The last sequence number of the reader's log, by its state.") {
                number("sequence", of: $0.state, $0)
            },
            FleetMetric("stored_sequence", "The sequence number of the last event that is stored.") {
                number("sequence", of: $0.last, $0)
            },
            FleetMetric("events_total", kind: "counter", "Events that are stored.") { "\($0.events)" },
            FleetMetric("events_lost_total", kind: "counter", "Events that were lost before they were delivered.") {
                "\($0.lost)"
            },
            FleetMetric("conflicts_total", kind: "counter", "Events that were sent again with other contents.") {
                "\($0.conflicts)"
            },
            faults,
        ]
    }

    private static func digit(_ flag: Bool) -> String { flag ? "1" : "0" }

    /// True for lowercase letters and hyphens, which need no escapes; every code of a fault consists of these.
    private static func isCode(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func flag(_ name: String, _ reader: FleetDatabase.Reader) -> String? {
        guard case .boolean(let value) = reader.member(name, of: reader.state)?.content else { return nil }
        return digit(value)
    }

    private static func number(_ name: String, of text: String, _ reader: FleetDatabase.Reader) -> String? {
        guard case .number(let value) = reader.member(name, of: text)?.content else { return nil }
        return UInt64(value).map { "\($0)" }
    }
}
