// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import Glibc
import JSON
import Journal
import Logging
import Reader
import TestSupport
import Testing

@testable import readerd

/// The whole process, asked over its control socket.
@Suite struct ReaderProcessTests {
    private func command(_ arguments: String..., path: String) -> ProgramOutcome {
        Program.outcome(of: arguments + ["--control", path])
    }

    private func member(_ line: String?, _ path: String...) -> JSONNode? {
        guard var node = try? JSONParser.parse(Array((line ?? "").utf8)) else { return nil }
        for name in path {
            guard let next = node[name] else { return nil }
            node = next
        }
        return node
    }

    @Test func anOperatorOpensTheDoorAndIsOnRecord() throws {
        // The pulse lasts longer than the test on any machine.
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 300\n")
        try rig.serve { client, _ in
            #expect(member(client.ask(#"{"get":"status"}"#), "door", "state")?.text == "secured")
            #expect(client.ask(#"{"unlock":"pulse","id":"one"}"#) == #"{"ok":true,"id":"one"}"#)
            #expect(client.ask(#"{"unlock":"pulse","id":"one"}"#) == #"{"ok":true,"id":"one"}"#)
            let status = client.ask(#"{"get":"status"}"#)
            #expect(member(status, "door", "state")?.text == "unlocked")
            #expect(member(status, "door", "openings")?.text == "1")
            #expect(client.ask(#"{"unlock":"office-off"}"#) == #"{"ok":true}"#)
            #expect(member(client.ask(#"{"get":"status"}"#), "door", "state")?.text == "secured")
        }
        let events = try rig.events()
        let opened = events.filter { $0.contains(#""kind":"unlocked""#) }
        #expect(opened.count == 1)
        #expect(opened.first?.contains(#""channel":"control","command":"pulse","actor":"uid \#(getuid())""#) == true)
        #expect(events.contains { $0.contains(#""command":"office-x""#) })
        // The end is on record too, and the log is whole.
        #expect(events.last?.contains(#""kind":"stop""#) == true)
        #expect(
            rig.lines.all.contains("door: unlocked for a grant\n")
                && rig.lines.all.contains("door: secured after a grant\n"))
        #expect(rig.lines.all.contains("control: uid \(getuid()) (process \(getpid())): {\"unlock\":\"pulse\""))
    }

    @Test func aLockdownRefusesAndIsRecorded() throws {
        let rig = try ProcessRig()
        try rig.run { path, _ in
            #expect(command("lockdown", "on", path: path).printed == ["locked down until: readerd lockdown off"])
            let refused = command("unlock", path: path)
            #expect(refused.code == 1 && refused.printed == [])
            #expect(
                refused.complaints
                    == ["readerd: not done: lockdown is active; end it: readerd lockdown off"])
            #expect(
                command("status", path: path).printed.first
                    == "door        lockdown, sign lockdown, simulated lock, opened 0 times")
            #expect(command("lockdown", "off", path: path).code == 0)
            let unlocked = command("unlock", "extended", "--id", "x", path: path).printed.first
            #expect(unlocked?.hasPrefix("unlocked for 3") == true)
            #expect(
                command("tamper-reset", path: path).complaints.first?.contains("the door is not blocked by tamper")
                    == true)
        }
        let events = try rig.events()
        #expect(
            events.contains {
                $0.contains(#""kind":"withdrawn""#) && $0.contains(#""info":0,"reason":"lockdown","#)
                    && $0.contains(#""detail":"lockdown""#)
            })
        #expect(events.filter { $0.contains(#""command":"lockdown""#) }.count == 1)
        #expect(events.filter { $0.contains(#""command":"unlockdn""#) }.count == 1)
    }

    @Test func eventsAreStreamedOnceTheyAreStored() throws {
        let rig = try ProcessRig()
        try rig.run { path, _ in
            let (listener, client) = (try BlockingClient(path), try BlockingClient(path))
            #expect(listener.ask(#"{"subscribe":"events"}"#) == #"{"ok":true}"#)
            #expect(client.ask(#"{"unlock":"extended"}"#)?.hasPrefix(#"{"ok":true,"for-s":"#) == true)
            var kinds: [String] = []
            while kinds.last != "unlocked" {
                let event = member(listener.line(), "event")
                kinds.append(event?["kind"]?.text ?? "")
                #expect((event?["sequence"]?.text).flatMap { UInt64($0) } != nil)
            }
        }
    }

    @Test func reloadingTakesWhatCanChangeAndNamesTheRest() throws {
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 5\n")
        try rig.run { _, rig in
            func reload(_ text: String) {
                rig.onLoop {
                    do { try rig.directory.write("readerd.toml", text) } catch { Issue.record(error) }
                    rig.process.reload()
                }
            }
            reload("hci = \"hci-socket:1\"\nlog-level = \"debug\"\n[door]\npulse-s = 9\nfail-mode = \"safe\"\n")
            rig.onLoop {
                #expect(rig.process.setup.settings.door.pulseSeconds == 9)
                #expect(rig.process.setup.settings.door.failMode == .secure)
                #expect(rig.threshold.level == .debug)
            }
            // A fault changes nothing, and says its line.
            reload("[door]\npulse-s = 7\npuls-s = 8\n")
            rig.onLoop { #expect(rig.process.setup.settings.door.pulseSeconds == 9) }
            rig.onLoop {
                unlink(rig.configurationPath)
                rig.process.reload()
            }
        }
        let lines = rig.lines.all
        #expect(lines.contains("<5>reload: changed log-level, door.pulse-s\n"))
        #expect(lines.contains("<4>reload: takes effect with a restart: hci, door.fail-mode\n"))
        #expect(lines.contains("readerd.toml:3: door.puls-s: unknown key; did you mean door.pulse-s?\n"))
        #expect(lines.contains("readerd.toml has faults: nothing changed\n"))
        #expect(lines.contains("reload: nothing changed: \(rig.configurationPath): no such file"))
        #expect(try rig.events().filter { $0.contains(#""kind":"configuration-changed""#) }.count == 1)
    }

    /// The identity's site and door stand in the place of what the file does not say, also when it is read again.
    @Test func reloadingAProvisionedReaderFindsNothingChanged() throws {
        let provisioned = ProvisionedDoor(siteID: 2, doorID: 7)
        let trouble = ProcessRig.Trouble(prepare: { state in
            try IdentityContents(
                deviceID: "Door0001", serialNumber: "0123456789abcdef0123",
                signatureKey: P256PrivateKey.generate().publicKey, door: provisioned
            ).write(to: state)
        })
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 5\n", trouble: trouble)
        try rig.run { _, rig in
            func reload(_ text: String) {
                rig.onLoop {
                    do { try rig.directory.write("readerd.toml", text) } catch { Issue.record(error) }
                    rig.process.reload()
                    #expect(rig.process.setup.settings.reader.siteID == 2)
                    #expect(rig.process.setup.settings.reader.doorID == 7)
                }
            }
            reload("[door]\npulse-s = 5\n")
            reload("[reader]\ndoor-id = 7\n[door]\npulse-s = 5\n")
            reload("[reader]\ndoor-id = 8\n[door]\npulse-s = 6\n")
            rig.onLoop { #expect(rig.process.setup.settings.door.pulseSeconds == 5) }
        }
        let lines = rig.lines.all
        #expect(lines.split(separator: "reload: no changes\n", omittingEmptySubsequences: false).count == 3)
        #expect(!lines.contains("takes effect with a restart"))
        #expect(
            lines.contains(
                "reload: nothing changed: reader.door-id is 8 in the configuration, but 7 in the identity"))
    }

    /// SIGTERM: what was asked is answered or refused, what happened is stored, and the socket is gone.
    @Test func theEndFlushesAndLeavesNoSocket() throws {
        let rig = try ProcessRig()
        nonisolated(unsafe) var late: BlockingClient?
        try rig.serve { client, rig in
            late = client
            _ = client.ask(#"{"get":"status"}"#)
            // Both lines are there before the end begins.
            client.send("{\"unlock\":\"pulse\",\"id\":\"last\"}\n")
        }
        var lines: [String] = []
        while let line = late?.line() { lines.append(line) }
        // Done or refused, but never left without an answer if it was taken.
        let events = try rig.events()
        if events.contains(where: { $0.contains(#""kind":"unlocked""#) }) {
            #expect(lines.first?.contains(#""id":"last""#) == true)
        }
        #expect(events.last?.contains(#""kind":"stop""#) == true)
        #expect(!rig.directory.names().contains("control"))
        #expect(rig.lines.all.contains("stopping on signal 15"))
    }

    @Test func whoAsksWhereNobodyIsIsToldWhatToDo() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none"
        let missing = command("status", path: path)
        #expect(missing.code == 1)
        #expect(
            missing.complaints == [
                "readerd: \(path): no reader listens; start it, or name its socket with --control"
            ])
    }

    @Test func wrongUseEndsWithTwo() {
        let cases: [([String], String)] = [
            (["lockdown"], "lockdown takes on or off; see: readerd lockdown --help"),
            (["lockdown", "maybe"], "lockdown takes on or off; see: readerd lockdown --help"),
            (
                ["unlock", "wide"],
                "unlock takes pulse, extended, office-on, office-off, not \"wide\"; see: readerd unlock --help"
            ),
            (["status", "now"], "status: unknown argument \"now\"; see: readerd status --help"),
            (["status", "--id", "x"], "status: unknown argument \"--id\"; see: readerd status --help"),
            (["unlock", "--id", "a b"], "--id takes 1 to 64 printable ASCII characters without spaces"),
            (["unlock", "--id"], "--id needs a value; see: readerd unlock --help"),
            (["metrics", "--json", "--json"], "--json is given twice; use it once"),
            (["provisioning"], "provisioning takes open [SECONDS] or close; see: readerd provisioning --help"),
            (["provisioning", "ajar"], "provisioning takes open [SECONDS] or close; see: readerd provisioning --help"),
            (
                ["provisioning", "open", "5"],
                "provisioning open takes 30 to 3600 seconds; see: readerd provisioning --help"
            ),
            (
                ["set-time", "noon"],
                "set-time takes a time with its offset from UTC, as date -Is prints it, 2026-11-22T13:00:00+01:00, or "
                    + "seconds since 1970-01-01 UTC; see: readerd set-time --help"
            ),
        ]
        for (arguments, text) in cases {
            #expect(throws: ReaderdError.usage(text)) { try Command(arguments) }
        }
    }
}
