// SPDX-License-Identifier: Apache-2.0

import Statistics

extension LabPlot {
    /// The ground that a picture is drawn for.
    public enum Ground: Sendable {
        /// A separate file, on white.
        case file
        /// A page, whose colours it takes.
        case page
    }

    private static let (width, height) = (780.0, 420.0)
    private static let (left, right, top, bottom) = (56.0, 260.0, 32.0, 48.0)
    /// Colours that differ for people who see red and green alike, on light and dark ground.
    private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

    /// The picture as SVG, without scripts or foreign addresses, with a title and a description.
    public func svg(for ground: Ground) -> String {
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(pixels(LabPlot.width)) "
                + "\(pixels(LabPlot.height))\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">",
            "<title>\(MarkupText.escaped(title))</title>",
            "<desc>\(MarkupText.escaped(about))</desc>",
        ]
        switch ground {
        case .file: lines.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")
        case .page: break
        }
        let pen = Pen(ground: ground)
        lines.append(pen.text(LabPlot.left, 18, title))
        lines += grid(pen)
        for (index, curve) in curves.enumerated() {
            let colour = LabPlot.colours[index % LabPlot.colours.count]
            lines += draw(curve, colour, offset: Double(index) * 2)
            let y = LabPlot.top + 16 + Double(index) * 20
            let x = LabPlot.width - LabPlot.right
            lines.append(pen.line(x + 16, y - 4, x + 36, y - 4, colour, 2))
            lines.append(pen.text(x + 42, y, curve.name))
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func grid(_ pen: Pen) -> [String] {
        let (begin, end) = (LabPlot.left, LabPlot.width - LabPlot.right)
        var lines = vertical.marks.flatMap { mark in
            let y = self.y(mark)
            return [pen.line(begin, y, end, y, pen.faint, 1), pen.text(begin - 8, y + 4, vertical.text(mark), "end")]
        }
        for mark in horizontal.marks where mark <= horizontal.end {
            lines.append(pen.text(x(mark), LabPlot.height - LabPlot.bottom + 18, horizontal.text(mark), "middle"))
        }
        lines.append(pen.text((begin + end) / 2, LabPlot.height - 10, horizontal.name, "middle"))
        return lines
    }

    private func draw(_ curve: Curve, _ colour: String, offset: Double) -> [String] {
        let places = curve.points.map { (x: x($0.x) + offset, y: y($0.y)) }
        let path = places.map { "\(pixels($0.x)),\(pixels($0.y))" }.joined(separator: " ")
        let pen = Pen(ground: .file)
        var lines = ["<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\"/>"]
        for (point, place) in zip(curve.points, places) {
            if let interval = point.interval {
                lines.append(pen.line(place.x, y(interval.lowerBound), place.x, y(interval.upperBound), colour, 1))
            }
            lines.append("<circle cx=\"\(pixels(place.x))\" cy=\"\(pixels(place.y))\" r=\"3\" fill=\"\(colour)\"/>")
        }
        return lines
    }

    private func x(_ value: Double) -> Double {
        LabPlot.left + horizontal.place(value) * (LabPlot.width - LabPlot.right - LabPlot.left)
    }

    private func y(_ value: Double) -> Double {
        LabPlot.top + (1 - vertical.place(value)) * (LabPlot.height - LabPlot.bottom - LabPlot.top)
    }
}

/// With one decimal.
private func pixels(_ value: Double) -> String { DecimalText.of(value, 1) }

/// Lines and text in the colours of a ground.
private struct Pen {
    let ground: LabPlot.Ground

    var faint: String { ground == .file ? "#cccccc" : "currentColor\" stroke-opacity=\"0.25" }
    private var ink: String { ground == .file ? "#222222" : "currentColor" }

    func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String, _ width: Int) -> String {
        "<line x1=\"\(pixels(x1))\" y1=\"\(pixels(y1))\" x2=\"\(pixels(x2))\" y2=\"\(pixels(y2))\" "
            + "stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
    }

    func text(_ x: Double, _ y: Double, _ content: String, _ anchor: String = "start") -> String {
        "<text x=\"\(pixels(x))\" y=\"\(pixels(y))\" text-anchor=\"\(anchor)\" fill=\"\(ink)\">"
            + "\(MarkupText.escaped(content))</text>"
    }
}
