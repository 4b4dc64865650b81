// SPDX-License-Identifier: Apache-2.0

import Statistics

/// A run compared with a previous one.
public struct BaselineComparison: Sendable {
    /// The change of one figure.
    public struct Change: Equatable, Sendable {
        /// The verdict on a change.
        public enum Verdict: String, Sendable {
            /// Beyond the interval and the tolerance, to the better.
            case better
            /// Beyond both, to the worse.
            case worse
            /// Within the interval or the tolerance.
            case same
            /// There is no interval, so that chance cannot be distinguished from change.
            case unjudged
        }

        /// The full name.
        public var name: String
        /// The previous estimate.
        public var former: Double
        /// The present estimate.
        public var now: Double
        /// The unit of both.
        public var unit: String
        /// The change as a share of the previous estimate; nil if that was 0.
        public var share: Double?
        /// The interval of 95 % of the share; nil without intervals.
        public var interval: ClosedRange<Double>?
        /// The verdict.
        public var verdict: Verdict

        /// The change in per cent, with its interval.
        public var text: String {
            guard let share else { return "from 0" }
            guard let interval else { return Change.percent(share) }
            return "\(Change.percent(share)) (\(Change.percent(interval.lowerBound)) to "
                + "\(Change.percent(interval.upperBound)))"
        }

        private static func percent(_ share: Double) -> String {
            (share > 0 ? "+" : "") + DecimalText.of(share * 100, 1) + " %"
        }
    }

    /// The change that is tolerated as a share, if none is named: benches repeat themselves no better.
    public static let tolerance = 0.1

    /// The changes of the figures that both runs have.
    public let changes: [Change]
    /// The figures of the previous run that this one lacks, or has in another unit.
    public let missing: [Baseline.Figure]
    /// The figures that the previous run lacked.
    public let added: [(name: String, metric: LabMetric)]
    /// Differences of the runs that make figures differ: another suite, version or machine.
    public let warnings: [String]

    /// Compares a run with a baseline.
    public init(_ run: LabRun, with baseline: Baseline, tolerance: Double = BaselineComparison.tolerance) {
        let now = run.figures
        var former: [String: Baseline.Figure] = [:]
        for figure in baseline.figures { former[figure.name] = figure }
        changes = now.compactMap { name, metric in
            former[name].flatMap { $0.unit == metric.unit ? Change(name, metric, $0, tolerance) : nil }
        }
        let found = Set(changes.map(\.name))
        missing = baseline.figures.filter { !found.contains($0.name) }
        added = now.filter { !found.contains($0.name) }
        var warnings: [String] = []
        func compare(_ what: String, _ former: String?, _ now: String?) {
            guard former != now else { return }
            warnings.append("the baseline is of another \(what): \(former ?? "none"), and this is \(now ?? "none")")
        }
        compare("suite", baseline.suite, run.suite)
        compare("version", baseline.version, run.version)
        compare("machine", baseline.machine, run.occasion?.machine)
        self.warnings = warnings
    }

    /// The change of a figure, or nil.
    public subscript(_ name: String) -> Change? { changes.first { $0.name == name } }

    /// A failed case for each figure that has become worse, and, of a whole run, for each that is missing.
    public func cases(_ suite: String, isWhole: Bool) -> [LabCase] {
        changes.filter { $0.verdict == .worse }.map { change in
            LabCase(
                "\(suite).baseline", change.name,
                .failed(type: "worse", message: "\(change.name) is worse than the baseline: \(change.text)", text: ""))
        }
            + (isWhole ? missing : []).map { figure in
                LabCase(
                    "\(suite).baseline", figure.name,
                    .failed(
                        type: "missing", message: "\(figure.name) is in the baseline and not in this run", text: ""))
            }
    }
}

extension BaselineComparison.Change {
    /// The interval of a difference follows Zou and Donner (2008): it combines both intervals, without the assumption
    /// that they are symmetrical.
    init(_ name: String, _ metric: LabMetric, _ figure: Baseline.Figure, _ tolerance: Double) {
        self.name = name
        (former, now, unit) = (figure.value, metric.value, metric.unit)
        let difference = metric.value - figure.value
        let scale = figure.value.magnitude
        share = scale > 0 ? difference / scale : nil
        guard let present = metric.interval, let previous = figure.interval else {
            // An exact figure, as a count in a run on virtual time, has no chance in it.
            (interval, verdict) = (nil, difference == 0 ? .same : .unjudged)
            return
        }
        func root(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
        let low = difference - root(metric.value - present.lowerBound, previous.upperBound - figure.value)
        let high = difference + root(present.upperBound - metric.value, figure.value - previous.lowerBound)
        interval = scale > 0 ? (low / scale)...(high / scale) : nil
        let isBeyond = (low > 0 || high < 0) && difference.magnitude > tolerance * scale
        let isWorse = metric.isLessBetter ? difference > 0 : difference < 0
        verdict = !isBeyond ? .same : isWorse ? .worse : .better
    }
}
