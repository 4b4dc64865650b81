// SPDX-License-Identifier: Apache-2.0

import Commands
package import GateReport
package import GateTrial
import Statistics
import Timekeeping

/// Reports of the gate as tables and as comma-separated values.
package enum GateText {
    /// A table with a row for each group, and a note for each file with windows that have too few packets.
    ///
    /// - Parameter showsAside: true adds columns for the traces that were kept aside.
    package static func lines(
        _ report: GateReport, by divisions: [GateReport.Division], showsAside: Bool = false
    ) -> [String] {
        let head =
            ["file"] + divisions.map(\.title) + ["traces", "windows", "opens", "95 % interval", "after"]
            + (showsAside ? ["aside", "opens", "95 % interval"] : [])
        let rows = report.rows.map { row in
            let cells =
                [row.source] + row.group + [
                    "\(row.rate.traces)", "\(row.rate.windows)", GateText.percent(row.rate.share),
                    GateText.interval(row.rate), row.openedMilliseconds.map { "\($0) ms" } ?? "-",
                ]
            guard showsAside else { return cells }
            return cells + [
                "\(row.aside?.traces ?? 0)", row.aside.map { GateText.percent($0.share) } ?? "-",
                row.aside.map(GateText.interval) ?? "-",
            ]
        }
        var lines = report.rows.isEmpty ? [] : TextTable.aligned([head] + rows)
        for (source, count) in report.sparse.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(source): \(count) windows have too few packets for the median, and are not counted; "
                    + "--packets takes one in each connection interval")
        }
        return lines
    }

    /// The rows for a spreadsheet; shares from 0 to 1, cells without a value empty.
    package static func csv(_ report: GateReport, by divisions: [GateReport.Division]) -> String {
        let head =
            ["file"] + divisions.map(\.title) + ["traces", "windows", "opened", "share", "low", "high", "after_ms"]
        let rows = report.rows.map { row in
            [row.source] + row.group + [
                "\(row.rate.traces)", "\(row.rate.windows)", "\(row.rate.opened)",
                DecimalText.of(row.rate.share, 4), row.rate.interval.map { DecimalText.of($0.lowerBound, 4) } ?? "",
                row.rate.interval.map { DecimalText.of($0.upperBound, 4) } ?? "",
                row.openedMilliseconds.map(String.init) ?? "",
            ]
        }
        return ([head] + rows).map { $0.map(GateText.quoted).joined(separator: ",") + "\n" }.joined()
    }

    /// A table with a row for each file and group of traces.
    package static func lines(
        _ calibration: GateCalibration, by divisions: [GateReport.Division], near: Double, share: Double
    ) -> [String] {
        let metres = DecimalText.of(near, 2)
        let head =
            ["file"] + divisions.filter { $0 != .distance }.map(\.title)
            + ["threshold", "opens up to \(metres) m", "95 % interval", "beyond twice that", "95 % interval"]
        let rows = calibration.rows.map { row in
            [row.source] + row.group + [
                row.threshold.map { "\($0) dBm" } ?? "none",
                row.near.map { GateText.percent($0.share) } ?? "-", row.near.map(GateText.interval) ?? "-",
                row.far.map { GateText.percent($0.share) } ?? "-", row.far.map(GateText.interval) ?? "-",
            ]
        }
        return [
            "The highest threshold that opens in \(DecimalText.of(share, 0)) % of windows up to \(metres) m, "
                + "and what it does on every fifth trace, kept aside:", "",
        ] + TextTable.aligned([head] + rows)
    }

    static func percent(_ share: Double) -> String { DecimalText.of(share * 100, 1) + " %" }

    package static func interval(_ rate: AcceptRate) -> String {
        guard let interval = rate.interval else { return "too few traces" }
        let low = DecimalText.of(interval.lowerBound * 100, 1)
        return "\(low)-\(DecimalText.of(interval.upperBound * 100, 1)) %"
    }

    /// A cell in quotation marks where it needs them (RFC 4180, 2).
    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 < 0x20 }) else {
            return cell
        }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension GateReport.Row {
    /// The median time to the opening in milliseconds; nil if none opened.
    package var openedMilliseconds: Int64? { opened[.median]?.wholeMilliseconds }
}

extension GateReport.Division {
    /// The head of the column.
    package var title: String {
        switch self {
        case .distance: "distance"
        case .condition: "condition"
        case .part(let number): "part\(number)"
        case .trace: "trace"
        }
    }
}
