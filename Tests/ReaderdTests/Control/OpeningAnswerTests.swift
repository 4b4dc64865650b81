// SPDX-License-Identifier: Apache-2.0

import JSON
import TestSupport
import Testing

@testable import readerd

/// The answer to an opening with extended time says when it ends.
@Suite struct OpeningAnswerTests {
    private static let extended = #"{"unlock":"extended"}"#

    private func answer(_ client: BlockingClient, _ request: String = extended) throws -> JSONNode {
        try JSONParser.parse(Array((client.ask(request) ?? "").utf8))
    }

    @Test func theEndOfAnExtendedOpening() throws {
        let rig = try ProcessRig(configuration: "[door]\nextended-s = 7200\n")
        try rig.run { path, process in
            process.waitUntilRestored()
            let client = try BlockingClient(path)
            let answer = try self.answer(client)
            // A busy machine may take a while.
            #expect(answer["for-s"]?.text.flatMap { Int($0) }.map { (7100...7200).contains($0) } == true)
            // The rig's clock is the system's, and set.
            #expect(answer["until"]?.text.map { $0.utf8.count } == "2026-11-21T14:00:00+01:00".utf8.count)
            // A pulse has no such members, and ends no later opening.
            #expect(client.ask(#"{"unlock":"pulse"}"#) == #"{"ok":true}"#)
            let shown = Program.outcome(of: ["unlock", "extended", "--control", path])
            #expect(shown.code == 0 && shown.printed.first?.hasPrefix("unlocked for 7") == true)
            #expect(shown.printed.first?.contains(" s, until 2") == true)
            #expect(Program.outcome(of: ["unlock", "--control", path]).printed == ["unlocked"])
        }
    }

    /// Office mode outlasts it, so its end is not the door's.
    @Test func officeModeOutlastsIt() throws {
        let rig = try ProcessRig()
        try rig.run { path, process in
            process.waitUntilRestored()
            let client = try BlockingClient(path)
            #expect(client.ask(#"{"unlock":"office-on"}"#) == #"{"ok":true}"#)
            #expect(client.ask(Self.extended) == #"{"ok":true}"#)
        }
    }

    @Test func aRefusalHasNoEnd() throws {
        let rig = try ProcessRig()
        try rig.run { path, process in
            process.waitUntilRestored()
            let client = try BlockingClient(path)
            #expect(client.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
            let refused = try self.answer(client)
            #expect(refused["refused"]?.text == "lockdown" && refused["for-s"] == nil)
        }
    }
}
