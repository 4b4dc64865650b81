// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Glibc
import Reader
import System
import Testing

@testable import readerd

/// Results of the self-test for the state directory, which it leaves as it was.
@Suite struct StoredTestTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func stored(_ configuration: String = "") throws -> StoredTest {
        var settings = SettingsFile.decode(Array(configuration.utf8).span).settings
        // Other tests have the disk, too.
        settings.events.maximumWaitMilliseconds = TestTimeout.milliseconds
        return StoredTest(state: try StateDirectory(directory.path), settings: settings)
    }

    private func perform(_ arguments: String...) -> ProgramOutcome {
        Program.outcome(of: arguments)
    }

    @Test func aFreshDirectoryHasTheDemoIdentityAndTakesFiles() throws {
        let stored = try stored()
        #expect(
            stored.keys
                == .notConfigured(
                    "published demo identity with public keys; make one: readerd provision"))
        #expect(stored.disk.hasFailed == false && stored.disk.detail.hasSuffix("; no events yet"))
        #expect(stored.lastEvent == nil)
        #expect(directory.names() == [])
    }

    @Test func theDemoIdentityDrivesNoRealLock() throws {
        let keys = try stored("[gpio]\nlock = \"RELAY\"").keys
        #expect(keys.hasFailed && keys.detail.contains("gpio.lock is a real lock"))
    }

    @Test func keysThatOthersMayReadFail() throws {
        try directory.write("event-log-key", [UInt8](repeating: 1, count: 32), mode: 0o644)
        let keys = try stored().keys
        #expect(keys.hasFailed && keys.detail.contains("run: chmod 600"))
    }

    @Test func keysHaveToBelongToWhomTheDirectoryBelongs() {
        #expect(StoredTest.fault(of: "k", ofUser: 7, directoryOf: 7) == nil)
        #expect(
            StoredTest.fault(of: "k", ofUser: 0, directoryOf: 7)
                == .failed(
                    "k: owned by user 0, unreadable for user 7, who owns the state directory; run: chown 7 k"))
    }

    @Test func aLogThatIsNoneOrHasNoKeyFails() throws {
        try directory.write("events.db", "not a database, and long enough not to be taken for an empty one")
        #expect(try stored().disk.detail.contains("event-log-key: missing"))
        try directory.write("event-log-key", [UInt8](repeating: 1, count: 32), mode: 0o600)
        let disk = try stored().disk
        #expect(disk.hasFailed && disk.detail.contains("damaged"))
    }

    @Test func howFarTheClockWasSetAheadIsKept() throws {
        #expect(try stored().clockMarks == nil)
        let state = try StateDirectory(directory.path)
        try FaultLog.make(
            in: state, settings: [ClockMarks.setting: ClockMarks(offset: 3600, latest: 1).octets])
        #expect(try stored().clockMarks == ClockMarks(offset: 3600, latest: 1))
        #expect(try stored().lastEvent == FaultLog.lastEvent)
    }

    /// The self-test of the directory, with the pauses of its waits instead of the time.
    private func perform(_ arguments: [String], pause: @escaping () -> Void) throws -> [String] {
        var printed: [String] = []
        let options = try SelfTestOptions((["--state", directory.path] + arguments)[...])
        let console = Console(print: { printed.append($0) }, complain: { _ in })
        _ = try SelfTestCommand(options: options, console: console, pause: pause).perform()
        return printed
    }

    @Test func nothingIsLeftAndNothingIsMovedWhileAnotherHasTheDirectory() throws {
        let lock = try StateLock.acquire(StateDirectory(directory.path), for: .run)
        defer { lock.release() }
        // A reader that starts listens a moment later.
        var pauses = 0
        let printed = try perform(["--control", directory.path + "/none"]) { pauses += 1 }
        #expect(printed.count == 1 && printed[0].hasPrefix("reader       failed          "))
        #expect(printed[0].contains("in use, but no reader answers"))
        #expect(pauses == StateLock.pauses && directory.names() == ["readerd.lock"])
    }

    /// A reader that starts makes its socket; nothing else changes by a wait.
    @Test func onlyASocketThatIsNotThereYetIsWaitedFor() throws {
        let lock = try StateLock.acquire(StateDirectory(directory.path), for: .run)
        defer { lock.release() }
        let file = try directory.write("file", "no directory")
        symlink(directory.path + "/loop", directory.path + "/loop")
        for path in [file + "/socket", directory.path + "/loop"] {
            var pauses = 0
            let printed = try perform(["--control", path]) { pauses += 1 }
            #expect(printed.count == 1 && printed[0].contains("in use, but no reader answers") && pauses == 0)
        }
    }

    /// The user has no right to the socket, which is an answer. Root has every right, so that the thread gives it up.
    @Test func aSocketThatIsNotPermittedIsNotWaitedFor() throws {
        let place = directory.path + "/closed"
        mkdir(place, 0o000)
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let setUser = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "setfsuid")), to: SetUser.self)
        let user = setUser(65534)
        defer { _ = setUser(uid_t(user)) }
        var pauses = 0
        let error = #expect(throws: ReaderdError.self) {
            try ControlCaller(path: place + "/socket", pauses: StateLock.pauses) { pauses += 1 }
        }
        #expect(error.map { "\($0)" }?.contains("permission denied; run this as root or as a member") == true)
        #expect(pauses == 0)
    }

    @Test func aCommandThatHasTheDirectoryIsWaitedForAndNamed() throws {
        let lock = try StateLock.acquire(StateDirectory(directory.path), for: .provision)
        var pauses = 0
        let refused = try perform(["--only", "keys"]) { pauses += 1 }
        #expect(refused.last?.contains("still in use by readerd provision (process \(getpid()))") == true)
        #expect(pauses == StateLock.pauses)
        #expect(try perform(["--only", "keys"]) { lock.release() }.first?.contains("published demo identity") == true)
    }

    @Test func onlyWhatWasAskedFor() throws {
        // The longest that may be configured: other tests have the disk, too.
        let other = try TemporaryDirectory()
        let file = try other.write("a.toml", "[events]\nmax-wait-ms = 2500\n")
        let outcome = perform("self-test", "--state", directory.path, "--config", file, "--only", "disk,nfc")
        #expect(outcome.code == 0 && outcome.complaints == [])
        #expect(outcome.printed.map { $0.prefix(6) } == ["nfc   ", "disk  "])
        #expect(directory.names() == ["readerd.lock"])
    }

    @Test func aConfigurationWithFaultsIsToldAsCheckConfigDoes() throws {
        let file = try directory.write("a.toml", "[door]\npuls-s = 5\n")
        let outcome = perform("self-test", "--state", directory.path, "--config", file)
        #expect(outcome.code == 1 && outcome.printed == [])
        #expect(outcome.complaints == ["\(file):2: door.puls-s: unknown key; did you mean door.pulse-s?"])
    }

    /// A look at a device on which no reader has run leaves none behind.
    @Test func aDirectoryThatWasMissingIsMissingAgain() throws {
        let state = directory.path + "/state"
        let outcome = perform("self-test", "--state", state + "/", "--only", "keys,disk", "--json")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.printed.first?.contains("{\"part\":\"disk\",\"result\":\"ok\"") == true)
        #expect(directory.names() == [])
        // One that was there stays, whatever is in it.
        try #require(mkdir(state, 0o700) == 0)
        _ = perform("self-test", "--state", state, "--only", "disk", "--json")
        #expect(directory.names() == ["state"])
        // So does one that somebody else has put something into meanwhile.
        let made = try StateDirectory(directory.path + "/other")
        try made.replace("somebodys", with: [1])
        try made.replace(StateLock.fileName, with: [])
        made.removeIfMade(with: [StateLock.fileName])
        #expect(directory.names(in: "other") == ["somebodys"])
    }

    @Test func aDirectoryThatCannotBeMadeIsTheDisksLine() throws {
        let outcome = perform("self-test", "--state", directory.path + "/a/b", "--only", "clock", "--json")
        #expect(outcome.code == 1 && outcome.printed.count == 1)
        #expect(outcome.printed[0].contains("{\"part\":\"disk\",\"result\":\"failed\""))
        #expect(outcome.printed[0].contains("{\"part\":\"clock\""))
    }

    @Test func aResetThatWasNotFinishedIsTheDisksLine() throws {
        try directory.write(ResetCommand.markerName, "", mode: 0o600)
        let outcome = perform("self-test", "--state", directory.path, "--only", "disk")
        #expect(outcome.code == 1 && outcome.printed.first?.contains("incomplete reset") == true)
    }

    @Test func lockOff() throws {
        #expect(try Command(["lock-off"]) == .lockOff(LockOffCommand()))
        #expect(try Command(["lock-off", "--config=a"]) == .lockOff(LockOffCommand(configuration: "a")))
        for wrong in [["--config"], ["--config="], ["now"], ["--config", "a", "b"]] {
            #expect(perform("lock-off", wrong).code == 2)
        }
        let none = try directory.write("none.toml", "[door]\npulse-s = 0\n")
        #expect(perform("lock-off", ["--config", none]).printed.first?.hasPrefix("no gpio.lock") == true)
        let lost = try directory.write("lost.toml", "[gpio]\nlock = \"gpiochip99:1\"\n")
        let outcome = perform("lock-off", ["--config", lost])
        #expect(outcome.code == 1 && outcome.complaints.count == 1)
    }

    private func perform(_ name: String, _ rest: [String]) -> ProgramOutcome {
        Program.outcome(of: [name] + rest)
    }
}
