// SPDX-License-Identifier: Apache-2.0

public import GateTrial

/// The threshold at which a gate opens for the near, and its rates on traces that were kept aside.
public struct GateCalibration: Equatable, Sendable {
    /// The traces of one file and group.
    public struct Row: Equatable, Sendable {
        /// The file.
        public let source: String
        /// The group, a name for each division.
        public let group: [String]
        /// The highest threshold in dBm that opens for enough of the near; nil if none does.
        public let threshold: Int8?
        /// The rate of the near on traces kept aside; nil if those have none.
        public let near: AcceptRate?
        /// The rate of windows beyond twice the distance, on traces kept aside; nil if those have none.
        public let far: AcceptRate?
    }

    /// The rows, by file and group.
    public let rows: [Row]

    /// Finds, for each file and group of traces, the highest threshold at which the gate opens in `share` of the
    /// windows up to `metres`.
    ///
    /// - Parameter divisions: properties of traces, except the distance, which is left out.
    public init(
        _ traces: [RSSITrace], _ trial: GateTrial, by divisions: [GateReport.Division], metres: Double, share: Double
    ) {
        let divisions = divisions.filter { $0 != .distance }
        var groups: [[String]: [RSSITrace]] = [:]
        for trace in traces { groups[[trace.source] + divisions.map { $0.name(of: trace) }, default: []].append(trace) }
        rows = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { names, all in
            let aside = all.enumerated().filter { $0.offset % GateReport.keptAside == 0 }.map(\.element)
            let used = all.enumerated().filter { $0.offset % GateReport.keptAside != 0 }.map(\.element)
            let threshold = trial.highestThreshold(opening: share, of: used) { $0.isWithin(0...metres) }
            let chosen = threshold.map(trial.with(threshold:))
            return Row(
                source: names[0], group: Array(names.dropFirst()), threshold: threshold,
                near: chosen?.rate(of: aside) { $0.isWithin(0...metres) },
                far: chosen?.rate(of: aside) { $0.metres.map { $0 > 2 * metres } ?? false })
        }
    }
}

extension GateTrial.Window {
    /// True if the distance at the start is known and in this range, in metres.
    fileprivate func isWithin(_ range: ClosedRange<Double>) -> Bool { metres.map(range.contains) ?? false }
}
