// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import Reader
import Testing
import Timekeeping

@testable import readerd

/// Without a time nobody's credential can be checked; exits and operators open (docs/faults.md).
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
        let trouble = ProcessRig.Trouble(
            system: { WallClock.SystemTime(seconds: 0, isSynchronised: false) },
            prepare: { state in
                try FaultLog.make(in: state)
                for suffix in ["", "-wal", "-shm"] { unlink(state.file("events.db") + suffix) }
                try #require(mkdir(state.file("events.db"), 0o700) == 0)
            })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            try rig.wait(client, for: .logCannotOpen)
            rig.waitUntilRestored()
            rig.onLoop {
                #expect(!rig.process.faults.has(.clockFloorUnknown))
                var events: [ReaderClock.Event] = []
                let before = rig.process.wall.set(to: FaultLog.lastEvent - 1, by: .phone, into: &events)
                #expect(before == .tooEarly)
                let after = rig.process.wall.set(to: FaultLog.lastEvent, by: .phone, into: &events)
                #expect(after == .done)
            }
            rmdir(rig.directory.path + "/state/events.db")
        }
    }
}
