// SPDX-License-Identifier: Apache-2.0

import GateTrial

/// A report as a picture: the accept rate over the distance, a line for each file with its intervals.
///
/// The picture is one SVG file without scripts or foreign addresses, with a title and a description.
public enum GatePlot {
    private static let (width, height) = (780.0, 420.0)
    private static let (left, right, top, bottom) = (56.0, 260.0, 32.0, 48.0)
    /// Colours that differ for people who see red and green alike, on light and dark ground.
    private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

    /// The picture of the rows with a distance.
    public static func svg(_ report: GateReport, title: String) -> String {
        let rows = report.rows.filter { $0.metres != nil }
        let sources = Set(rows.map(\.source)).sorted()
        let far = max(rows.compactMap(\.metres).max() ?? 0, 1) * 1.05
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(height))\" "
                + "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">",
            "<title>\(escaped(title))</title>",
            "<desc>Share of windows in which the gate opens, over the distance in metres, with intervals of 95 %.</desc>",
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            text(left, 18, title),
        ]
        lines += grid(far)
        for (index, source) in sources.enumerated() {
            let colour = colours[index % colours.count]
            lines += curve(rows.filter { $0.source == source }, far, colour, offset: Double(index) * 2)
            let y = top + 16 + Double(index) * 20
            lines.append(line(width - right + 16, y - 4, width - right + 36, y - 4, colour, 2))
            lines.append(text(width - right + 42, y, source))
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private static func grid(_ far: Double) -> [String] {
        var lines = [0, 25, 50, 75, 100].flatMap { percent in
            let y = vertical(Double(percent) / 100)
            return [
                line(left, y, width - right, y, "#cccccc", 1), text(left - 8, y + 4, "\(percent) %", anchor: "end"),
            ]
        }
        for edge in GateReport.edges where edge <= far && edge != 0.25 && edge != 1.5 {
            lines.append(
                text(
                    horizontal(edge, far), height - bottom + 18, "\(GateReport.text(edge))",
                    anchor: "middle"))
        }
        let middle = (left + width - right) / 2
        lines.append(text(middle, height - 10, "distance in metres (least of the group)", anchor: "middle"))
        return lines
    }

    private static func curve(_ rows: [GateReport.Row], _ far: Double, _ colour: String, offset: Double) -> [String] {
        var lines: [String] = []
        let points = rows.map { (horizontal($0.metres ?? 0, far) + offset, vertical($0.rate.share)) }
        let path = points.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
        lines.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\"/>")
        for (row, point) in zip(rows, points) {
            if let interval = row.rate.interval {
                let (low, high) = (vertical(interval.lowerBound), vertical(interval.upperBound))
                lines.append(line(point.0, low, point.0, high, colour, 1))
            }
            lines.append("<circle cx=\"\(number(point.0))\" cy=\"\(number(point.1))\" r=\"3\" fill=\"\(colour)\"/>")
        }
        return lines
    }

    /// The square root of the distance, which gives the near the room.
    private static func horizontal(_ metres: Double, _ far: Double) -> Double {
        left + (metres / far).squareRoot() * (width - right - left)
    }

    private static func vertical(_ share: Double) -> Double { top + (1 - share) * (height - bottom - top) }

    private static func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String, _ width: Int
    ) -> String {
        "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" "
            + "stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
    }

    private static func text(_ x: Double, _ y: Double, _ content: String, anchor: String = "start") -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" fill=\"#222222\">\(escaped(content))</text>"
    }

    /// With one decimal.
    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
