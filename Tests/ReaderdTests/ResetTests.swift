// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import EventStore
import Glibc
import Reader
import System
import Testing

@testable import readerd

/// `readerd reset`: back to what the factory delivers.
@Suite struct ResetTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/state"
    }

    private func perform(_ arguments: String...) -> ProgramOutcome {
        Program.outcome(of: arguments)
    }

    /// A reader that has run: identity, addresses, and an event log.
    private func used() throws {
        let backend = try directory.write("backend.pem", P256PrivateKey.generate().publicKey.pem())
        try #require(
            perform("provision", "--state", path, "--signature-key", backend, "--force-new-identity").code == 0)
        let state = try StateDirectory(path)
        _ = try AddressBook.load(from: state)
        let key = try EventLogKey.load(from: state)
        let store = try EventStore(
            .init(directory: path, key: key, capacity: LogCapacity(records: 100, whenFull: .overwrite)))
        let time = AuditTime(epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 1)
        _ = store.submit(.unawaited, .append(AuditEvent(.start, at: time, detail: "readerd 0")))
        try #require(store.close(within: TestTimeout.seconds))
    }

    @Test func nothingIsLeftOfAReader() throws {
        try used()
        #expect(directory.names(in: "state").contains("events.db"))
        // Half-made files of a power cut are readerd's as well.
        try directory.write("state/addresses.new", "x")
        try #require(mkdir("\(path)/identity-0123abcd", 0o700) == 0)
        let outcome = perform("reset", "--state", path, "--yes")
        #expect(outcome.code == 0 && outcome.complaints == [])
        #expect(directory.names(in: "state") == ["readerd.lock"])
        #expect(try IdentityFiles.load(from: StateDirectory(path)).isDemo)
    }

    @Test func whatReaderdDidNotMakeIsLeftAndNamed() throws {
        try used()
        try directory.write("state/notes.txt", "mine")
        let outcome = perform("reset", "--state", path, "--yes")
        #expect(outcome.code == 0)
        #expect(outcome.complaints == ["kept, not made by readerd: notes.txt"])
        #expect(directory.names(in: "state") == ["notes.txt", "readerd.lock"])
    }

    @Test func withoutYesNothingIsDone() throws {
        try used()
        let before = directory.names(in: "state")
        let outcome = perform("reset", "--state", path)
        #expect(outcome.code == 2 && outcome.complaints.first?.hasSuffix("to confirm, add --yes") == true)
        #expect(directory.names(in: "state") == before)
        #expect(throws: ReaderdError.self) { try ResetOptions(["--yes=1"][...]) }
        #expect(throws: ReaderdError.self) { try ResetOptions(["--yes", "--yes"][...]) }
        #expect(throws: ReaderdError.self) { try ResetOptions(["--yes", "--all"][...]) }
    }

    @Test func aReaderThatRunsIsInTheWay() throws {
        try used()
        let before = directory.names(in: "state")
        let running = try StateLock.acquire(StateDirectory(path), for: .run)
        let outcome = perform("reset", "--state", path, "--yes")
        #expect(outcome.code == 1)
        #expect(outcome.complaints.first?.contains("in use by a readerd (process \(getpid()))") == true)
        #expect(directory.names(in: "state") == before)
        running.release()
    }

    /// The power goes after each step in turn: the reader does not start with a part of what it was, and the reset can
    /// be done again.
    @Test func aResetThatWasCutShortHasToBeDoneAgain() throws {
        var cut = 0
        while true {
            try used()
            var steps = 0
            var options = ResetOptions()
            options.stateDirectory = path
            let silent = Console(print: { _ in }, complain: { _ in })
            let command = ResetCommand(options: options, console: silent) { _ throws(ReaderdError) in
                if steps == cut { throw .failed("power cut") }
                steps += 1
            }
            do throws(ReaderdError) {
                _ = try command.perform()
                break
            } catch {
                #expect(error == .failed("power cut"))
            }
            #expect(
                throws: ReaderdError.failed(
                    "\(path): incomplete reset; run: readerd reset --state \(path) --yes")
            ) { _ = try StateLock.acquire(StateDirectory(path), for: .run) }
            #expect(perform("reset", "--state", path, "--yes").code == 0)
            #expect(directory.names(in: "state") == ["readerd.lock"])
            cut += 1
        }
        #expect(cut > 5)
    }

    /// The octets are overwritten where they lie: seen through a second name of the same file.
    @Test func keysAreOverwrittenBeforeTheyGo() throws {
        try used()
        let copy = "\(directory.path)/copy"
        try #require(link("\(path)/identity/terminal-key.pem", copy) == 0)
        #expect(perform("reset", "--state", path, "--yes").code == 0)
        let contents = try #require(try FileContents.read(copy, maximumCount: 4096))
        #expect(contents.octets.count > 200 && contents.octets.allSatisfy { $0 == 0 })
    }

    @Test func aDirectoryThatIsNotThere() {
        let outcome = perform("reset", "--state", "\(path)/none", "--yes")
        #expect(outcome.code == 1 && outcome.complaints.count == 1)
    }
}
