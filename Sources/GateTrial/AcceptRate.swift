// SPDX-License-Identifier: Apache-2.0

/// The share of windows in which a gate opened, with an interval that counts traces, not windows.
///
/// Windows of one take are alike, so that resampling them would promise too much: whole traces are resampled.
public struct AcceptRate: Equatable, Sendable {
    /// Windows and openings of one trace.
    public struct Tally: Equatable, Sendable {
        /// The number of windows.
        public var windows: Int
        /// The number of those in which the gate opened.
        public var opened: Int

        /// A tally of these counts.
        public init(windows: Int, opened: Int) { (self.windows, self.opened) = (windows, opened) }
    }

    /// The number of traces with a window.
    public let traces: Int
    /// The number of windows of all traces.
    public let windows: Int
    /// The number of those in which the gate opened.
    public let opened: Int
    /// The bounds of the interval of 95 %, as shares; nil for fewer than five traces that do not all agree.
    public let interval: ClosedRange<Double>?

    /// The share of windows that opened.
    public var share: Double { Double(opened) / Double(windows) }

    /// The resamplings: the 2.5 % at either end are 50 of them.
    private static let resamplings = 2000
    private static let tail = 0.025
    /// The traces below which resampling yields too narrow an interval.
    private static let fewest = 5

    /// The rate of these traces; nil without a window.
    ///
    /// - Parameter seed: the seed of the resampling; equal seeds and tallies make equal intervals.
    public init?(_ tallies: [Tally], seed: UInt64 = 1) {
        let tallies = tallies.filter { $0.windows > 0 }
        traces = tallies.count
        windows = tallies.reduce(0) { $0 + $1.windows }
        opened = tallies.reduce(0) { $0 + $1.opened }
        guard windows > 0 else { return nil }
        interval =
            opened == 0 || opened == windows
            ? AcceptRate.exact(always: opened > 0, traces: traces)
            : tallies.count >= AcceptRate.fewest ? AcceptRate.resampled(tallies, seed) : nil
    }

    /// The interval of Clopper and Pearson where all traces agree: with 36 of them, up to 10 % may do otherwise.
    private static func exact(always: Bool, traces: Int) -> ClosedRange<Double> {
        // The root of tail by bisection, since the standard library has none.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            let power = (0..<traces).reduce(1.0) { product, _ in product * middle }
            if power < tail { low = middle } else { high = middle }
        }
        return always ? low...1 : 0...(1 - low)
    }

    private static func resampled(_ tallies: [Tally], _ seed: UInt64) -> ClosedRange<Double> {
        var random = seed
        var shares = (0..<resamplings).map { _ in
            var (windows, opened) = (0, 0)
            for _ in tallies {
                let tally = tallies[draw(tallies.count, &random)]
                windows += tally.windows
                opened += tally.opened
            }
            return Double(opened) / Double(windows)
        }
        shares.sort()
        let cut = Int(Double(resamplings) * tail)
        return shares[cut]...shares[resamplings - 1 - cut]
    }

    /// An index below `count`, by a linear congruential generator (Knuth, MMIX): equal figures on every machine, from
    /// its high bits, which are the good ones.
    private static func draw(_ count: Int, _ state: inout UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state.multipliedFullWidth(by: UInt64(count)).high)
    }
}
