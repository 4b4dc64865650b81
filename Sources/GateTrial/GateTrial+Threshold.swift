// SPDX-License-Identifier: Apache-2.0

import Reader

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

    /// The highest threshold at which the gate opens in `share` of the windows that are meant; nil if none does.
    ///
    /// By bisection, because a lower threshold opens wherever a higher one does.
    public func highestThreshold(
        opening share: Double, of traces: [RSSITrace], where isMeant: (Window) -> Bool = { _ in true }
    ) -> Int8? {
        let thresholds = GateTrial.thresholds
        func opens(_ threshold: Int8) -> Bool {
            with(threshold: threshold).rate(of: traces, where: isMeant).map { $0.share >= share } ?? false
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
