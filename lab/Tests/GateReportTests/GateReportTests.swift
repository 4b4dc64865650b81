// SPDX-License-Identifier: Apache-2.0

import GateTrial
import Proximity
import Statistics
import Testing

@testable import GateReport

/// Rates of the reader's gate on traces, and thresholds, by group.
@Suite struct GateReportTests {
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

    private static let near = trace(Array(repeating: -50, count: 15), metres: 0.5, name: "near")
    private static let far = trace(Array(repeating: -70, count: 15), metres: 4, name: "far", condition: "hall")
    private static let unknown = trace(Array(repeating: -50, count: 15), metres: nil, name: "unknown", condition: "")

    @Test func rowsAreByDistance() {
        let report = GateReport([Self.far, Self.unknown, Self.near], GateTrial(), by: [.distance])
        #expect(report.rows.map(\.group) == [["0.5-1 m"], ["3-5 m"], ["-"]])
        #expect(report.rows.map(\.rate.share) == [1, 0, 1])
        #expect(report.rows.map(\.opened[.median]) == [.milliseconds(90), nil, .milliseconds(90)])
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

    /// Of ten traces of a file, the first and the sixth.
    @Test func everyFifthTraceCanBeKeptAside() {
        let traces = (0..<10).map { number in
            Self.trace(Array(repeating: number % 5 == 0 ? -50 : -70, count: 15), metres: 0.5, name: "\(number)")
        }
        let rows = GateReport(traces, GateTrial(), by: [.distance], keepsAside: true).rows
        #expect(rows.map(\.rate.traces) == [8] && rows.map(\.rate.share) == [0])
        #expect(rows.map(\.aside?.traces) == [2] && rows.map(\.aside?.share) == [1])
        let all = GateReport(traces, GateTrial(), by: [.distance]).rows
        #expect(all.map(\.rate.opened) == [2] && all.map(\.aside) == [nil])
    }

    // MARK: The bench

    /// A file with two packets a second has too few in a window of 400 ms: it is read packet by packet.
    @Test func theBenchReadsAtThePaceOfTheFile() {
        let dense = GateBench("x.csv", [Self.near, Self.far], gate: .init())
        #expect(!dense.isByPackets && dense.report.rows.map(\.rate.share) == [1, 0])
        #expect(dense.report.rows.map(\.isNear) == [true, false])
        let sparse = Self.trace(Array(repeating: -50, count: 60), each: 500, metres: 0.5)
        let bench = GateBench("x.csv", [sparse], gate: .init())
        #expect(bench.isByPackets && bench.report.rows.map(\.rate.windows) == [4] && bench.report.sparse.isEmpty)
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
