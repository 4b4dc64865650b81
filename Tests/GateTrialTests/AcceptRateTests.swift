// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GateTrial

@Suite struct AcceptRateTests {
    @Test func tracesThatAgreeHaveAnExactInterval() throws {
        let always = try #require(AcceptRate(Array(repeating: .init(windows: 20, opened: 20), count: 36)))
        #expect(always.traces == 36 && always.windows == 720 && always.share == 1)
        // 0.025 to the power 1/36.
        #expect(abs((always.interval?.lowerBound ?? 0) - 0.9026) < 0.0001 && always.interval?.upperBound == 1)
        let never = try #require(AcceptRate([.init(windows: 20, opened: 0)]))
        #expect(never.interval?.lowerBound == 0 && abs((never.interval?.upperBound ?? 0) - 0.975) < 1e-9)
    }

    /// Ten traces of which half always open: a binomial of ten, 20 to 80 %, however many windows they have.
    @Test(arguments: [1, 1000]) func anIntervalCountsTraces(windows: Int) throws {
        let tallies = (0..<10).map { AcceptRate.Tally(windows: windows, opened: $0 % 2 * windows) }
        let rate = try #require(AcceptRate(tallies))
        #expect(rate.share == 0.5 && rate.interval == 0.2...0.8)
        #expect(rate == AcceptRate(tallies))
    }

    @Test func fewTracesThatDisagreeHaveNone() {
        let tallies = (0..<4).map { AcceptRate.Tally(windows: 10, opened: $0 % 2 * 10) }
        #expect(AcceptRate(tallies)?.interval == nil)
        #expect(AcceptRate([]) == nil && AcceptRate([.init(windows: 0, opened: 0)]) == nil)
    }
}
