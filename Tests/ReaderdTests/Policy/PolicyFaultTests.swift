// SPDX-License-Identifier: Apache-2.0

import Crypto
import EventStore
import Glibc
import System
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// Without the policy nobody knows who was called back: phones open nothing, the rest goes on, and it is said
/// (docs/operate/policy.md). That phones are refused is in AccessReader's tests and, over the air, in test_policy.py.
@Suite struct PolicyFaultTests {
    private static let names = ["policy.a", "policy.b", "policy.count"]

    private func rig(_ prepare: @escaping (StateDirectory) throws -> Void) throws -> ProcessRig {
        try ProcessRig(
            configuration: alwaysOpen,
            trouble: ProcessRig.Trouble(prepare: { state in
                // In the past, so that the clock has a time throughout: without one no office hours begin.
                try FaultLog.make(in: state, blacklist: FaultLog.revoked, lastEvent: 1_700_000_000)
                try prepare(state)
            }))
    }

    private static func overwrite(_ path: String) throws {
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, [0xFF, 0xFF], 2, 20) == 2)
    }

    private func expectRefusal(_ rig: ProcessRig, _ code: FaultCode, info: Int, _ words: String) throws {
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: code)
            #expect(shown?.text.contains(words) == true)
            #expect(shown?.text.contains("readerd policy begin --yes") == true)
            #expect(try rig.metric(client, code) == "1")
            rig.waitUntilRestored()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows == []) }
            #expect(try eventually { try rig.doorState(client) == "held-open" }, "the office hours go on")
            rig.exitFreesTheLock()
            rig.operatorOpens(client)
            // A reader that runs tells the self-test, which fails.
            let state = rig.directory.path + "/state"
            let lock = try StateLock.acquire(StateDirectory(state), for: .run)
            let outcome = Program.outcome(of: ["self-test", "--state", state, "--control", rig.controlPath])
            lock.release()
            #expect(outcome.code == 1 && outcome.printed.first?.contains("phones open nothing") == true)
        }
        #expect(rig.told(code) == 1)
        let events = try rig.events()
        #expect(events.contains { $0.contains(#""kind":"policy-refused","code":70,"info":\#(info)"#) })
    }

    @Test func damagedCopiesAreAFault() throws {
        let rig = try rig { state in for name in Self.names.prefix(2) { try Self.overwrite(state.file(name)) } }
        try expectRefusal(rig, .policyLost, info: 1, "policy.a and policy.b are missing, damaged")
    }

    @Test func aMissingWitnessIsAFault() throws {
        let rig = try rig { state in unlink(state.file("policy.count")) }
        try expectRefusal(rig, .policyLost, info: 1, "policy.count is missing, damaged")
    }

    @Test func aPolicyThatWasTakenAwayIsAFault() throws {
        let rig = try rig { state in for name in Self.names { unlink(state.file(name)) } }
        try expectRefusal(rig, .policyLost, info: 1, "policy.a and policy.b are missing, damaged")
    }

    /// All three files as they were before the revocation, which the event log tells.
    @Test func anOlderPolicyIsAFault() throws {
        let rig = try rig { state in
            let store = try EventStore(
                EventStore.Configuration(
                    directory: state.path, key: try EventLogKey.load(from: state),
                    capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
            let former = try Self.names.map {
                try FileContents.read(state.file($0), maximumCount: 1 << 16)?.octets ?? []
            }
            #expect(store.submit(.unawaited, .change(.setting("n", [1]))))
            let time = AuditTime(epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 1)
            #expect(store.submit(.unawaited, .append(AuditEvent(.configurationChanged, at: time))))
            try #require(store.close(within: TestTimeout.seconds))
            for (name, octets) in zip(Self.names, former) { try state.replace(name, with: octets) }
        }
        try expectRefusal(rig, .policyRolledBack, info: 2, "an older copy was restored: generation 2 instead of 3")
    }

    /// A key that was replaced comes back by an older copy of its file: whoever has the former one must not open.
    @Test(arguments: KeyHistory.Use.allCases) func anOlderKeyIsAFault(use: KeyHistory.Use) throws {
        let demo = try ReaderIdentity.demo()
        let command = try P256PrivateKey.generate().publicKey
        let rig = try ProcessRig(
            configuration: alwaysOpen,
            trouble: ProcessRig.Trouble(
                prepare: { state in
                    var history = KeyHistory()
                    _ = history.update(try demo.keys + [KeyHistory.Key(.command, command.point)])
                    // Replaced since.
                    _ = history.update([KeyHistory.Key(use, [UInt8](repeating: 9, count: 8))])
                    try FaultLog.make(
                        in: state, settings: [KeyHistory.setting: history.octets], blacklist: FaultLog.revoked,
                        lastEvent: 1_700_000_000)
                }, commandKeys: [try CommandKey(command)]))
        try expectRefusal(rig, .keyRolledBack, info: 4, "\(use.file) is a key that was replaced before")
    }

    /// Whatever becomes of the log, who was called back stays so.
    @Test(arguments: ["removed", "truncated", "overwritten", "key"])
    func theLogMayBeLost(how: String) throws {
        let rig = try rig { state in
            switch how {
            case "removed": for suffix in ["db", "db-wal", "db-shm", "head"] { unlink(state.file("events." + suffix)) }
            case "truncated": truncate(state.file("events.db"), 100)
            case "overwritten": try state.replace("events.db", with: [UInt8](repeating: 0x5A, count: 8192))
            default: try state.replace("event-log-key", with: [UInt8](repeating: 9, count: 32))
            }
        }
        guard how != "key" else {
            return try expectRefusal(rig, .policyLost, info: 1, "another device's")
        }
        try rig.serve { client, rig throws in
            rig.waitUntilRestored()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows == FaultLog.revoked) }
            for code in FaultCode.withoutPolicy {
                #expect(try !rig.shownFaults(client).contains { $0.code == code.rawValue })
            }
        }
    }

    /// A copy that was damaged is written again.
    @Test func theSpareIsEnough() throws {
        let rig = try rig { state in try Self.overwrite(state.file("policy.a")) }
        try rig.run { _, rig in
            rig.waitUntilRestored()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows == FaultLog.revoked) }
        }
        #expect(rig.lines.all.contains("the policy was incomplete: policy.a rewritten"))
        let contents = try Self.names.prefix(2).map {
            try FileContents.read(rig.directory.path + "/state/\($0)", maximumCount: 1 << 16)?.octets
        }
        #expect(contents[0] == contents[1])
    }

    /// A disk that does not answer, or fails: nobody is let in until it does, and it is asked again.
    @Test func anUnreadablePolicyIsAFaultUntilItCanBeRead() throws {
        let rig = try rig { _ in }
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            rig.onLoop {
                let process = rig.process
                process.stage.isRestored = false
                process.device.reader.awaitRestoration()
                let failure = StoreResult(token: .policy, answer: .failed(.inputOutput))
                let outcome = process.audit.receive(
                    failure, &process.device.reader.ledger, at: process.reactor.now)
                if let outcome { process.receive(outcome) }
                process.flush()
                #expect(process.faults.has(.policyUnknown))
            }
            try rig.wait(client, for: .policyUnknown, isShown: false)
            rig.onLoop { #expect(rig.process.stage.isRestored) }
        }
        #expect(rig.told(.policyUnknown) == 1)
    }

    /// A change for which the disk has no room is reported, and written again later.
    @Test func aChangeThatCannotBeKeptIsAFaultUntilItCan() throws {
        let rig = try rig { _ in }
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            let inTheWay = rig.directory.path + "/state/policy.a.new"
            // The start may still be writing a file of this name.
            try #require(eventually { mkdir(inTheWay, 0o700) == 0 })
            rig.onLoop {
                rig.process.audit.keep("n", [1])
                rig.process.flush()
            }
            try rig.wait(client, for: .policyUnwritable)
            try #require(rmdir(inTheWay) == 0)
            // Its time comes by itself; here at once.
            rig.onLoop {
                let due = rig.process.reactor.now + PolicyChanges.retryPause
                rig.process.audit.catchUp(at: Moment(instant: due, epochSeconds: nil)) { [] }
                rig.process.flush()
            }
            try rig.wait(client, for: .policyUnwritable, isShown: false)
        }
        let state = try StateDirectory(rig.directory.path + "/state")
        let key = try #require(try EventLogKey.existing(in: state))
        #expect(try StoredPolicy(in: state, key: key).document()?.settings["n"] == [1])
        #expect(rig.told(.policyUnwritable) == 1)
    }

    /// A policy begun by an operator holds from the next start on, which records the operator.
    @Test func aPolicyThatWasBegunIsOnRecord() throws {
        let rig = try rig { state in
            for name in Self.names { unlink(state.file(name)) }
            let outcome = Program.outcome(of: ["policy", "begin", "--yes", "--state", state.path])
            #expect(outcome.code == 0 && outcome.complaints == [])
        }
        try rig.run { path, rig in
            rig.waitUntilRestored()
            let faults = try rig.shownFaults(try BlockingClient(path))
            #expect(!faults.contains { $0.code.hasPrefix("policy-") })
            #expect(rig.lines.all.contains("an empty policy was begun"))
        }
        let begun = try rig.events().filter { $0.contains(#""kind":"policy-begun""#) }
        #expect(begun.count == 1 && begun[0].contains(#""actor":"uid \#(getuid())""#))
        #expect(begun[0].contains(#""mark":"#))
    }
}
