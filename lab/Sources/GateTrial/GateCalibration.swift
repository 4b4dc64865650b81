// SPDX-License-Identifier: Apache-2.0

import Reader

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

    /// One trace of this many is kept aside.
    public static let keptAside = 5
    /// The thresholds that are tried: receivers reach these.
    static let thresholds = (-110 ... -20).map { Int8($0) }

    /// The rows, by file and group.
    public let rows: [Row]

    /// Finds, for each file and group of traces, the highest threshold at which the gate opens in `share` of the windows
    /// up to `metres`.
    ///
    /// - Parameter divisions: properties of traces; the distance is none, and is left out.
    public init(
        _ traces: [RSSITrace], _ trial: GateTrial, by divisions: [GateReport.Division], metres: Double, share: Double
    ) {
        let divisions = divisions.filter { $0 != .distance }
        var groups: [[String]: [RSSITrace]] = [:]
        for trace in traces { groups[[trace.source] + divisions.map { $0.name(of: trace) }, default: []].append(trace) }
        rows = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { names, all in
            let aside = all.enumerated().filter { $0.offset % GateCalibration.keptAside == 0 }.map(\.element)
            let used = all.enumerated().filter { $0.offset % GateCalibration.keptAside != 0 }.map(\.element)
            let threshold = GateCalibration.highest(used, trial, share) { $0 <= metres }
            let chosen = trial.with(threshold)
            return Row(
                source: names[0], group: Array(names.dropFirst()), threshold: threshold,
                near: threshold.flatMap { _ in chosen.rate(aside) { $0 <= metres } },
                far: threshold.flatMap { _ in chosen.rate(aside) { $0 > 2 * metres } })
        }
    }

    /// Bisection, because a lower threshold opens wherever a higher one does.
    private static func highest(
        _ traces: [RSSITrace], _ trial: GateTrial, _ share: Double, _ isMeant: (Double) -> Bool
    ) -> Int8? {
        func opens(_ threshold: Int8) -> Bool {
            trial.with(threshold).rate(traces, isMeant).map { $0.share >= share } ?? false
        }
        guard opens(thresholds[0]) else { return nil }
        var (low, high) = (0, thresholds.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if opens(thresholds[middle]) { low = middle } else { high = middle }
        }
        return thresholds[low]
    }
}

extension GateTrial {
    /// The same trial with this threshold.
    fileprivate func with(_ threshold: Int8?) -> GateTrial {
        var changed = self
        if let threshold { changed.gate.threshold = threshold }
        return changed
    }

    /// The rate of the windows at the distances that are meant.
    fileprivate func rate(_ traces: [RSSITrace], _ isMeant: (Double) -> Bool) -> AcceptRate? {
        AcceptRate(
            traces.map { trace in
                let windows = run(trace).windows.filter { $0.metres.map(isMeant) ?? false }
                return .init(windows: windows.count, opened: windows.count { $0.openedAfter != nil })
            })
    }
}
