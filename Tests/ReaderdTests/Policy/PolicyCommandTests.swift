// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import Reader
import System
import TestSupport
import Testing

@testable import readerd

/// `readerd policy`, on what a store has written.
@Suite struct PolicyCommandTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(directory.path)
    }

    private func perform(_ arguments: String...) -> ProgramOutcome {
        Program.outcome(of: ["policy"] + arguments + ["--state", directory.path])
    }

    @Test func showTellsGenerationEntriesAndNames() throws {
        try FaultLog.make(in: state, settings: ["b": [1], "a": [2]], blacklist: FaultLog.revoked)
        let shown = perform("show")
        #expect(shown.code == 0)
        #expect(
            shown.printed == [
                "policy: sound, generation 4, 1 revoked", "revoked     until", "REVOKED001  2089-01-01T12:00",
                "settings: a, b",
            ])
        #expect(
            perform("show", "--json").printed == [
                #"{"sound":true,"whole":true,"generation":4,"blacklist":1,"settings":["a","b"],"revoked":[{"credential":"REVOKED001","until":"2089-01-01T12:00"}]}"#
            ])
        try directory.write("policy.b", "x", mode: 0o600)
        #expect(perform("show").printed[0].hasSuffix("; incomplete: repaired at the next start"))
        unlink(state.file("policy.a"))
        let lost = perform("show")
        #expect(lost.code == 1)
        #expect(lost.printed == ["policy: NOT SOUND: policy.a and policy.b are missing, damaged or another device's"])
        #expect(perform("show", "--json").printed[0].hasPrefix(#"{"sound":false,"finding":"policy.a"#))
        // Looking repairs nothing.
        #expect(!directory.names().contains("policy.a"))
    }

    /// `events --verify` and the self-test say it as well.
    @Test func whoeverVerifiesIsToldOfThePolicy() throws {
        try FaultLog.make(in: state, blacklist: FaultLog.revoked)
        let verify = ["events", "--verify", "--state", directory.path]
        let verification = Program.outcome(of: verify)
        #expect(verification.code == 0)
        #expect(verification.printed[1] == "policy: sound, generation 2, 1 revoked")
        var settings = SettingsFile.decode([UInt8]().span).settings
        settings.events.maximumWaitMilliseconds = TestTimeout.milliseconds
        let test = StoredTest(state: state, settings: settings)
        #expect(!test.disk.hasFailed && test.disk.detail.contains("policy of generation 2, 1 revoked"))
        for name in ["policy.a", "policy.b", "policy.count"] { unlink(state.file(name)) }
        #expect(Program.outcome(of: verify).code == 1)
        #expect(test.disk.hasFailed && test.disk.detail.contains("readerd policy begin --yes"))
    }

    @Test func withoutYesNothingIsBegun() throws {
        try FaultLog.make(in: state, blacklist: FaultLog.revoked)
        for wrong in [["begin"], ["show", "--yes"], ["begin", "--yes", "--json"], [], ["show", "begin"], ["--yes"]] {
            #expect(throws: ReaderdError.self) { try PolicyCommand.Options(wrong[...]) }
        }
        #expect(perform("begin").code == 2)
        #expect(perform("show").printed[0].contains("1 revoked"))
    }

    @Test func aReaderThatRunsIsInTheWay() throws {
        try FaultLog.make(in: state, blacklist: FaultLog.revoked)
        let lock = try StateLock.acquire(state, for: .run)
        #expect(perform("begin", "--yes").complaints.first?.contains("in use by a readerd") == true)
        lock.release()
        let begun = perform("begin", "--yes")
        #expect(begun.printed[2].contains("every order and state from afar is refused"), "no event has a time")
        #expect(begun.code == 0 && begun.printed[0].hasSuffix("new policy, generation 3, no revoked credentials"))
        #expect(perform("show").printed == ["policy: sound, generation 3, 0 revoked", "settings: begun-at, begun-by"])
    }

    /// The time is certain if the clock is synchronised, or is not before the last event; it is said otherwise, and the
    /// policy has no time then.
    @Test func theTimeOfTheBeginning() {
        let (built, now) = (Int64(1_795_219_200), Int64(1_800_000_000))
        let rows: [(system: Int64, isSynchronised: Bool, lastEvent: Int64?, seconds: Int64?)] = [
            (now, true, nil, now), (now, false, now, now), (now, false, now - 9, now), (now, true, now - 9, now),
            // Not set.
            (0, false, nil, nil), (0, true, nil, nil), (built - 1, false, built - 2, nil), (0, false, now, nil),
            // Put back, also by a time service.
            (now - 1, false, now, nil), (now - 1, true, now, nil),
            // Nothing vouches for it.
            (now, false, nil, nil),
        ]
        for row in rows {
            let system = WallClock.SystemTime(seconds: row.system, isSynchronised: row.isSynchronised)
            let time = BeginningTime(system: system, buildTime: built, lastEvent: row.lastEvent)
            #expect(time.seconds == row.seconds, "\(row)")
            let text =
                row.seconds == nil ? "every order and state from afar is refused" : "signed before 2027-01-15T08:00:00"
            #expect(time.line.contains(text), "\(time.line)")
        }
    }

    @Test func resetTakesThePolicyAway() throws {
        try FaultLog.make(in: state, blacklist: FaultLog.revoked)
        try directory.write("policy.a.new", "x", mode: 0o600)
        let reset = Program.outcome(of: ["reset", "--yes", "--state", directory.path])
        #expect(reset.code == 0 && reset.complaints == [] && directory.names() == ["readerd.lock"])
    }
}
