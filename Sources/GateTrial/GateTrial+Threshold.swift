// SPDX-License-Identifier: Apache-2.0

import Proximity

/// Accept rates of a gate, and the threshold at which it opens often enough.
extension GateTrial {
    /// The thresholds that are tried in dBm: receivers reach these.
    public static let thresholds = (-110 ... -20).map { Int8($0) }

    /// The same trial with this threshold in dBm.
    public func with(threshold: Int8) -> GateTrial {
        var changed = self
        changed.gate.threshold = threshold
        return changed
    }

    /// The windows and openings of one trace, of those that are meant.
    public func tally(of trace: RSSITrace, where isMeant: (Window) -> Bool = { _ in true }) -> AcceptRate.Tally {
        let windows = run(trace).windows.filter(isMeant)
        return AcceptRate.Tally(windows: windows.count, opened: windows.count { $0.openedAfter != nil })
    }

    /// The rate on traces of the windows that are meant; nil without one.
    public func rate(of traces: [RSSITrace], where isMeant: (Window) -> Bool = { _ in true }) -> AcceptRate? {
        AcceptRate(traces.map { tally(of: $0, where: isMeant) })
    }

    /// Of each window that is meant, the highest threshold at which the gate opens; nil where none does.
    ///
    /// By bisection, because a lower threshold opens wherever a higher one does.
    func openingThresholds(of trace: RSSITrace, where isMeant: (Window) -> Bool = { _ in true }) -> [Int8?] {
        let plan = Plan(trace, self)
        return plan.starts.compactMap { first -> Int8?? in
            guard isMeant(decide(trace, plan.times, first)) else { return .none }
            func opens(_ index: Int) -> Bool {
                with(threshold: GateTrial.thresholds[index]).decide(trace, plan.times, first).openedAfter != nil
            }
            guard opens(0) else { return .some(nil) }
            var (low, high) = (0, GateTrial.thresholds.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if opens(middle) { low = middle } else { high = middle }
            }
            return .some(GateTrial.thresholds[low])
        }
    }

    /// The highest threshold at which the gate opens in `share` of the windows that are meant; nil if none does.
    public func highestThreshold(
        opening share: Double, of traces: [RSSITrace], where isMeant: (Window) -> Bool = { _ in true }
    ) -> Int8? {
        GateTrial.highestThreshold(opening: share, of: traces.flatMap { openingThresholds(of: $0, where: isMeant) })
    }

    /// The highest threshold that is reached by `share` of the windows; nil if none is, or there are no windows.
    static func highestThreshold(opening share: Double, of windows: [Int8?]) -> Int8? {
        var needed = Int((Double(windows.count) * share).rounded(.up))
        // The share of a count is inexact: 0.95 of 20 are 19.
        if needed > 1, Double(needed - 1) / Double(windows.count) >= share { needed -= 1 }
        let reached = windows.compactMap(\.self).sorted(by: >)
        guard (1...max(reached.count, 1)).contains(max(needed, 1)), !reached.isEmpty else { return nil }
        return reached[max(needed, 1) - 1]
    }
}
