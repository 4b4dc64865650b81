// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import TestSupport
import Testing

@testable import readerd

/// The lock of the state directory: a command that holds it ends, so others wait for it; a reader does not.
@Suite struct StateLockTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(directory.path)
    }

    private var file: String { state.file(StateLock.fileName) }

    /// Acquires the lock. Returns the number of pauses, and the refusal if there is one; `end` is called at each pause.
    private func acquire(
        for name: CommandName = .run, end: (Int) -> Void = { _ in }
    ) -> (pauses: Int, refusal: ReaderdError?) {
        var pauses = 0
        let refusal = thrown { () throws(ReaderdError) in
            let lock = try StateLock.acquire(state, for: name) {
                pauses += 1
                end(pauses)
            }
            lock.release()
        }
        return (pauses, refusal)
    }

    /// Holds the lock with this record, until the end of `act`.
    private func holding(_ record: String, _ act: () throws -> Void) throws {
        try directory.write(StateLock.fileName, record, mode: 0o600)
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        try act()
    }

    @Test func aFreeLockIsTakenWithoutAPause() throws {
        #expect(acquire() == (0, nil))
        // The record of a reader that was killed.
        try directory.write(StateLock.fileName, "\(getpid()) run\n", mode: 0o600)
        #expect(acquire() == (0, nil))
    }

    @Test(arguments: [CommandName.aliro, .pkoc, .provision, .reset, .policy, .selfTest])
    func aReaderWaitsForACommand(_ name: CommandName) throws {
        let lock = try StateLock.acquire(state, for: name)
        #expect(acquire { if $0 == 3 { lock.release() } } == (3, nil))
    }

    @Test func aCommandWaitsForACommand() throws {
        let lock = try StateLock.acquire(state, for: .aliro)
        #expect(acquire(for: .pkoc) { if $0 == StateLock.pauses { lock.release() } } == (StateLock.pauses, nil))
    }

    @Test func aCommandThatDoesNotEndIsNamedAfterTheWait() throws {
        let lock = try StateLock.acquire(state, for: .selfTest)
        defer { lock.release() }
        let (pauses, refusal) = acquire()
        #expect(pauses == StateLock.pauses)
        #expect(
            refusal?.description == "\(directory.path): still in use by readerd self-test (process \(getpid())) after "
                + "2 s; try again when that has ended")
    }

    @Test(arguments: [CommandName.run, .provision])
    func aReaderIsNotWaitedFor(by name: CommandName) throws {
        let running = try StateLock.acquire(state, for: .run)
        defer { running.release() }
        let (pauses, refusal) = acquire(for: name)
        #expect(pauses == 0)
        #expect(
            refusal?.description == "\(directory.path): in use by a readerd (process \(getpid())); stop it first "
                + "(service: systemctl stop readerd)")
    }

    @Test func aReaderThatTakesTheLockDuringTheWaitEndsIt() throws {
        let command = try StateLock.acquire(state, for: .provision)
        var reader: StateLock?
        let (pauses, refusal) = acquire {
            if $0 == 2 {
                command.release()
                reader = try? StateLock.acquire(state, for: .run)
            }
        }
        #expect(reader != nil && pauses == 2 && refusal?.description.contains("in use by a readerd (process") == true)
    }

    /// Between the lock and its record the file has none, or a killed process's.
    @Test(arguments: ["", "\n", "0 run", "-1 run", "4194305 run", "run", "1 run run", "x run"])
    func aHolderWithoutARecordIsWaitedFor(_ record: String) throws {
        try holding(record) {
            let (pauses, refusal) = acquire()
            #expect(pauses == StateLock.pauses)
            #expect(
                refusal?.description == "\(directory.path): still in use by another process after 2 s; end it (to find "
                    + "it: fuser \(file)), or try again")
        }
    }

    @Test func theRecordOfAnotherVersionNamesItsProcess() throws {
        for record in ["\(getpid())\n", "\(getpid()) invented\n"] {
            try holding(record) {
                let (pauses, refusal) = acquire()
                #expect(pauses == StateLock.pauses)
                #expect(
                    refusal?.description == "\(directory.path): still in use by a readerd (process \(getpid())) after "
                        + "2 s; end it, or try again")
            }
        }
    }

    @Test func theRecordIsTheHoldersUntilTheRelease() throws {
        let lock = try StateLock.acquire(state, for: .selfTest)
        #expect(try directory.octets(of: StateLock.fileName) == Array("\(getpid()) self-test\n".utf8))
        lock.release()
        #expect(try directory.octets(of: StateLock.fileName).isEmpty)
    }

    // MARK: A key that is made by the first who needs it

    private func siteKey(pause: () -> Void) throws(ReaderdError) -> P256PublicKey {
        try StateLock.publicKey(in: state, for: .pkoc) { () throws(ReaderdError) in
            try StoredKey.pkocSite.load(from: state)
        } make: { () throws(ReaderdError) in
            try StoredKey.pkocSite.make(in: state)
        } pause: {
            pause()
        }
    }

    @Test func aKeyIsMadeOnceAndNeedsNoLockLater() throws {
        var pauses = 0
        let made = try siteKey { pauses += 1 }
        let running = try StateLock.acquire(state, for: .run)
        defer { running.release() }
        #expect(try siteKey { pauses += 1 }.point == made.point && pauses == 0)
    }

    /// The reader's start and the command that shows its key, at once.
    @Test(arguments: [CommandName.run, .pkoc])
    func aKeyThatTheHolderMakesIsShown(_ holder: CommandName) throws {
        let lock = try StateLock.acquire(state, for: holder)
        defer { lock.release() }
        var made: P256PrivateKey?
        let shown = try siteKey { made = try? StoredKey.pkocSite.make(in: state) }
        #expect(made?.publicKey.point == shown.point)
    }

    @Test func aReaderThatMakesNoKeyIsInTheWay() throws {
        let running = try StateLock.acquire(state, for: .run)
        defer { running.release() }
        var pauses = 0
        let refusal = thrown { () throws(ReaderdError) in _ = try siteKey { pauses += 1 } }
        #expect(refusal?.description.contains("in use by a readerd (process \(getpid())); stop it first") == true)
        #expect(pauses == StateLock.pauses && directory.names() == ["readerd.lock"])
    }
}
