// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// The answer to an updater that asks before a restart.
@Suite struct QuietTests {
    private static func ask(_ path: String) throws -> String {
        try BlockingClient(path).ask(#"{"get":"quiet"}"#) ?? ""
    }

    private static let quiet = #"{"ok":true,"quiet":true,"disturbs":[]}"#

    @Test func aReaderAtRestIsQuietAndADoorInUseIsNot() throws {
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 300\n")
        try rig.run { path, process in
            process.waitUntilRestored()
            #expect(eventually { (try? Self.ask(path)) == Self.quiet })
            let client = try BlockingClient(path)
            let rows: [(String, String)] = [
                (#"{"lockdown":"on"}"#, "lockdown"), (#"{"lockdown":"off"}"#, ""),
                (#"{"unlock":"pulse"}"#, "unlocked"), (#"{"unlock":"office-off"}"#, ""),
                (#"{"unlock":"office-on"}"#, "unlocked"), (#"{"unlock":"office-off"}"#, ""),
            ]
            for (order, reason) in rows {
                #expect(client.ask(order)?.contains(#""ok":true"#) == true)
                let expected =
                    reason.isEmpty ? Self.quiet : #"{"ok":true,"quiet":false,"disturbs":["\#(reason)"]}"#
                #expect(eventually { (try? Self.ask(path)) == expected }, "\(order)")
            }
        }
    }

    /// The status shows that a restart waits, until the answer is quiet or nobody asks any longer.
    @Test func aRestartThatWaits() throws {
        let rig = try ProcessRig()
        try rig.run { path, process in
            process.waitUntilRestored()
            let client = try BlockingClient(path)
            func restart() throws -> JSONNode? {
                try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))["restart"]
            }
            #expect(eventually { (try? Self.ask(path)) == Self.quiet })
            #expect(try restart() == nil)
            _ = client.ask(#"{"lockdown":"on"}"#)
            #expect(eventually { (try? Self.ask(path)) == #"{"ok":true,"quiet":false,"disturbs":["lockdown"]}"# })
            #expect(try restart()?["disturbs"]?.elements.compactMap(\.text) == ["lockdown"])
            #expect(try restart()?["waits-s"]?.text != nil)
            _ = client.ask(#"{"lockdown":"off"}"#)
            #expect(eventually { (try? Self.ask(path)) == Self.quiet })
            #expect(try restart() == nil)
        }
    }

    @Test func aSeriesOfQuestionsIsOneRestart() {
        func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
        var restart = WaitingRestart()
        #expect(restart.seconds(at: at(0)) == nil)
        restart.ask(isQuiet: false, at: at(100))
        #expect(restart.seconds(at: at(100)) == 0 && restart.seconds(at: at(160)) == 60)
        #expect(restart.seconds(at: at(161)) == nil)
        restart.ask(isQuiet: false, at: at(160))
        #expect(restart.seconds(at: at(170)) == 70)
        // Another series after a pause, and the end of one.
        restart.ask(isQuiet: false, at: at(300))
        #expect(restart.seconds(at: at(310)) == 10)
        restart.ask(isQuiet: true, at: at(320))
        #expect(restart.seconds(at: at(320)) == nil)
    }

    /// The lines and the exit status for scripts; a reader that does not answer is not quiet.
    @Test func theCommand() throws {
        let rig = try ProcessRig()
        try rig.run { path, process in
            process.waitUntilRestored()
            #expect(eventually { (try? Self.ask(path)) == Self.quiet })
            func run(_ options: String...) -> (status: Int32, printed: [String]) {
                let outcome = Program.outcome(of: ["quiet", "--control", path] + options)
                return (outcome.code, outcome.printed)
            }
            #expect(run() == (0, ["quiet"]))
            #expect(run("--json") == (0, [Self.quiet]))
            _ = try BlockingClient(path).ask(#"{"lockdown":"on"}"#)
            #expect(eventually { run() == (1, ["not quiet: lockdown"]) })
            #expect(run("--json").status == 1)
        }
        let outcome = Program.outcome(of: ["quiet", "--control", rig.controlPath])
        #expect(outcome.code == 1 && outcome.complaints.count == 1)
    }
}
