// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GateTrial

/// Files of traces.
@Suite struct RSSITraceTests {
    private static func parse(_ rows: String...) throws(TraceFault) -> [RSSITrace] {
        let text = ([RSSITrace.header] + rows).joined(separator: "\n")
        return try RSSITrace.parse(Array(text.utf8), source: "x.csv")
    }

    @Test func takesMayBeInterleaved() throws {
        let traces = try Self.parse("a,0,0.5,room/hand,-50", "b,0.005,,,-70", "a,0.030,0.6,room/hand,-51\r", "")
        #expect(traces.map(\.name) == ["a", "b"])
        #expect(traces[0].condition == "room/hand" && traces[0].source == "x.csv")
        #expect(
            traces[0].readings == [
                .init(at: .zero, metres: 0.5, dBm: -50), .init(at: .milliseconds(30), metres: 0.6, dBm: -51),
            ])
        #expect(traces[1].readings == [.init(at: .milliseconds(5), metres: nil, dBm: -70)])
    }

    static let faults: [([String], String)] = [
        (["a,0,0.5,-50"], "2: 4 columns; 5 are needed: trace,seconds,distance_m,condition,rssi_dbm"),
        ([",0,0.5,x,-50"], "2: trace is empty; give the take a name"),
        (["a,soon,0.5,x,-50"], "2: seconds \"soon\": a number from 0 to 86400 is needed"),
        (["a,nan,0.5,x,-50"], "2: seconds \"nan\": a number from 0 to 86400 is needed"),
        (["a,1e9,0.5,x,-50"], "2: seconds \"1e9\": a number from 0 to 86400 is needed"),
        (["a,0,near,x,-50"], "2: distance_m \"near\": a number from 0, or nothing, is needed"),
        (["a,0,-1,x,-50"], "2: distance_m \"-1\": a number from 0, or nothing, is needed"),
        (["a,0,1,x,42"], "2: rssi_dbm \"42\": -126 to -1 is needed"),
        (["a,0,1,x,-127"], "2: rssi_dbm \"-127\": -126 to -1 is needed"),
        (["a,2,1,x,-50", "a,1,1,x,-50"], "3: a time before the last of trace a; sort its rows"),
        (["a,1,1,x,-50", "a,2,1,y,-50"], "3: another condition within trace a; name it otherwise"),
        ([], "1: no rows below the header"),
    ]

    @Test(arguments: faults) func aFaultNamesItsLine(rows: [String], text: String) {
        let octets = Array(([RSSITrace.header] + rows).joined(separator: "\n").utf8)
        let fault = #expect(throws: TraceFault.self) { try RSSITrace.parse(octets, source: "x.csv") }
        #expect(fault?.description == text)
    }

    @Test func anotherFileIsNoFileOfTraces() {
        for text in ["", "time,dBm\n1,-50\n", "\u{FEFF}" + RSSITrace.header + "\na,0,1,x,-50"] {
            let fault = #expect(throws: TraceFault.self) { try RSSITrace.parse(Array(text.utf8), source: "x.csv") }
            #expect(
                fault?.description == "1: the first line has to be trace,seconds,distance_m,condition,rssi_dbm")
        }
    }

    /// Octets that are no UTF-8 become a value that is none.
    @Test func octetsThatAreNoTextAreRefused() {
        let octets = Array((RSSITrace.header + "\na,").utf8) + [0xFF, 0xFE] + Array(",1,x,-50".utf8)
        let fault = #expect(throws: TraceFault.self) { try RSSITrace.parse(octets, source: "x.csv") }
        #expect(fault?.line == 2)
    }
}
