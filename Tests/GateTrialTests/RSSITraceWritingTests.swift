// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GateTrial

/// Rows that are written are those that are read.
@Suite struct RSSITraceWritingTests {
    @Test func aRowIsText() {
        var octets: [UInt8] = []
        RSSITrace.appendRow(name: "17", milliseconds: 30, condition: "access", dBm: -57, to: &octets)
        RSSITrace.appendRow(name: "17", milliseconds: 61_005, condition: "", dBm: -126, to: &octets)
        #expect(String(decoding: octets, as: UTF8.self) == "17,0.030,,access,-57\n17,61.005,,,-126\n")
    }

    @Test func aFileIsReadAgain() throws {
        let traces = [
            RSSITrace(
                source: "x.csv", name: "door-1", condition: "door",
                readings: [
                    .init(at: .zero, metres: nil, dBm: -1), .init(at: .milliseconds(999), metres: nil, dBm: -100),
                    .init(at: .milliseconds(86_400_000), metres: nil, dBm: -9),
                ]),
            RSSITrace(
                source: "x.csv", name: "away-1", condition: "away",
                readings: [.init(at: .milliseconds(25), metres: nil, dBm: -80)]),
        ]
        #expect(try RSSITrace.parse(RSSITrace.file(traces), source: "x.csv") == traces)
    }

    /// A quotient of durations is a Double, which is a millisecond short for some times of more than 295 s.
    @Test func noMillisecondIsLostOverADay() throws {
        let readings = stride(from: 295_000, through: 86_400_000, by: 9_973).map {
            RSSITrace.Reading(at: .milliseconds($0), metres: nil, dBm: -60)
        }
        let trace = RSSITrace(source: "x.csv", name: "1", condition: "", readings: readings)
        #expect(try RSSITrace.parse(RSSITrace.file([trace]), source: "x.csv") == [trace])
    }

    /// The recording of a reading on the path of a link must not allocate.
    @Test func aRowFitsTheReservedCapacity() {
        var octets: [UInt8] = []
        octets.reserveCapacity(256)
        let capacity = octets.capacity
        for _ in 0..<4 {
            RSSITrace.appendRow(
                name: "4294967295", milliseconds: .max, condition: "access-ibeacon", dBm: -126, to: &octets)
        }
        #expect(octets.capacity == capacity && octets.count == 4 * 44)
    }
}
