// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Crypto
import Reader
import Testing

@testable import readerd

/// The output of one run of the program.
private final class Recorder {
    var printed: [String] = []
    var complaints: [String] = []

    func perform(_ arguments: String...) -> Int32 {
        let console = Console(print: { self.printed.append($0) }, complain: { self.complaints.append($0) })
        return Program(console: console).perform(arguments)
    }
}

@Suite struct ProgramTests {
    private let directory: TemporaryDirectory
    private let recorder = Recorder()

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A phone asks for two numbers of what people read.
    @Test func theVersionsNumbersAreThoseOfItsText() {
        let version = FirmwareVersion.current.version
        #expect(FirmwareVersion.text.hasPrefix("\(version >> 8).\(version & 0xFF)."))
    }

    @Test func helpAndVersionGoToStandardOutput() {
        #expect(recorder.perform("--help") == 0)
        #expect(recorder.perform("--version") == 0)
        #expect(recorder.printed.last == "readerd \(FirmwareVersion.text)")
        #expect(recorder.complaints == [])
        for name in CommandName.allCases {
            #expect(recorder.printed.first?.contains("readerd \(name.rawValue)") == true)
            #expect(recorder.perform(name.rawValue, "--help") == 0)
            #expect(recorder.printed.last?.hasPrefix("readerd \(name.rawValue)") == true)
        }
    }

    @Test func wrongUseIsOneLineOnStandardError() {
        #expect(recorder.perform("polish") == 2)
        #expect(recorder.printed == [])
        #expect(
            recorder.complaints == [
                "readerd: unknown command \"polish\"; the commands are run, check-config, check-update, events, provision, reset, "
                    + "policy, self-test, lock-off, aliro, pkoc, adapter, status, quiet, unlock, lockdown, tamper-reset, revoke, "
                    + "unrevoke, set-time, provisioning, osdp, matter, metrics, calibrate; see: readerd --help"
            ])
    }

    /// A reader was killed in the middle of a pulse, on a chip that keeps its outputs, and none starts: the current is
    /// taken off before the state directory, the identity or the controller is looked at.
    @Test(arguments: [
        ("", []), ("[door]\nfail-mode = \"secure\"\n", []), ("[doors]\n", []), ("", ["--hci", "hci-socket:65534"]),
    ]) func aStartThatFailsLeavesNoCurrentOnTheLock(rest: String, options: [String]) throws {
        #expect(try levels(afterStarting: rest, options) == [false])
    }

    /// Such a lock has current while it is secured.
    @Test func aStartThatFailsTakesNoCurrentFromALockThatNeedsItToBeSecured() throws {
        #expect(try levels(afterStarting: "[door]\nfail-mode = \"safe\"\n", []) == [])
    }

    /// The levels that an incomplete start sets on the line, on which the last reader has left current.
    private func levels(afterStarting rest: String, _ options: [String]) throws -> [Bool] {
        let file = try directory.write("a.toml", "[gpio]\nlock = \"RELAY\"\n" + rest)
        var (levels, complaints): ([Bool], [String]) = ([], [])
        var program = Program(console: Console(print: { _ in }, complain: { complaints.append($0) }))
        program.takeCurrentOff = { settings throws(ReaderdError) in
            #expect(settings.gpio.lines[.lock] == "RELAY")
            #expect(complaints == [], "nothing has failed before")
            levels.append(false)
            // What is wrong with a line is said later.
            throw .failed("the line is busy")
        }
        let state = directory.path + "/missing/state"
        #expect(program.perform(["run", "--config", file, "--state", state] + options) == 1)
        #expect(complaints.count == 1 && complaints.first?.contains("busy") == false, "\(complaints)")
        return levels
    }

    @Test func checkConfigOfASoundFile() throws {
        let file = try directory.write("a.toml", "[nfc]\n\nrole = \"target\"\n")
        #expect(recorder.perform("check-config", file) == 0)
        #expect(recorder.printed == ["\(file): ok"])
        #expect(recorder.complaints == [])
    }

    @Test func checkConfigSaysEachFaultWithItsLine() throws {
        let file = try directory.write(
            "a.toml",
            """
            hci = "virtual"
            [door]
            puls-s = 5

            [gpio]
            lock = "gpiochip0"
            buzzer = "gpiochip1:2"
            led-denied = "/dev/gpiochip1:2"
            """)
        #expect(recorder.perform("check-config", file) == 1)
        #expect(recorder.printed == [])
        #expect(
            recorder.complaints.filter { !$0.contains("warning") } == [
                "\(file):1: hci: the transport \"virtual\" exists only in readerlab; write hci-socket:0 for the first "
                    + "adapter",
                "\(file):3: door.puls-s: unknown key; did you mean door.pulse-s?",
                "\(file):6: gpio.lock: \"gpiochip0\" names a chip but no line; write gpiochip0:LINE",
                "\(file):7: gpio.buzzer: is the same line as gpio.led-denied",
            ])
    }

    @Test func checkConfigOfWhatIsNoTOML() throws {
        let file = try directory.write("a.toml", "links.max = 1\nlinks.max = 2\n")
        #expect(recorder.perform("check-config", file) == 1)
        #expect(recorder.complaints.count == 1)
        #expect(recorder.complaints.first?.hasPrefix("\(file):2: not valid TOML: ") == true)
    }

    @Test func filesThatCannotBeRead() throws {
        #expect(recorder.perform("check-config", "\(directory.path)/none.toml") == 1)
        #expect(recorder.perform("check-config", directory.path) == 1)
        let long = try directory.write("long.toml", [UInt8](repeating: 0x0A, count: SettingsFile.maximumCount + 1))
        #expect(recorder.perform("check-config", long) == 1)
        #expect(
            recorder.complaints == [
                "readerd: \(directory.path)/none.toml: no such file; start from docs/readerd.toml",
                "readerd: \(directory.path): not a regular file",
                "readerd: \(long): longer than 65536 octets",
            ])
        let fits = try directory.write("fits.toml", [UInt8](repeating: 0x0A, count: SettingsFile.maximumCount))
        #expect(recorder.perform("check-config", fits) == 0)
    }

    @Test func runStopsAtTheFirstThingThatIsWrong() throws {
        let state = "\(directory.path)/state"
        #expect(recorder.perform("run", "--config", "\(directory.path)/none.toml", "--state", state) == 1)
        let faulty = try directory.write("faulty.toml", "[door]\npulse-s = 0\n")
        #expect(recorder.perform("run", "--config", faulty, "--state", state) == 1)
        // Neither came as far as making the state directory.
        #expect(directory.names() == ["faulty.toml"])
        let lock = try directory.write("lock.toml", "gpio.lock = \"gpiochip0:1\"\n")
        #expect(recorder.perform("run", "--config", lock, "--state", state) == 1)
        #expect(
            recorder.complaints == [
                "readerd: \(directory.path)/none.toml: no such file; start from docs/readerd.toml",
                "\(faulty):2: door.pulse-s: 0 is out of range: needs a whole number from 1 to 300",
                "readerd: gpio.lock is a real lock, and the identity is the published demo identity, whose keys are "
                    + "public; make an identity with readerd provision, or, on a bench only, set allow-demo-identity "
                    + "= true",
            ])
    }
}
