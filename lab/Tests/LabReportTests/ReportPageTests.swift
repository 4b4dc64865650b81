// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LabReport

/// The page of a run. Tests/Interop looks at it in Chromium and with html5lib.
@Suite struct ReportPageTests {
    @Test func failuresComeFirst() throws {
        let text = ReportPage.text(Runs.ofAllResults)
        let failure = try #require(text.firstRange(of: "a &lt; b"))
        let list = try #require(text.firstRange(of: "All 4 cases"))
        let again = try #require(text.firstRange(of: "readerlab scenario x --seed 7"))
        #expect(again.lowerBound < failure.lowerBound && failure.lowerBound < list.lowerBound)
        #expect(text.contains("✗</span> scenario x: 2 failed of 4, 1 skipped"))
    }

    @Test func severalFailuresAreFoldedAndASingleOneIsOpen() {
        var run = Runs.ofAllResults
        let folded = ReportPage.text(run)
        #expect(folded.contains("<details class=\"failure\"><summary><strong>") && !folded.contains(" open>"))
        #expect(folded.contains("scenario.x seed 7 (2)</strong><br>a &lt; b</summary>\n<pre>more &amp; more</pre>"))
        // Without more to show there is nothing to unfold.
        #expect(folded.contains("<p class=\"failure\"><strong>"))
        run.cases.removeLast()
        #expect(ReportPage.text(run).contains("<details class=\"failure\" open><summary>"))
    }

    @Test func nothingIsFetched() {
        var run = Runs.ofAllResults
        run.plots = [Self.plot]
        let text = ReportPage.text(run)
        #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"))
        #expect(!text.contains("https:") && !text.contains("<script") && !text.contains("src=\""))
        let addresses = text.split(separator: "http:").dropFirst()
        #expect(addresses.count == 1 && addresses.allSatisfy { $0.hasPrefix("//www.w3.org/2000/svg\"") })
    }

    @Test func textCannotBecomeMarkup() {
        var run = Runs.ofAllResults
        run.suite = "<script>alert(1)</script>"
        run.cases[1].output = "</pre><img src=x onerror=alert(1)>\u{0}"
        let text = ReportPage.text(run)
        #expect(!text.contains("<script") && !text.contains("<img") && !text.contains("\u{0}"))
    }

    @Test func aPictureHasATitleADescriptionAndATable() {
        var run = Runs.ofAllResults
        run.plots = [Self.plot]
        let text = ReportPage.text(run)
        #expect(text.contains("<title>Rate</title>\n<desc>The rate by distance.</desc>"))
        #expect(text.contains("<td>a</td><td>1 m</td><td>50 %</td><td>40 % to 60 %</td>"))
    }

    @Test func changesAreMarkedByMoreThanColour() {
        let former = Baseline(Runs.of(100, 99...101))
        let now = Runs.of(150, 149...151, limit: .atMost(120))
        let text = ReportPage.text(now, comparison: BaselineComparison(now, with: former))
        #expect(text.contains("▼ worse: +50.0 %") && text.contains("✗ missed") && text.contains("at most 120 us"))
    }

    @Test func axesHaveRoundMarks() {
        #expect(LabPlot.Axis("", upTo: 7.3).marks == [0, 2, 4, 6, 8])
        #expect(LabPlot.Axis("", upTo: 40).marks == [0, 10, 20, 30, 40])
        #expect(LabPlot.Axis("", upTo: 0).marks.count > 2 && LabPlot.Axis("", upTo: .nan).end >= 1)
    }

    private static var plot: LabPlot {
        var share = LabPlot.Axis("rate", marks: [0, 1], to: 1)
        (share.factor, share.suffix) = (100, " %")
        var metres = LabPlot.Axis("distance", marks: [0, 1], to: 2)
        metres.suffix = " m"
        return LabPlot(
            "Rate", about: "The rate by distance.", horizontal: metres, vertical: share,
            curves: [.init("a", [.init(1, 0.5, 0.4...0.6)])])
    }
}
