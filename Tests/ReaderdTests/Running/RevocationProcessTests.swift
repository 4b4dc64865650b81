// SPDX-License-Identifier: Apache-2.0

import EventStore
import Glibc
import Reader
import System
import TestSupport
import Testing

@testable import readerd

/// `readerd revoke`, `unrevoke` and `policy show` with the whole process. That phones are refused and let in again is
/// in test_revocation.py.
@Suite struct RevocationProcessTests {
    private func command(_ arguments: String..., path: String) -> ProgramOutcome {
        Program.outcome(of: arguments + ["--control", path])
    }

    private func shown(_ rig: ProcessRig) -> [String] {
        Program.outcome(of: ["policy", "show", "--state", rig.directory.path + "/state"]).printed
    }

    @Test func anOperatorRevokesAndTakesBack() throws {
        let rig = try ProcessRig()
        try rig.run { path, rig in
            rig.waitUntilRestored()
            #expect(command("lockdown", "on", path: path).code == 0)
            #expect(command("revoke", "ALICE04711", path: path).printed == ["ALICE04711 is revoked for ever"])
            let bob = command("revoke", "BOB0000815", "--until", "2099-06-30", path: path)
            #expect(bob.printed == ["BOB0000815 is revoked until 2099-06-30T23:59"])
            #expect(
                command("revoke", "ALICE04711", "--until", "2099-06-30", path: path).printed == [
                    "ALICE04711 is revoked for ever, as before: to shorten that, run: readerd unrevoke ALICE04711, "
                        + "then revoke it again"
                ])
            #expect(shown(rig)[0].hasSuffix(", 2 revoked"))
            #expect(
                Array(shown(rig)[1..<4]) == [
                    "revoked     until", "ALICE04711  for ever", "BOB0000815  2099-06-30T23:59",
                ])
            let json = Program.outcome(of: ["policy", "show", "--json", "--state", rig.directory.path + "/state"])
            #expect(
                json.printed[0].contains(
                    #""revoked":[{"credential":"ALICE04711"},{"credential":"BOB0000815","until":"2099-06-30T23:59"}]"#
                ))
            #expect(
                command("unrevoke", "ALICE04711", path: path).printed == [
                    "ALICE04711 is accepted again, until another revocation comes by a phone or a fleet"
                ])
            #expect(
                command("unrevoke", "ALICE04711", path: path).complaints == [
                    "readerd: not done: this credential is not revoked; list the revoked ones: readerd policy show"
                ])
            let past = command("revoke", "CAROL", "--until", "2020-01-01", path: path)
            #expect(past.code == 1 && past.complaints.first?.contains("this date has passed") == true)
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows.map(\.credential) == ["BOB0000815"]) }
        }
        #expect(!rig.lines.all.contains("ALICE04711") && rig.lines.all.contains(#"{"revoke":"AL…711"}"#))
        #expect(shown(rig)[0].hasSuffix(", 1 revoked"), "the disk has it")
        let events = try rig.events().filter { $0.contains(#""channel":"control""#) }
        for (kind, name, who) in [
            ("command", "revoke", "ALICE04711"), ("blacklist-changed", "revoke", "ALICE04711"),
            ("command", "unrevoke", "ALICE04711"), ("blacklist-changed", "unrevoke", "ALICE04711"),
        ] {
            let found = events.filter {
                $0.contains(#""kind":"\#(kind)""#) && $0.contains(#""command":"\#(name)""#) && $0.contains(who)
            }
            #expect(found.count == 1, "\(kind) \(name)")
            #expect(found.first?.contains(#""actor":"uid \#(getuid())""#) == true)
        }
        #expect(events.contains { $0.contains(#""detail":"until 2099-06-30T23:59""#) })
    }

    /// A revocation is in force after the next start.
    @Test func aStartFindsWhatWasRevoked() throws {
        let kept = try TemporaryDirectory()
        let place = kept.path
        let first = try ProcessRig()
        try first.run { path, rig in
            rig.waitUntilRestored()
            #expect(command("revoke", "ALICE04711", path: path).code == 0)
            #expect(command("revoke", "BOB0000815", path: path).code == 0)
            #expect(command("unrevoke", "BOB0000815", path: path).code == 0)
            // As after a power cut now: no orderly end has come.
            for name in ["policy.a", "policy.b", "policy.count", EventLogKey.fileName] {
                try DurableFile.replace(
                    place + "/" + name, with: octets(ofFile: rig.directory.path + "/state/" + name))
            }
        }
        let second = try ProcessRig(
            trouble: ProcessRig.Trouble(prepare: { state in
                for name in kept.names() {
                    try DurableFile.replace(state.file(name), with: octets(ofFile: place + "/" + name))
                }
                unlink(state.file("policy.first"))
            }))
        try second.run { _, rig in
            rig.waitUntilRestored()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows.map(\.credential) == ["ALICE04711"]) }
        }
    }

    /// A revocation holds while the disk takes no change, and an end does not.
    @Test func withAFailingDiskARestrictionHolds() throws {
        let rig = try ProcessRig()
        try rig.run { path, rig in
            rig.waitUntilRestored()
            #expect(command("revoke", "BOB0000815", path: path).code == 0)
            // The store writes each file by this name first.
            let file = rig.directory.path + "/state/policy.a.new"
            try #require(mkdir(file, 0o700) == 0)
            let refused = command("revoke", "ALICE04711", path: path)
            #expect(refused.code == 1 && refused.complaints.first?.contains("policy cannot be written") == true)
            #expect(command("unrevoke", "BOB0000815", path: path).code == 1)
            rig.onLoop {
                #expect(
                    rig.process.device.reader.blacklist.rows.map(\.credential) == ["ALICE04711", "BOB0000815"])
            }
            rmdir(file)
            #expect(command("revoke", "ALICE04711", path: path).code == 0)
        }
        #expect(shown(rig)[0].hasSuffix(", 2 revoked"))
    }
}
