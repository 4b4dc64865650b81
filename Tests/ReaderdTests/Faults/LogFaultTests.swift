// SPDX-License-Identifier: Apache-2.0

import TestSupport
import EventStore
import Glibc
import System
import Reader
import Testing
import Timekeeping

@testable import readerd

/// While the event log does not work, an exit, fire and the office hours do, and the audit's policy says who is let in
/// (docs/operate/faults.md).
@Suite struct LogFaultTests {
    private static let peer = ControlPeer(user: 0, process: 1)

    /// Whatever the store may answer; on the loop, so that its true answer does not come in between.
    @Test(arguments: DiskFault.allCases) func aFailingLogRefusesAndTheExitStaysFree(fault: DiskFault) throws {
        let rig = try ProcessRig()
        try rig.run { path, rig in
            _ = try BlockingClient(path).ask(#"{"get":"status"}"#)
            rig.onLoop {
                let process = rig.process
                process.record(AuditEvent(.doorOpened, at: process.auditTime))
                process.audit.submit(&process.device.reader.ledger, at: process.reactor.now)
                process.decideOpenings(at: process.moment)
                for id: UInt64 in 1...64 {
                    let failure = StoreResult(token: .record(RecordID(id)), answer: .failed(fault))
                    let ended = process.audit.receive(
                        failure, &process.device.reader.ledger, at: process.reactor.now)
                    #expect(ended == nil)
                }
                #expect(process.device.reader.ledger.nextVerdict() == nil, "nobody waits")
                // Many turns, and one fault.
                for _ in 0..<20 { process.flush() }
                #expect(process.faults.faults.map(\.code) == [FaultCode(fault)])
                #expect(process.faults.faults.first?.text == "the event log: \(fault)")
                _ = process.service(ReaderControl.self)?.perform(.door(.pulse), for: Self.peer, ticket: 1 << 40)
                #expect(process.device.reader.doorStatus.state == .secured)
                process.receive([.level(true, since: process.moment.instant)], of: .exit)
                #expect(process.lines.record.level(of: .lock) == true)
            }
            // What the store has truly answered ends it.
            try rig.wait(try BlockingClient(path), for: FaultCode(fault), isShown: false)
        }
        #expect(rig.told(FaultCode(fault)) == 1)
        let events = try rig.events()
        #expect(events.contains { $0.contains(#""kind":"disk-failed""#) })
        #expect(events.contains { $0.contains(#""kind":"request-to-exit""#) }, "kept until it could be written")
        #expect(events.contains { $0.contains(#""kind":"denied""#) && $0.contains(#""actor":"uid 0""#) })
    }

    /// A database that may not grow, as on a full disk.
    @Test(arguments: [(#"when-failing = "refuse""#, false), (#"when-failing = "admit""#, true)])
    func aFullDiskIsAFaultAndThePolicyDecides(policy: String, isAdmitted: Bool) throws {
        let rig = try ProcessRig(configuration: "[events]\n\(policy)\n", trouble: ProcessRig.Trouble(pageLimit: 20))
        try rig.serve { client, rig in
            rig.onLoop {
                for _ in 0..<1000 { rig.process.record(AuditEvent(.withdrawn, at: rig.process.auditTime)) }
                rig.process.flush()
            }
            try rig.wait(client, for: .diskFull)
            #expect(try rig.metric(client, .diskFull) == "1")
            let answer = client.ask(#"{"unlock":"pulse"}"#)
            #expect(answer?.contains(isAdmitted ? #""ok":true"# : #""refused":"not-recorded""#) == true)
            rig.exitFreesTheLock()
        }
        #expect(rig.told(.diskFull) == 1)
        #expect(
            rig.lines.all.contains("<3>fault disk-full: the event log: disk full: free space\n"))
    }

    /// A log that is full, and `when-full` says to let nobody in then.
    @Test func aFullLogThatRefusesIsAFault() throws {
        let rig = try ProcessRig(configuration: "[events]\ncapacity = 100\nwhen-full = \"refuse\"\n")
        try rig.serve { client, rig in
            rig.onLoop {
                for _ in 0..<120 { rig.process.record(AuditEvent(.withdrawn, at: rig.process.auditTime)) }
                rig.process.flush()
            }
            try rig.wait(client, for: .logFull)
            #expect(client.ask(#"{"unlock":"pulse"}"#)?.contains(#""refused":"log-full""#) == true)
            rig.exitFreesTheLock()
        }
        #expect(rig.told(.logFull) == 1)
    }

    /// Nothing of the log can be read, and who was called back is known all the same; as soon as the log can be made,
    /// all is well.
    @Test func aLogThatCannotBeReadIsTwoFaultsUntilItCan() throws {
        nonisolated(unsafe) var descriptor: Int32 = -1
        let trouble = ProcessRig.Trouble(prepare: { state in
            try FaultLog.make(in: state, blacklist: FaultLog.revoked)
            unlink(state.file("events.head"))
            descriptor = try FaultLog.hold(in: state)
        })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            for code in [FaultCode.logInUse, .clockFloorUnknown] {
                try rig.wait(client, for: code)
            }
            #expect(client.ask(#"{"unlock":"pulse"}"#)?.contains(#""refused":"not-recorded""#) == true)
            rig.exitFreesTheLock()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows == FaultLog.revoked) }
            close(descriptor)
            for code in [FaultCode.logInUse, .clockFloorUnknown] {
                try rig.wait(client, for: code, isShown: false)
            }
            rig.operatorOpens(client)
        }
        for code in [FaultCode.logInUse, .clockFloorUnknown] { #expect(rig.told(code) == 1) }
        #expect(try rig.events().contains { $0.contains(#""kind":"disk-restored""#) })
    }

    @Test func aLogThatAnotherProgramHoldsIsAFaultUntilItLetsGo() throws {
        nonisolated(unsafe) var descriptor: Int32 = -1
        let trouble = ProcessRig.Trouble(prepare: { state in descriptor = try FaultLog.hold(in: state) })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            try rig.wait(client, for: .logInUse)
            #expect(client.ask(#"{"unlock":"pulse"}"#)?.contains(#""refused":"not-recorded""#) == true)
            rig.exitFreesTheLock()
            close(descriptor)
            try rig.wait(client, for: .logInUse, isShown: false)
            rig.operatorOpens(client)
        }
        #expect(rig.told(.logInUse) == 1)
    }

    /// A damaged file is put aside and a new one begun: everything works, and somebody is told.
    @Test func aDamagedLogIsReplacedAndSaid() throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            try FaultLog.make(in: state)
            let descriptor = open(state.file("events.db"), O_WRONLY | O_TRUNC)
            try #require(
                write(descriptor, Array("no database, but as long as one's header has to be, and longer".utf8), 60)
                    == 60)
            close(descriptor)
        })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .logLost)
            #expect(shown?.text.contains("the file was damaged, and renamed to events.db.damaged-1") == true)
            rig.operatorOpens(client)
            rig.exitFreesTheLock()
        }
        #expect(rig.told(.logLost) == 1)
        #expect(rig.directory.names(in: "state").contains("events.db.damaged-1"))
        #expect(try rig.events().contains { $0.contains(#""kind":"log-lost""#) })
    }

    /// A log that is not as this reader left it: its head is another device's.
    @Test func aBrokenChainIsSaidAndTheDoorWorks() throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            try FaultLog.make(in: state)
            let descriptor = open(state.file("events.head"), O_WRONLY)
            try #require(pwrite(descriptor, [0xFF, 0xFF], 2, 20) == 2)
            close(descriptor)
        })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .logLost)
            #expect(shown?.text.contains("events.head is of another device") == true)
            rig.operatorOpens(client)
        }
        #expect(rig.told(.logLost) == 1)
    }
}

/// The event log and the policy of an earlier run.
enum FaultLog {
    /// The revoked credential.
    static let revoked = [
        BlacklistRow(
            credential: "REVOKED001", until: CivilTime(year: 2089, month: 1, day: 1, hour: 12, minute: 0, second: 59))
    ]

    /// The time of its last event.
    static let lastEvent: Int64 = 1_893_456_000

    /// Locks it as another program that writes it. Returns the descriptor to close.
    static func hold(in state: StateDirectory) throws -> Int32 {
        let descriptor = open(state.file("events.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor
    }

    /// Makes one in the state directory, with the device's own key.
    static func make(
        in state: StateDirectory, settings: [String: [UInt8]] = [:], blacklist: [BlacklistRow] = [],
        lastEvent: Int64 = lastEvent
    ) throws {
        try StoredPolicy.markFirstStart(in: state)
        let store = try EventStore(
            EventStore.Configuration(
                directory: state.path, key: try EventLogKey.load(from: state),
                capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
        let time = AuditTime(
            epochSeconds: lastEvent, utcOffsetMinutes: 0, quality: .synchronised, uptimeMilliseconds: 1)
        #expect(store.submit(.unawaited, .policy))
        #expect(store.submit(.unawaited, .append(AuditEvent(.start, at: time))))
        #expect(store.submit(.unawaited, .append(AuditEvent(.doorOpened, at: time))))
        for (name, value) in settings { #expect(store.submit(.unawaited, .change(.setting(name, value)))) }
        if !blacklist.isEmpty { #expect(store.submit(.unawaited, .change(.blacklist(.put(blacklist))))) }
        #expect(store.submit(.unawaited, .append(AuditEvent(.stop, at: time))))
        #expect(store.close(within: TestTimeout.seconds))
    }
}
