// SPDX-License-Identifier: Apache-2.0

import Logging
import Peripheral
import System
import Testing

@testable import readerd

@Suite struct CommandTests {
    @Test func commands() throws {
        #expect(try Command(["--help"]) == .help(nil))
        #expect(try Command(["-h"]) == .help(nil))
        #expect(try Command(["help"]) == .help(nil))
        #expect(try Command(["help", "run"]) == .help(.run))
        #expect(try Command(["run", "--help"]) == .help(.run))
        #expect(try Command(["run", "--hci", "x", "-h"]) == .help(.run))
        #expect(try Command(["check-config", "--help"]) == .help(.checkConfig))
        #expect(try Command(["--version"]) == .version)
        #expect(try Command(["check-config", "a.toml"]) == .checkConfig(CheckConfigOptions(path: "a.toml")))
        var checked = CheckConfigOptions(path: "a.toml")
        (checked.stateDirectory, checked.isJSON) = ("./state", true)
        #expect(try Command(["check-config", "--state=./state", "a.toml", "--json"]) == .checkConfig(checked))
        #expect(try Command(["check-config", "--json", "--state", "./state", "a.toml"]) == .checkConfig(checked))
        #expect(try Command(["run"]) == .run(RunOptions()))
        #expect(try Command(["provision"]) == .provision(ProvisionOptions()))
        #expect(try Command(["reset", "--yes"]) == .reset(ResetOptions()))
    }

    /// The manual page is made of it: an option's text that has no end goes on in that of the next one.
    @Test func everyOptionsHelpEndsBeforeTheNextOne() {
        for command in CommandName.allCases {
            let lines = CommandHelp.text(command).split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where next.hasPrefix("--") && !line.isEmpty {
                let isOne = line.hasPrefix("--site-id N") || line.hasSuffix(".") || line.hasSuffix(":")
                #expect(isOne, "\(command.rawValue): \(line)")
            }
        }
    }

    /// The help shows a command line, beyond the usage. lock-off and adapter are the service manager's.
    @Test func helpHasAnExample() {
        for command in CommandName.allCases where command != .lockOff && command != .adapter {
            let lines = CommandHelp.text(command).split(separator: "\n")
            let hasOne = lines.contains { $0.hasPrefix("    ") && $0.contains("readerd \(command.rawValue)") }
            #expect(hasOne, "\(command.rawValue)")
        }
    }

    @Test func helpOnMoreThanOneCommandNamesTheSurplus() {
        do throws(ReaderdError) {
            _ = try Command(["help", "run", "now"])
            Issue.record("it was taken")
        } catch {
            #expect(error == .usage("help takes one command; remove \"now\"; see: readerd --help"))
        }
    }

    @Test func runOptions() throws {
        let defaults = RunOptions()
        #expect(defaults.configuration == nil && defaults.hci == nil)
        #expect(defaults.stateDirectory == "/var/lib/readerd" && defaults.logLevel == nil)
        #expect(defaults.control == nil && !defaults.tellsMissing)
        #expect(RunOptions.defaultConfiguration == "/etc/readerd/readerd.toml")

        var all = RunOptions()
        all.configuration = "c.toml"
        all.hci = .serial(path: "/dev/ttyS1", baud: 115_200, flowControl: false)
        all.stateDirectory = "./state"
        all.capture = "c.btsnoop"
        all.control = "c.sock"
        all.logLevel = .debug
        all.tellsMissing = true
        #expect(
            try Command([
                "run", "--config", "c.toml", "--hci=serial:/dev/ttyS1,115200", "--state", "./state",
                "--btsnoop", "c.btsnoop", "--control", "c.sock", "--log-level=debug", "--tell-missing",
            ]) == .run(all))
        #expect(throws: ReaderdError.self) { try Command(["run", "--tell-missing=yes"]) }
        // Only the first = parts the name from the value, and a value may begin with one dash.
        #expect(try RunOptions(["--hci=unix:a=b"][...]).hci == .unix(path: "a=b"))
        #expect(try RunOptions(["--state", "-odd"][...]).stateDirectory == "-odd")
    }

    @Test func wrongUseEndsWithTwo() {
        let cases: [([String], String)] = [
            ([], "no command; see: readerd --help"),
            (["--version", "x"], "--version takes no argument; remove \"x\""),
            (
                ["help", "walk"],
                "unknown command \"walk\"; the commands are run, check-config, check-update, events, provision, reset, policy, self-test, lock-off, aliro, pkoc, adapter, "
                    + "status, quiet, unlock, lockdown, tamper-reset, revoke, unrevoke, set-time, provisioning, osdp, matter, metrics, "
                    + "calibrate; "
                    + "see: readerd --help"
            ),
            (
                ["--loud"],
                "unknown option \"--loud\"; the commands are run, check-config, check-update, events, provision, reset, policy, self-test, lock-off, aliro, pkoc, adapter, "
                    + "status, quiet, unlock, lockdown, tamper-reset, revoke, unrevoke, set-time, provisioning, osdp, matter, metrics, "
                    + "calibrate; "
                    + "see: readerd --help"
            ),
            (["check-config"], "check-config needs a FILE; see: readerd check-config --help"),
            (["check-config", "a", "b"], "check-config takes one FILE; see: readerd check-config --help"),
            (["check-config", "--json"], "check-config needs a FILE; see: readerd check-config --help"),
            (
                ["check-config", "--loud", "a"],
                "check-config: unknown argument \"--loud\"; see: readerd check-config --help"
            ), (["check-config", "a", "--state"], "--state needs a value; see: readerd check-config --help"),
            (["check-config", "a", "--json", "--json"], "--json is given twice; use it once"),
            (["run", "now"], "run: unknown argument \"now\"; see: readerd run --help"),
            (["run", "--nfc", "x"], "run: unknown argument \"--nfc\"; see: readerd run --help"),
            (["run", "--hci"], "--hci needs a value; see: readerd run --help"),
            (["run", "--hci="], "--hci needs a value; see: readerd run --help"),
            (["run", "--hci", "--state", "x"], "--hci needs a value; see: readerd run --help"),
            (["run", "--hci", "unix:a", "--hci=unix:b"], "--hci is given twice; use it once"),
            (["run", "--hci", "virtual"], "--hci: \(TransportNameError.onlyInLab)"),
            (
                ["run", "--log-level", "loud"],
                "unknown --log-level \"loud\"; the levels are trace, debug, info, notice, warning, error, critical"
            ),
        ]
        for (arguments, text) in cases {
            #expect(throws: ReaderdError.usage(text)) { try Command(arguments) }
        }
        #expect(ReaderdError.usage("").exitCode == 2)
    }
}
