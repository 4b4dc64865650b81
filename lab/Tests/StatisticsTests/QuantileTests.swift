// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

/// Facts of the lab, section 4: percentiles only where the number of measurements bears them.
@Suite struct QuantileTests {
    /// `fewest` is the least n with qⁿ ≤ 5 %.
    @Test(arguments: [Quantile.p90, .p99, .p999]) func theFewestBoundTheQuantileFromAbove(_ quantile: Quantile) {
        func missed(_ count: Int) -> Double {
            (0..<count).reduce(1.0) { product, _ in product * Double(quantile.permille) / 1000 }
        }
        #expect(missed(quantile.fewest) <= 0.05 && missed(quantile.fewest - 1) > 0.05)
    }

    @Test func aQuantileNeedsItsNumber() {
        func all(_ count: Int) -> Distribution<Int> { Distribution(Array((1...count).reversed())) }
        #expect(all(28)[.p90] == nil && all(29)[.p90] == 27 && all(29)[.p99] == nil)
        #expect(all(298)[.p90] == 269 && all(298)[.p99] == nil && all(299)[.p99] == 297 && all(299)[.p999] == nil)
        #expect(all(2994)[.p999] == nil && all(2995)[.p999] == 2993)
    }

    @Test func theMedianNeedsOne() {
        #expect(Distribution([Int]())[.median] == nil && Distribution([7])[.median] == 7)
        #expect(Distribution([2, 1])[.median] == 1 && Distribution(Array(1...9))[.median] == 5)
    }

    @Test func quantilesHaveNames() {
        #expect(Quantile.allCases.map(\.name) == ["p50", "p90", "p99", "p99.9"])
    }

    /// Ranks of tables of the binomial distribution: n = 20 has 6 and 15 for the median, n = 100 has 40 and 61; below
    /// six there is no interval, and of p99 none below 368.
    @Test func intervalsAreThoseOfTheTables() {
        #expect(BinomialRanks.of(5, permille: 500) == nil && BinomialRanks.of(6, permille: 500) == 1...6)
        #expect(BinomialRanks.of(20, permille: 500) == 6...15 && BinomialRanks.of(100, permille: 500) == 40...61)
        #expect(BinomialRanks.of(367, permille: 990) == nil && BinomialRanks.of(368, permille: 990) != nil)
        #expect(BinomialRanks.of(0, permille: 500) == nil)
        let large = BinomialRanks.of(1_000_000, permille: 500)
        #expect(large == 499_020...500_981)
    }

    /// Wilson 1927, as scipy's `binomtest(k, n).proportion_ci(method="wilson")` has it.
    @Test func sharesHaveWilsonsInterval() throws {
        let all = try #require(Share(10, of: 10))
        #expect(abs(all.interval.lowerBound - 0.72247) < 1e-5 && all.interval.upperBound == 1)
        let half = try #require(Share(5, of: 10))
        #expect(abs(half.interval.lowerBound - 0.23659) < 1e-5 && abs(half.interval.upperBound - 0.76341) < 1e-5)
        #expect(Share(0, of: 0) == nil && Share(3, of: 2) == nil && Share(-1, of: 2) == nil)
    }
}
