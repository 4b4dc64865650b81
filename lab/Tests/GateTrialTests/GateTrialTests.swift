// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import GateTrial

/// The reader's gate on traces: windows, rates and thresholds.
@Suite struct GateTrialTests {
    /// A trace with a packet each `milliseconds`.
    private static func trace(
        _ levels: [Int8], each milliseconds: Int64 = 30, metres: Double? = 1, name: String = "a",
        condition: String = "room/hand"
    ) -> RSSITrace {
        RSSITrace(
            source: "x.csv", name: name, condition: condition,
            readings: levels.enumerated().map {
                .init(at: .milliseconds(Int64($0.offset) * milliseconds), metres: metres, dBm: $0.element)
            })
    }

    /// Readings at 30, 60 and 90 ms: the third makes the median.
    @Test func aNearPhoneOpensWithTheThirdReading() {
        let outcome = GateTrial().run(Self.trace(Array(repeating: -50, count: 30)))
        // 870 ms: windows of 400 ms from 0 and from 420 ms, the first packet after the end.
        #expect(outcome.windows.map(\.openedAfter) == [.milliseconds(90), .milliseconds(90)])
        #expect(outcome.windows.map(\.packets) == [4, 4] && outcome.sparse == 0)
    }

    /// Below the threshold by less than 15 dB the window runs to its end; further below, three readings end it.
    @Test(arguments: [Int8(-61), -74, -75, -100]) func aFarPhoneDoesNot(level: Int8) {
        let outcome = GateTrial().run(Self.trace(Array(repeating: level, count: 15)))
        #expect(outcome.windows.map(\.openedAfter) == [nil])
        #expect(outcome.windows.map(\.packets) == [level <= -75 ? 4 : 14])
    }

    /// The median of −70, −60 and −59 is −60: at the threshold is near.
    @Test func aPhoneThatApproachesOpensLater() {
        let levels: [Int8] = [-70, -70, -70, -70, -60, -59] + Array(repeating: -58, count: 10)
        #expect(GateTrial().run(Self.trace(levels)).windows.map(\.openedAfter) == [.milliseconds(150)])
    }

    /// A window that the take's end cuts might have opened later.
    @Test func anUnfinishedWindowIsNotCounted() {
        #expect(GateTrial().run(Self.trace(Array(repeating: -50, count: 14))) == GateTrial.Outcome())
        #expect(GateTrial().run(Self.trace([])) == GateTrial.Outcome())
    }

    /// A packet a second is repeated by no controller: such windows say nothing.
    @Test func aSparseTraceIsNotCountedUnlessItsPacketsAreTheLinks() {
        let trace = Self.trace(Array(repeating: -50, count: 15), each: 1000)
        #expect(GateTrial().run(trace).windows.isEmpty && GateTrial().run(trace).sparse == 14)
        let packets = GateTrial(pace: .packets(connectionInterval: .milliseconds(30))).run(trace)
        #expect(packets.windows.map(\.openedAfter) == [.milliseconds(90)] && packets.sparse == 0)
    }

    // MARK: Rates

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

    // MARK: Reports

    private static let near = trace(Array(repeating: -50, count: 15), metres: 0.5, name: "near")
    private static let far = trace(Array(repeating: -70, count: 15), metres: 4, name: "far", condition: "hall")
    private static let unknown = trace(Array(repeating: -50, count: 15), metres: nil, name: "unknown", condition: "")

    @Test func rowsAreByDistance() {
        let report = GateReport([Self.far, Self.unknown, Self.near], GateTrial(), by: [.distance])
        #expect(report.rows.map(\.group) == [["0.5-1 m"], ["3-5 m"], ["-"]])
        #expect(report.rows.map(\.rate.share) == [1, 0, 1] && report.rows.map(\.openedMilliseconds) == [90, nil, 90])
        #expect(report.sparse.isEmpty)
    }

    @Test func rowsAreByPartsOfTheCondition() {
        let report = GateReport([Self.far, Self.unknown, Self.near], GateTrial(), by: [.part(1), .part(2)])
        #expect(report.rows.map(\.group) == [["room", "hand"], ["hall", "-"], ["-", "-"]])
        #expect(GateReport([Self.near], GateTrial(), by: [.condition]).rows.map(\.group) == [["room/hand"]])
        #expect(GateReport([Self.near], GateTrial(), by: [.trace]).rows.map(\.group) == [["near"]])
    }

    @Test func distancesHaveTheirSpan() {
        #expect(
            [0, 0.25, 1.83, 9.99, 10, 500].map(GateReport.span)
                == ["0-0.25 m", "0.25-0.5 m", "1.5-2 m", "5-10 m", "from 10 m", "from 10 m"])
    }

    // MARK: Thresholds

    /// Near phones at −71, far ones at −80: −71 opens for all near and for none of the far.
    @Test func aThresholdSeparatesWhatCanBeSeparated() {
        let traces = (0..<10).flatMap { number in
            [
                Self.trace(Array(repeating: -71, count: 15), metres: 0.5, name: "near \(number)"),
                Self.trace(Array(repeating: -80, count: 15), metres: 3, name: "far \(number)"),
            ]
        }
        let rows = GateCalibration(traces, GateTrial(), by: [.distance], metres: 1, share: 0.95).rows
        #expect(rows.map(\.threshold) == [-71])
        #expect(rows[0].near?.share == 1 && rows[0].far?.share == 0)
        // Every fifth of twenty.
        #expect((rows[0].near?.traces ?? 0) + (rows[0].far?.traces ?? 0) == 4)
    }

    @Test func withoutNearWindowsThereIsNoThreshold() {
        let rows = GateCalibration([Self.far], GateTrial(), by: [.part(1)], metres: 1, share: 0.95).rows
        #expect(rows == [.init(source: "x.csv", group: ["hall"], threshold: nil, near: nil, far: nil)])
    }

    // MARK: The picture

    @Test func thePictureIsOneFileWithoutAddresses() {
        let svg = GatePlot.svg(GateReport([Self.near, Self.far], GateTrial(), by: [.distance]), title: "a < b & \"c\"")
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.hasSuffix("</svg>\n"))
        #expect(svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>") && svg.contains("<desc>"))
        #expect(svg.split(separator: "<circle").count == 3 && !svg.contains("script") && !svg.contains("href"))
    }
}
