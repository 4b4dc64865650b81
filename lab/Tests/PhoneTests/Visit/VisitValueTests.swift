// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Testing
import Timekeeping

@testable import Phone

/// Statistics of visits.
@Suite struct VisitValueTests {
    private static func row(_ count: Int) -> VisitStatistics.Row? {
        var statistics = VisitStatistics()
        for number in 1...count {
            statistics.record(.step(.services, sinceStart: .zero, took: .milliseconds(number)))
        }
        return statistics.rows.first
    }

    @Test func percentilesAreThereWhereTheNumberBearsThem() {
        let few = Self.row(9)
        #expect(few?.median == .milliseconds(5) && few?.minimum == .milliseconds(1) && few?.maximum == .milliseconds(9))
        #expect(few?.p90 == nil && few?.p99 == nil)
        #expect(Self.row(28)?.p90 == nil && Self.row(29)?.p90 == .milliseconds(27) && Self.row(298)?.p99 == nil)
        #expect(Self.row(299)?.p99 == .milliseconds(297) && Self.row(1)?.median == .milliseconds(1))
    }

    @Test func visitsAreCountedByTheirEnd() {
        var statistics = VisitStatistics()
        statistics.record(.ended(nil, sinceStart: .milliseconds(7)))
        statistics.record(.ended(VisitFailure(.silence, at: .token), sinceStart: .seconds(1)))
        #expect(statistics.doneCount == 1 && statistics.failedCount == 1)
        #expect(statistics.rows.map(\.step) == [nil] && statistics.rows.first?.maximum == .milliseconds(7))
        #expect(VisitStatistics().rows.isEmpty)
    }
}
