// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import JSON
import Reader
import Testing
import Timekeeping

@testable import readerd

/// Without a time nobody's credential can be checked; exits and operators open (docs/operate/faults.md).
@Suite struct ClockFaultTests {
    /// 2026-11-21 12:00:00 UTC, a Saturday.
    private static let noon: Int64 = 1_795_262_400

    @Test func anUnsetClockIsAFaultUntilItIsSet() throws {
        let trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 0, isSynchronised: false) })
        let rig = try ProcessRig(configuration: alwaysOpen, trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .clockUnset)
            #expect(shown?.hasSince == false)
            #expect(try rig.metric(client, .clockUnset) == "1")
            #expect(try rig.doorState(client) == "secured", "no hours without a clock")
            rig.exitFreesTheLock()
            rig.operatorOpens(client)
            let printed = try statusTable(rig.controlPath)
            #expect(printed.contains { $0.hasPrefix("fault       clock-unset for 00:") })
            #expect(client.ask(#"{"set-time":\#(Self.noon)}"#) == #"{"ok":true}"#)
            #expect(try rig.shownFaults(client) == [])
            #expect(try rig.metric(client, .clockUnset) == "0")
        }
        #expect(rig.told(.clockUnset) == 1)
    }

    private func statusTable(_ path: String) throws -> [String] {
        let outcome = Program.outcome(of: ["status", "--control", path])
        #expect(outcome.code == 0 && outcome.complaints == [])
        return outcome.printed
    }

    @Test func aClockThatNobodySetForADayIsStale() throws {
        let skew = ProcessRig.Skew()
        let trouble = ProcessRig.Trouble(
            system: {
                WallClock.SystemTime(seconds: Self.noon + skew.value.wholeMilliseconds / 1000, isSynchronised: false)
            }, skew: skew)
        let rig = try ProcessRig(configuration: "[door]\nschedules = [\"sun 13:00-14:00\"]\n", trouble: trouble)
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            #expect(try rig.shownFaults(client) == [])
            rig.onLoop {
                // Just within the office hours of the next day.
                rig.skew.value = .seconds(25 * 3600 + 60)
                rig.process.device.advance(to: rig.process.moment)
                rig.process.flush()
            }
            let fault = try rig.wait(client, for: .clockStale)
            #expect(fault?.hasSince == true)
            #expect(try rig.doorState(client) == "held-open", "the hours go on")
            rig.operatorOpens(client)
        }
        #expect(rig.told(.clockStale) == 1)
        #expect(try rig.events().contains { $0.contains(#""kind":"clock-quality","code":39,"info":2"#) })
    }

    /// The log cannot be read at the start: the file beside it says when the last event was, and no phone sets the
    /// clock to before that.
    @Test func theFileBesideTheLogTellsTheFloor() throws {
        nonisolated(unsafe) var descriptor: Int32 = -1
        let trouble = ProcessRig.Trouble(
            system: { WallClock.SystemTime(seconds: 0, isSynchronised: false) },
            prepare: { state in
                try FaultLog.make(in: state)
                descriptor = try FaultLog.hold(in: state)
            })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            try rig.wait(client, for: .logInUse)
            rig.waitUntilRestored()
            rig.onLoop {
                #expect(!rig.process.faults.has(.clockFloorUnknown))
                var events: [ReaderClock.Event] = []
                let before = rig.process.wall.set(to: FaultLog.lastEvent - 1, by: .phone, into: &events)
                #expect(before == .tooEarly)
                let after = rig.process.wall.set(to: FaultLog.lastEvent, by: .phone, into: &events)
                #expect(after == .done)
            }
            close(descriptor)
        }
    }

    /// The first record of a run is made before the clock of the last one is known, and has its time all the same.
    @Test func theStartHasTheTimeOfTheKeptClock() throws {
        let ahead: Int64 = 3 * 86_400
        let trouble = ProcessRig.Trouble(
            system: { WallClock.SystemTime(seconds: Self.noon, isSynchronised: false) },
            prepare: { state in
                let marks = ClockMarks(offset: ahead, latest: Self.noon + ahead - 600)
                try FaultLog.make(
                    in: state, settings: [ClockMarks.setting: marks.octets], lastEvent: Self.noon + ahead - 600)
            })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            rig.operatorOpens(client)
        }
        let records = try rig.events().map { try JSONParser.parse(Array($0.utf8)) }
        let kinds = records.map { $0["kind"]?.text ?? "" }
        #expect(kinds.filter { $0 == "start" }.count == 2)
        let times = records.compactMap { $0["time"]?.text }
        #expect(times == times.sorted(), "no record is earlier than the one before")
        let start = try #require(records.last { $0["kind"]?.text == "start" })
        // The clock is read at noon, after the start.
        #expect(start["time"]?.text?.hasPrefix("2026-11-24T11:59:") == true && start["clock"]?.text == "phone")
    }

    /// A clock that nobody has set: the start has no time, and says so.
    @Test func theStartOfAnUnsetClockHasNoTime() throws {
        let trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 0, isSynchronised: false) })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { _, rig in rig.waitUntilRestored() }
        let start = try #require(try rig.events().map { try JSONParser.parse(Array($0.utf8)) }.first)
        #expect(start["kind"]?.text == "start" && start["clock"]?.text == "unset" && start["time"]?.text == nil)
    }

    /// A request that comes with the first moments waits for the kept clock: `set-time` succeeds, or has a true reason.
    @Test func theClockCanBeSetFromTheFirstMomentOn() throws {
        let trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 0, isSynchronised: false) })
        let rig = try ProcessRig(trouble: trouble)
        try rig.run { path, _ in
            // Connected before anything is served: the socket exists from before the start.
            let client = try BlockingClient(path)
            #expect(client.ask(#"{"set-time":\#(Self.noon + 60)}"#) == #"{"ok":true}"#)
        }
    }
}
