// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import LabReport

/// Figures beside those of a former run.
@Suite struct BaselineTests {
    private static func change(
        _ former: LabRun, _ now: LabRun, tolerance: Double = 0.1
    ) -> BaselineComparison.Change? {
        BaselineComparison(now, with: Baseline(former), tolerance: tolerance)["p50"]
    }

    /// Zou and Donner: from 100 (95 to 105) to 120 (115 to 125), the difference is 20 ± √50.
    @Test func aChangeHasAnInterval() throws {
        let change = try #require(Self.change(Runs.of(100, 95...105), Runs.of(120, 115...125)))
        let interval = try #require(change.interval)
        #expect(change.share == 0.2 && abs(interval.lowerBound - 0.12929) < 1e-5)
        #expect(abs(interval.upperBound - 0.27071) < 1e-5)
        #expect(change.verdict == .worse && change.text == "+20.0 % (+12.9 % to +27.1 %)")
    }

    @Test func worseIsBeyondTheIntervalAndTheTolerance() {
        #expect(Self.change(Runs.of(100, 95...105), Runs.of(120, 100...140))?.verdict == .same)
        #expect(Self.change(Runs.of(100, 99...101), Runs.of(109, 108...110))?.verdict == .same)
        #expect(Self.change(Runs.of(100, 99...101), Runs.of(109, 108...110), tolerance: 0.05)?.verdict == .worse)
        #expect(Self.change(Runs.of(100, 99...101), Runs.of(80, 79...81))?.verdict == .better)
        #expect(Self.change(Runs.of(100, nil), Runs.of(200, 199...201))?.verdict == .unjudged)
        #expect(Self.change(Runs.of(0, 0...0), Runs.of(1, 1...1))?.verdict == .worse)
    }

    @Test func moreIsBetterForARate() {
        var (former, now) = (Runs.of(100, 99...101), Runs.of(50, 49...51))
        former.metrics[0].isLessBetter = false
        now.metrics[0].isLessBetter = false
        #expect(Self.change(former, now)?.verdict == .worse && Self.change(now, former)?.verdict == .better)
    }

    @Test func worseAndMissingFiguresAreFailedCases() {
        var former = Runs.of(100, 99...101)
        former.metrics.append(LabMetric("p99", 1, "us", count: 1))
        let comparison = BaselineComparison(Runs.of(150, 149...151), with: Baseline(former))
        #expect(comparison.cases("bench", isWhole: true).map(\.name) == ["p50", "p99"])
        #expect(comparison.cases("bench", isWhole: false).map(\.name) == ["p50"])
        #expect(comparison.warnings == [])
    }

    @Test func everyFigureHasARowWorstFirst() {
        func metric(_ name: String, _ value: Double, _ unit: String = "ms", isExact: Bool = false) -> LabMetric {
            LabMetric(name, value, unit, interval: isExact ? nil : value - 1...value + 1, count: 100)
        }
        var (former, now) = (Runs.of(100, 99...101), Runs.of(100, 99...101))
        former.metrics = [
            metric("same", 100), metric("count", 4, "", isExact: true), metric("faster", 100), metric("slower", 100),
            metric("old", 7), metric("changed unit", 1, "s"),
        ]
        now.metrics = [
            metric("same", 101), metric("count", 5, "", isExact: true), metric("faster", 50), metric("slower", 200),
            metric("other", 3), metric("changed unit", 1000),
        ]
        let comparison = BaselineComparison(now, with: Baseline(former))
        #expect(
            comparison.rows == [
                ["verdict", "figure", "baseline", "now", "change (95 %)"],
                ["worse", "slower", "100 ms", "200 ms", "+100.0 % (+98.6 % to +101.4 %)"],
                ["gone", "old", "7 ms", "-", "-"], ["gone", "changed unit", "1 s", "-", "-"],
                ["better", "faster", "100 ms", "50 ms", "-50.0 % (-51.4 % to -48.6 %)"],
                ["new", "other", "-", "3 ms", "-"], ["new", "changed unit", "-", "1000 ms", "-"],
                ["within noise", "same", "100 ms", "101 ms", "+1.0 % (-0.4 % to +2.4 %)"],
                ["no interval", "count", "4", "5", "+25.0 %"],
            ])
        #expect(comparison.summary == "1 worse, 2 gone, 1 better, 2 new, 1 within noise, 1 no interval")
        #expect(BaselineComparison(Runs.ofAllResults, with: Baseline(Runs.ofAllResults)).summary == "1 within noise")
    }

    @Test func anotherVersionOrMachineIsTold() {
        var former = Runs.of(100, 99...101)
        former.version = "1.0.0"
        former.occasion?.machine = "other"
        #expect(
            BaselineComparison(Runs.of(100, 99...101), with: Baseline(former)).warnings == [
                "the baseline is of another version: 1.0.0, and this is 1.2.3",
                "the baseline is of another machine: other, and this is m",
            ])
    }

    @Test func aFileIsReadAsItWasWritten() throws {
        let baseline = Baseline(Runs.of(0.000_012_345, 0.000_01...1e9))
        #expect(try Baseline(json: Array(baseline.json.utf8)) == baseline)
        #expect(try Baseline(json: Array(Baseline(Runs.ofAllResults).json.utf8)).machine == nil)
        let octets = Array(baseline.json.utf8)
        for count in 0..<octets.count - 1 {
            #expect(throws: JSONPlaceFault.self) { try Baseline(json: Array(octets.prefix(count))) }
        }
    }

    @Test(arguments: [
        (#"{"suite":"s","version":"v","figures":[{"name":"a","unit":"","value":"1","n":1}]}"#, "must be a number"),
        (#"{"suite":"s","version":"v","figures":[{"name":"a","unit":"","value":1e999,"n":1}]}"#, "too large"),
        (
            #"{"suite":"s","version":"v","figures":[{"name":"a","unit":"","value":1,"low":2,"high":1,"n":1}]}"#,
            "is above"
        ),
        (#"{"suite":"s","version":"v"}"#, "lacks \"figures\""), ("[]", "must be an object"),
    ])
    func wrongFilesAreToldWhere(_ text: String, _ words: String) {
        let fault = #expect(throws: JSONPlaceFault.self) { try Baseline(json: Array(text.utf8)) }
        #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test func aFigureBeyondItsBoundIsAFailedCase() {
        var run = Runs.of(5, nil, limit: .atMost(4))
        #expect(run.isPassed)
        run.judgeLimits()
        #expect(!run.isPassed && run.cases.first?.className == "bench.limits")
        run = Runs.of(5, nil, limit: .atLeast(4))
        run.judgeLimits()
        #expect(run.isPassed && run.cases.isEmpty)
    }
}
