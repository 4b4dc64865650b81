// SPDX-License-Identifier: Apache-2.0

/// A run of the lab: what was tried, measured and found, for the writers of reports.
public struct LabRun: Equatable, Sendable {
    /// A fact about the run.
    public struct Fact: Equatable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// A fact.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The time and place of a run that is measured on a machine, and so does not repeat itself.
    public struct Occasion: Equatable, Sendable {
        /// The time of the start, `2026-11-25T16:40:00Z`.
        public var timestamp: String
        /// The name of the host.
        public var host: String
        /// The processor, the number of processors, and the kernel: figures of another one are others.
        public var machine: String

        /// An occasion.
        public init(timestamp: String, host: String, machine: String) {
            (self.timestamp, self.host, self.machine) = (timestamp, host, machine)
        }
    }

    /// The name of the suite, `scenario morning-rush`.
    public var suite: String
    /// The version of the lab.
    public var version: String
    /// The command that repeats the run.
    public var command: String
    /// The seed of the first part.
    public var seed: UInt64?
    /// The occasion; nil for a run on virtual time, which is the same everywhere.
    public var occasion: Occasion?
    /// Further conditions of the result.
    public var environment: [Fact] = []
    /// True if a signal has ended the run before its end.
    public var isInterrupted = false
    /// The cases.
    public var cases: [LabCase] = []
    /// The figures of the run as a whole.
    public var metrics: [LabMetric] = []
    /// The pictures.
    public var plots: [LabPlot] = []
    /// The tables.
    public var tables: [LabTable] = []

    /// A run without results.
    public init(suite: String, version: String, command: String, seed: UInt64? = nil, occasion: Occasion? = nil) {
        (self.suite, self.version, self.command, self.seed) = (suite, version, command, seed)
        self.occasion = occasion
    }

    /// True if the run has reached its end and nothing in it failed.
    public var isPassed: Bool { !isInterrupted && !cases.contains { $0.result.isFailure } }

    /// The duration of all cases in seconds.
    public var seconds: Double { cases.reduce(0) { $0 + $1.seconds } }

    /// All figures with their full names: `CASE/FIGURE`, or `FIGURE` for the whole run.
    public var figures: [(name: String, metric: LabMetric)] {
        metrics.map { ($0.name, $0) }
            + cases.flatMap { one in one.metrics.map { ("\(one.name)/\($0.name)", $0) } }
    }

    /// The type of the failure of a figure beyond its limit.
    public static let limit = "limit"

    /// Adds a failed case for each figure beyond its limit.
    public mutating func judgeLimits() {
        for (name, metric) in figures where !metric.isWithinLimit {
            cases.append(
                LabCase(
                    "\(suite).limits", name,
                    .failed(
                        type: LabRun.limit, message: "\(name) is \(metric.text), and has to be \(metric.limitText)",
                        text: "")))
        }
    }

    /// The cases with unique names within each class: of equal ones, the second and later have a number behind them.
    public var uniqueCases: [LabCase] {
        var taken: Set<[String]> = []
        return cases.map { one in
            var one = one
            let name = one.name
            var number = 1
            while !taken.insert([one.className, one.name]).inserted {
                number += 1
                one.name = "\(name) (\(number))"
            }
            return one
        }
    }
}

/// One case of a run.
public struct LabCase: Equatable, Sendable {
    /// The result of a case.
    public enum Result: Equatable, Sendable {
        /// All was as expected.
        case passed
        /// Something was not as expected: its kind in a word, a line, and what else there is to say.
        case failed(type: String, message: String, text: String)
        /// The case could not be carried out.
        case error(type: String, message: String, text: String)
        /// The case was left out, and why.
        case skipped(String)

        /// True for a failure and an error.
        public var isFailure: Bool {
            switch self {
            case .passed, .skipped: false
            case .failed, .error: true
            }
        }
    }

    /// The class, with points: `scenario.morning-rush`.
    public var className: String
    /// The name within the class.
    public var name: String
    /// The duration in seconds: simulated, if the run is on virtual time.
    public var seconds: Double
    /// The result.
    public var result: Result
    /// The paths of files that belong to it.
    public var attachments: [String] = []
    /// Its figures.
    public var metrics: [LabMetric] = []
    /// Its output.
    public var output = ""

    /// A case.
    public init(_ className: String, _ name: String, seconds: Double = 0, _ result: Result = .passed) {
        (self.className, self.name, self.seconds, self.result) = (className, name, seconds, result)
    }
}
