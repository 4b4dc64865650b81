// SPDX-License-Identifier: Apache-2.0

public import JSON
import Statistics

/// The figures of a previous run, as a file to compare with.
public struct Baseline: Equatable, Sendable {
    /// The maximum length of a file in octets: a hundred thousand figures.
    public static let maximumFileCount = 20_000_000

    /// A figure.
    public struct Figure: Equatable, Sendable {
        /// The full name.
        public var name: String
        /// The unit.
        public var unit: String
        /// The estimate.
        public var value: Double
        /// The interval of 95 %; nil if there was none.
        public var interval: ClosedRange<Double>?
        /// The number of measurements.
        public var count: Int
    }

    /// The name of the suite.
    public var suite: String
    /// The version of the lab.
    public var version: String
    /// The machine; nil for a run on virtual time.
    public var machine: String?
    /// The figures.
    public var figures: [Figure]

    /// The figures of a run.
    public init(_ run: LabRun) {
        (suite, version, machine) = (run.suite, run.version, run.occasion?.machine)
        figures = run.figures.map { name, metric in
            Figure(
                name: name, unit: metric.unit, value: metric.value, interval: metric.interval, count: metric.count)
        }
    }

    /// The file: a line for each figure, so that a change is a line of its difference.
    public var json: String {
        var head = JSONObject()
        head.add("suite", suite)
        head.add("version", version)
        if let machine { head.add("machine", machine) }
        let lines = figures.map { figure in
            var object = JSONObject()
            object.add("name", figure.name)
            object.add("unit", figure.unit)
            object.add("value", json: "\(figure.value)")
            if let interval = figure.interval {
                object.add("low", json: "\(interval.lowerBound)")
                object.add("high", json: "\(interval.upperBound)")
            }
            object.add("n", figure.count)
            return "  " + object.text
        }
        return head.text.dropLast() + ",\"figures\":[\n\(lines.joined(separator: ",\n"))\n]}\n"
    }

    /// Parses a file.
    public init(json octets: [UInt8]) throws(JSONPlaceFault) {
        guard octets.count <= Baseline.maximumFileCount else {
            throw JSONPlaceFault(line: 1, path: "", "more than \(Baseline.maximumFileCount) octets")
        }
        let file = try JSONPlace(file: octets).members(["suite", "version", "machine", "figures"])
        suite = try file.required("suite").text()
        version = try file.required("version").text()
        machine = try file["machine"]?.text()
        figures = []
        for element in try file.required("figures").elements() {
            let members = try element.members(["name", "unit", "value", "low", "high", "n"])
            var figure = Figure(
                name: try members.required("name").text(), unit: try members.required("unit").text(),
                value: try members.required("value").double(),
                count: try members.required("n").number(0...Int(Int32.max)))
            if let low = members["low"], let high = members["high"] {
                let bounds = (try low.double(), try high.double())
                guard bounds.0 <= bounds.1 else { throw low.fault("is above \"high\"") }
                figure.interval = bounds.0...bounds.1
            }
            figures.append(figure)
        }
    }
}

extension JSONPlace {
    /// A number that `Double` has.
    fileprivate func double() throws(JSONPlaceFault) -> Double {
        guard case .number(let text) = node.content else { throw fault("is \(node.kind), and must be a number") }
        guard let value = Double(text), value.isFinite else { throw fault("\(text) is too large a number") }
        return value
    }
}
