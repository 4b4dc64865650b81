// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Reader
import TestSupport
import Testing

@testable import readerd

/// The updater in the whole process: what `status` and the event log have of it.
@Suite struct UpdaterProcessTests {
    private func status(_ path: String) -> (rows: [String], code: Int32) {
        let outcome = Program.outcome(of: ["status", "--control", path])
        #expect(outcome.complaints == [])
        return (outcome.printed.filter { $0.hasPrefix("updater") }, outcome.code)
    }

    @Test func statusAndTheEventLogHaveIt() throws {
        let directory = try TemporaryDirectory()
        // It is busy until the test has seen that.
        let gate = directory.path + "/gate"
        try #require(mkfifo(gate, 0o600) == 0)
        let rig = try ProcessRig(
            configuration: "[updater]\ncommand = [\"/bin/sh\", \"-c\", \"cat '\(gate)'; exit 4\"]\n")
        try rig.run { path, rig in
            #expect(status(path) == (["updater     ready"], 0))
            let listener = try BlockingClient(path)
            _ = listener.ask(#"{"subscribe":"events"}"#)
            rig.onLoop {
                let updater = rig.process.service(ReaderUpdater.self)?.updater
                updater?.start(UpdateRequest(credential: "CRED000001", command: "BOOTLD"))
            }
            #expect(status(path) == (["updater     busy"], 0))
            close(open(gate, O_WRONLY))
            while let line = listener.line(), !line.contains("updater-ended") {}
            #expect(status(path) == (["updater     ready, last: ended with status 4"], 0))
        }
        let ended = try rig.events().filter { $0.contains(#""kind":"updater-ended""#) }
        #expect(ended.count == 1)
        #expect(ended.first?.contains(#""info":4"#) == true)
        #expect(ended.first?.contains(#""detail":"ended with status 4""#) == true)
    }

    /// Answered, and then readerd was told to end: the event log has that nothing came of it.
    @Test func anEndBeforeItsBeginningIsOnRecord() throws {
        let rig = try ProcessRig(configuration: "[updater]\ncommand = [\"/bin/true\"]\n")
        try rig.run { _, rig in
            rig.onLoop {
                let updater = rig.process.service(ReaderUpdater.self)?.updater
                updater?.start(UpdateRequest(credential: "CRED000001", command: "BOOTLD"))
                rig.process.end(SIGTERM)
            }
        }
        let events = try rig.events()
        #expect(events.filter { $0.contains("not started: readerd stopped before") }.count == 1)
        #expect(events.last?.contains(#""kind":"stop""#) == true)
    }

    @Test func withoutOneNothingIsShown() throws {
        let rig = try ProcessRig()
        try rig.run { path, _ in #expect(status(path) == ([], 0)) }
    }
}
