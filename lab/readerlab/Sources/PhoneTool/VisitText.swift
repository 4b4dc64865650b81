// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Commands
import Console
import Emulation
import Phone
import Statistics
import Timekeeping

/// The steps of a visit for people.
enum VisitText {
    /// `    543 ms  connected     +31 ms  interval 30 ms`.
    static func line(_ step: VisitStep, _ sinceStart: Duration, _ took: Duration) -> String {
        line(step.kind.rawValue, sinceStart, right("+\(took.wholeMilliseconds) ms", 9) + detail(step))
    }

    /// A line with this time.
    static func line(_ name: String, _ sinceStart: Duration, _ text: String) -> String {
        let line =
            right("\(sinceStart.wholeMilliseconds)", 7) + " ms  "
            + (text.isEmpty ? name : TextColumn.padded(name, 10, gap: 1)) + text
        return line
    }

    private static func detail(_ step: VisitStep) -> String {
        let text =
            switch step {
            case .found(let sighting): seen(sighting)
            case .connected(_, let interval): "interval \(IntervalText.milliseconds(interval)) ms"
            case .mtu(let mtu): "\(mtu) octets"
            case .services: "subscribed"
            case .touched: "a card"
            case .selected(let id): id
            case .handshake: "the reader has proven its key"
            case .token(let request): "sent: \(request.name)"
            case .answer(let request, let answer): answer == .done ? done(request) : request.name
            }
        return "  " + text
    }

    /// The effect of a command that was executed and has no result.
    private static func done(_ request: PhoneRequest) -> String {
        switch request.command {
        case .open?: "opened"
        case .officeOn?: "held open"
        case .officeOff?: "secured"
        case .officeToggle?: "toggled"
        default: "\(request.name): done"
        }
    }

    /// `wa0y1YwS, on-touch, C0:11:22:33:44:55, -48 dBm, demo keys`.
    static func seen(_ sighting: ReaderSighting) -> String {
        var parts = [sighting.name ?? "(no name)", sighting.mode?.rawValue ?? "no reader", "\(sighting.address)"]
        if let rssi = sighting.rssi { parts.append("\(rssi) dBm") }
        if sighting.isFactory == true { parts.append("demo keys") }
        return parts.joined(separator: ", ")
    }

    /// The times of several visits in milliseconds, with the percentiles that the number of visits supports.
    static func table(_ statistics: VisitStatistics) -> [String] {
        let rows = statistics.rows
        let head = ["ms", "n", "min"] + [Quantile.median, .p90, .p99].map(\.name) + ["max"]
        let cells = rows.map { row in
            [
                row.step?.rawValue ?? "whole visit", "\(row.count)", text(row.minimum), text(row.median),
                row.p90.map(text) ?? Quantile.tooFew, row.p99.map(text) ?? Quantile.tooFew, text(row.maximum),
            ]
        }
        return ["\(statistics.doneCount) done, \(statistics.failedCount) failed"]
            + (rows.isEmpty ? [] : TextTable.aligned([head] + cells))
    }

    private static func text(_ duration: Duration) -> String {
        DecimalText.of(Double(duration.wholeNanoseconds) / 1_000_000, 1)
    }

    static func right(_ text: String, _ count: Int) -> String {
        String(repeating: " ", count: max(0, count - text.count)) + text
    }
}
