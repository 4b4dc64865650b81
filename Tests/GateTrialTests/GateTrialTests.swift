// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GateTrial

/// The reader's gate on traces: windows and their decisions.
@Suite struct GateTrialTests {
    /// Readings at 30, 60 and 90 ms: the third makes the median.
    @Test func aNearPhoneOpensWithTheThirdReading() {
        let outcome = GateTrial().run(RSSITrace.trace(Array(repeating: -50, count: 30)))
        // 870 ms: windows of 400 ms from 0 and from 420 ms, the first packet after the end.
        #expect(outcome.windows.map(\.openedAfter) == [.milliseconds(90), .milliseconds(90)])
        #expect(outcome.windows.map(\.packets) == [4, 4] && outcome.sparse == 0)
    }

    /// Below the threshold by less than 15 dB the window runs to its end; further below, three readings end it.
    @Test(arguments: [Int8(-61), -74, -75, -100]) func aFarPhoneDoesNot(level: Int8) {
        let outcome = GateTrial().run(RSSITrace.trace(Array(repeating: level, count: 15)))
        #expect(outcome.windows.map(\.openedAfter) == [nil])
        #expect(outcome.windows.map(\.packets) == [level <= -75 ? 4 : 14])
    }

    /// The median of −70, −60 and −59 is −60: at the threshold is near.
    @Test func aPhoneThatApproachesOpensLater() {
        let levels: [Int8] = [-70, -70, -70, -70, -60, -59] + Array(repeating: -58, count: 10)
        #expect(GateTrial().run(RSSITrace.trace(levels)).windows.map(\.openedAfter) == [.milliseconds(150)])
    }

    /// A window that the take's end cuts might have opened later.
    @Test func anUnfinishedWindowIsNotCounted() {
        #expect(GateTrial().run(RSSITrace.trace(Array(repeating: -50, count: 14))) == GateTrial.Outcome())
        #expect(GateTrial().run(RSSITrace.trace([])) == GateTrial.Outcome())
    }

    /// A packet a second is repeated by no controller: such windows say nothing.
    @Test func aSparseTraceIsNotCountedUnlessItsPacketsAreTheLinks() {
        let trace = RSSITrace.trace(Array(repeating: -50, count: 15), each: 1000)
        #expect(GateTrial().run(trace).windows.isEmpty && GateTrial().run(trace).sparse == 14)
        let packets = GateTrial(pace: .packets(connectionInterval: .milliseconds(30))).run(trace)
        #expect(packets.windows.map(\.openedAfter) == [.milliseconds(90)] && packets.sparse == 0)
    }
}
