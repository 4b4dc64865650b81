// SPDX-License-Identifier: Apache-2.0

import GateTrial
public import LabReport

/// A report as a picture: the accept rate over the distance, a line for each file with its intervals.
public enum GatePlot {
    /// The picture of the rows with a distance.
    public static func plot(_ report: GateReport, title: String) -> LabPlot {
        let rows = report.rows.filter { $0.metres != nil }
        let far = max(rows.compactMap(\.metres).max() ?? 0, 1) * 1.05
        var distance = LabPlot.Axis(
            "distance in metres (least of the group)", marks: GateReport.edges.filter { $0 != 0.25 && $0 != 1.5 },
            to: far)
        distance.isSquareRoot = true
        var share = LabPlot.Axis("accept rate", marks: [0, 0.25, 0.5, 0.75, 1], to: 1)
        (share.factor, share.suffix) = (100, " %")
        return LabPlot(
            title,
            about: "Share of windows in which the gate opens, over the distance in metres, with intervals of 95 %.",
            horizontal: distance, vertical: share,
            curves: Set(rows.map(\.source)).sorted().map { source in
                LabPlot.Curve(
                    source,
                    rows.filter { $0.source == source }.map { row in
                        LabPlot.Point(row.metres ?? 0, row.rate.share, row.rate.interval)
                    })
            })
    }

    /// The same as one SVG file.
    public static func svg(_ report: GateReport, title: String) -> String {
        plot(report, title: title).svg(for: .file)
    }
}
