// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Octets
import Reader
import Timekeeping

/// The text forms of an event: a table row and JSON.
enum EventLine {
    /// The columns of the table.
    static let titles = ["number", "time", "event", "credential", "way", "what"]
    /// The minimum widths: every kind and every way fits. The last column is unbounded.
    private static let widths = [6, 25, 22, 10, 18, 0]

    /// A line of the table.
    static func row(_ cells: [String]) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            line += cell.padded(to: width) + "  "
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Returns the cells of a record.
    static func cells(_ record: AuditRecord) -> [String] {
        let event = record.event
        var way = event.channel.name
        if let mode = event.mode { way += " " + mode.rawValue }
        return [
            "\(record.sequence)", time(event.time) ?? "+\(event.time.uptimeMilliseconds) ms, no clock",
            event.kind.name, event.credential.printable, way, what(event),
        ]
    }

    /// Returns a time as `2026-11-21T13:00:00+01:00`; nil if the clock was not set.
    static func time(_ time: AuditTime) -> String? {
        guard let local = time.local else { return nil }
        let offset = Int(time.utcOffsetMinutes)
        let date = [local.year.padded(to: 4), local.month.padded(to: 2), local.day.padded(to: 2)]
        let clock = [local.hour, local.minute, local.second].map { $0.padded(to: 2) }
        let zone = [abs(offset) / 60, abs(offset) % 60].map { $0.padded(to: 2) }
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + (offset < 0 ? "-" : "+")
            + zone.joined(separator: ":")
    }

    /// Returns the details without their own column.
    private static func what(_ event: AuditEvent) -> String {
        var words: [String] = []
        if !event.command.isEmpty { words.append(event.command.printable) }
        switch event.kind {
        case .denied where event.info >= EventAccessInfo.denied.rawValue:
            words.append(event.reason ?? "decision \(event.info)")
        case .denied where !event.detail.isEmpty: words.append(event.reason ?? "status \(status(event.info))")
        case .withdrawn where event.info == 0: words.append("not opened: \(event.reason ?? "no reason recorded")")
        case .denied, .withdrawn, .command: words.append("status \(status(event.info))")
        case .granted where event.info == EventAccessInfo.grantedExtended.rawValue: words.append("extended time")
        case .start where event.info != 0: words.append("previous run ended abnormally")
        case .clockStepped: words.append("by \(event.info) s")
        case .logCleared: words.append("up to \(event.mark)")
        case .logLost: words.append("it was left at \(event.mark)")
        case .eventsLost, .blacklistChanged: words.append("\(event.info)")
        case .diskFailed: words.append(DiskFault(rawValue: event.info)?.description ?? "fault \(event.info)")
        default: break
        }
        if let dBm = event.dBm { words.append("\(dBm) dBm") }
        if event.link != 0 { words.append("link \(event.link)") }
        if !event.actor.isEmpty { words.append("by \(event.actor.printable)") }
        if !event.detail.isEmpty, !namesDetail(event) { words.append(event.detail.printable) }
        return words.joined(separator: ", ")
    }

    /// True if the reason in words is the detail.
    private static func namesDetail(_ event: AuditEvent) -> Bool {
        event.kind == .denied || event.kind == .withdrawn && event.info == 0
    }

    private static func status(_ info: Int32) -> String {
        Int16(exactly: info).map { StatusCode(rawValue: $0).explained } ?? "\(info)"
    }

    /// Returns one JSON object in a line; members without a value are omitted.
    static func json(_ record: AuditRecord, stored: StoredRecord? = nil) -> String {
        let event = record.event
        var line = JSONObject()
        line.add("sequence", record.sequence)
        line.add("time", time(event.time).orNull)
        line.add("clock", event.time.quality.name)
        line.add("uptime-ms", event.time.uptimeMilliseconds)
        line.add("kind", event.kind.name)
        line.add("code", event.kind.rawValue)
        line.add("info", event.info)
        if let reason = event.reason { line.add("reason", reason) }
        line.add("channel", event.channel.name)
        if event.mark != 0 { line.add("mark", event.mark) }
        if event.link != 0 { line.add("link", event.link) }
        if let mode = event.mode { line.add("mode", mode.rawValue) }
        if let dBm = event.dBm { line.add("rssi-dbm", dBm) }
        for (name, text) in [
            ("credential", event.credential), ("command", event.command), ("actor", event.actor),
            ("detail", event.detail),
        ] where !text.isEmpty {
            line.add(name, text)
        }
        if let stored {
            line.add("record", Hexadecimal.text(stored.octets))
            line.add("chain", Hexadecimal.text(stored.chain?.octets ?? []))
        }
        return line.text
    }
}
