// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Configuration
import Crypto
import JSON
import Protobuf
import Reader
import Testing

@testable import ReaderTestSupport
@testable import readerd

/// `check-config --state`: what a backend has pushed, beside the file.
@Suite struct CheckConfigCommandTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(directory.path + "/state")
    }

    private func check(_ text: String, _ options: String...) throws -> ProgramOutcome {
        Program.outcome(of: ["check-config", try directory.write("a.toml", text)] + options)
    }

    /// A configuration as `UPDATE` brings it, with its octets as they are kept.
    private func pushed() throws -> [UInt8] {
        let schedule = LocalTimeSchedule(
            dayOfYearStart: 300, dayOfYearEnd: 60, weekdays: [true, true, true, false, false, true],
            timePeriod: LocalTimeperiod(hoursFrom: 8, minutesFrom: 5, hoursTo: 18, minutesTo: 0))
        var config = try PushedSample.config()
        config.ble.maxConnectionTimeoutMs = 3000
        config.access.groups = [
            AccessConfigGroup(groupId: 7, schedules: []), AccessConfigGroup(groupId: 12, schedules: [schedule]),
        ]
        var octets: [UInt8] = []
        config.encode(into: &octets)
        return octets
    }

    @Test func whatWasPushedIsShownBesideTheFile() throws {
        try FaultLog.make(in: state, settings: [PushedConfiguration.setting: pushed()])
        let (code, printed, said) = try check(
            "[reader]\ntime-zone = \"Europe/Berlin\"\ndoor-id = 7\nphones-may-set = [\"reader.utc-offset-minutes\", "
                + "\"advertising.interval-ms\", \"credentials.groups\", \"credentials.carried-blacklist\", "
                + "\"door.pulse-s\"]\n[door]\npulse-s = 4\n", "--state", state.path)
        #expect(code == 0 && said == [])
        #expect(
            printed == [
                "\(directory.path)/a.toml: ok",
                "\(state.path): pushed \"config-7\", with precedence over the file:",
                "  reader.utc-offset-minutes = 60, instead of reader.utc-offset-minutes = 0, reader.time-zone = "
                    + "\"Europe/Berlin\" (base.utcOffsetMinutes)",
                "  advertising.interval-ms = 500, instead of advertising.interval-ms = 100 (ble.advertisingIntervalMs)",
                "  links.max-connection-ms = 3000, as in the file (ble.maxConnectionTimeoutMs)",
                "  credentials.groups = [\"7\", \"12 mon-wed,sat 08:05-18:00 300-60\"], instead of credentials.groups = "
                    + "[] (access.groups)",
                "  credentials.carried-blacklist = false, instead of credentials.carried-blacklist = true "
                    + "(oss.soUpdateFromBlacklist)",
                "  door.pulse-s = 9, instead of door.pulse-s = 4 (lock.defaultOpenTimeSec)",
                "  door.extended-s = 60, ignored: not in reader.phones-may-set; door.extended-s = 3600 "
                    + "(lock.extendedOpenTimeSec)",
                "  door.closed-days = [\"02-29\", \"03-01\", \"12-31\"], ignored: not in reader.phones-may-set; "
                    + "door.closed-days = [] (lock.closedDays)",
            ])
    }

    @Test func theHolidaysOfAYear() throws {
        let text = "[reader]\nholidays = [\"Good Friday: easter-2\", \"12-25..12-26 until 2027\"]\n"
        let shown = try check(text, "--holidays", "2027")
        #expect(
            shown.code == 0
                && shown.printed == [
                    "\(directory.path)/a.toml: ok", "2027-03-26 fri  Good Friday", "2027-12-25 sat  12-25..12-26",
                    "2027-12-26 sun  12-25..12-26",
                ])
        let json = try check(text, "--holidays", "2028", "--json")
        #expect(json.printed.first?.hasSuffix(#""holidays":[{"date":"2028-04-14","name":"Good Friday"}]}"#) == true)
        #expect(try check(text, "--holidays", "28").code == 2)
        #expect(try check("[reader]\nholidays = [\"easter-99\"]\n", "--holidays", "2027").code == 1)
    }

    /// Each key once, with the source of its value; the output is a file that says the same.
    @Test func theConfigurationInForce() throws {
        try FaultLog.make(in: state, settings: [PushedConfiguration.setting: pushed()])
        _ = try StateDirectory(directory.path + "/a.d")
        _ = try directory.write("a.d/gateway.toml", "[links]\nmax = 2\n")
        let (code, printed, said) = try check(
            "[reader]\ntime-zone = \"Europe/Berlin\"\ndoor-id = 7\nphones-may-set = [\"reader.utc-offset-minutes\", "
                + "\"door.pulse-s\", \"door.closed-days\"]\n[door]\npulse-s = 4\n", "--state", state.path, "--print")
        let file = "\(directory.path)/a"
        #expect(code == 0 && said == ["\(file).d/gateway.toml: notice: read as well; a key of a.toml has precedence"])
        func source(_ key: String) -> String? {
            let row = printed.first { $0.hasPrefix("\(key) ") || $0.hasPrefix("# \(key) ") }
            return row.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        }
        #expect(printed.count == SettingKey.all.count)
        #expect(source("reader.door-id") == "reader.door-id = 7 # \(file).toml:3")
        #expect(source("reader.site-id") == "reader.site-id = 1 # default")
        #expect(source("links.max") == "links.max = 2 # \(file).d/gateway.toml:2")
        #expect(
            source("reader.utc-offset-minutes")
                == "reader.utc-offset-minutes = 60 # pushed \"config-7\" (base.utcOffsetMinutes)")
        #expect(
            source("reader.time-zone")
                == "# reader.time-zone is not set # pushed \"config-7\" (base.utcOffsetMinutes)")
        #expect(source("door.pulse-s") == "door.pulse-s = 9 # pushed \"config-7\" (lock.defaultOpenTimeSec)")
        #expect(
            source("door.closed-days")
                == "door.closed-days = [\"02-29\", \"03-01\", \"12-31\"] # pushed \"config-7\" (lock.closedDays)")
        // Pushed, and not permitted.
        #expect(source("door.extended-s") == "door.extended-s = 3600 # default")
        #expect(source("gpio.lock") == "# gpio.lock is not set # default")
        let again = try check(printed.joined(separator: "\n") + "\n", "--print")
        #expect(again.code == 0)
        #expect(again.printed.contains { $0.hasPrefix("door.pulse-s") && $0.contains("= 9 ") })
    }

    @Test func theConfigurationInForceForPrograms() throws {
        try FaultLog.make(in: state, settings: [PushedConfiguration.setting: pushed()])
        let outcome = try check(
            "[reader]\ndoor-id = 7\nphones-may-set = [\"door.pulse-s\"]\n[advertising]\ncompany-id = 0x59\n",
            "--state", state.path, "--print", "--json")
        let answer = try JSONParser.parse(Array((outcome.printed.first ?? "").utf8))
        let entries = answer["configuration"]?.elements ?? []
        #expect(outcome.code == 0 && entries.map { $0["key"]?.text } == SettingKey.all.map(\.name))
        func entry(_ key: String) -> JSONNode? { entries.first { $0["key"]?.text == key } }
        #expect(entry("door.pulse-s")?["value"]?.text == "9" && entry("door.pulse-s")?["from"]?.text == "pushed")
        #expect(entry("door.pulse-s")?["config-id"]?.text == "config-7")
        #expect(entry("advertising.company-id")?["value"]?.text == "89")
        #expect(entry("advertising.company-id")?["from"]?.text == "file")
        #expect(entry("advertising.company-id")?["line"]?.text == "5")
        #expect(entry("door.extended-s")?["from"]?.text == "default" && entry("gpio.lock")?["value"]?.text == nil)
    }

    /// With a fault there is nothing in force.
    @Test func aFaultyConfigurationIsNotInForce() throws {
        let outcome = try check("[door]\npulse-s = 0\n", "--print")
        #expect(outcome.code == 1 && outcome.printed == [] && outcome.complaints.count == 1)
    }

    @Test func theGroupsAsTheyAreShownAreWhatAFileTakes() throws {
        let configuration = try PushedConfiguration(kept: pushed())
        let groups = try #require(configuration.written.first { $0.field == "access.groups" }?.value)
        let decoded = SettingsFile.decode(Array("credentials.groups = \(groups)\n".utf8).span)
        #expect(!decoded.hasFaults && decoded.settings.credentials.groups.map(\.text).count == 2)
    }

    @Test func programsGetOneObject() throws {
        try FaultLog.make(in: state, settings: [PushedConfiguration.setting: pushed()])
        let (code, printed, said) = try check("[door]\npuls-s = 4\n", "--state", state.path, "--json")
        #expect(code == 1 && said == [] && printed.count == 1)
        let answer = try JSONParser.parse(Array((printed.first ?? "").utf8))
        #expect(answer["ok"]?.isTrue == false)
        let remark = answer["remarks"]?.elements.first
        #expect(
            remark?["severity"]?.text == "fault" && remark?["line"]?.text == "2"
                && remark?["key"]?.text == "door.puls-s")
        let pushed = answer["pushed"]
        #expect(pushed?["config-id"]?.text == "config-7")
        let interval = pushed?["values"]?.elements.first { $0["key"]?.text == "advertising.interval-ms" }
        #expect(interval?["value"]?.text == "500" && interval?["file"]?["advertising.interval-ms"]?.text == "100")
        let groups = pushed?["values"]?.elements.first { $0["key"]?.text == "credentials.groups" }
        #expect(groups?["value"]?.elements.map(\.text) == ["7", "12 mon-wed,sat 08:05-18:00 300-60"])
    }

    /// check-config and a start refuse the same, in one line.
    @Test(arguments: ["osdp.line", "wiegand.lines"]) func aPanelThatDecidesHasToBeConnected(connection: String) throws {
        let section = try #require(connection.split(separator: ".").first)
        let outcome = try check("allow-demo-identity = true\n[\(section)]\nmode = \"panel\"\n")
        let fault =
            "\(directory.path)/a.toml:3: \(section).mode: \"panel\" needs \(connection): without a panel the reader "
            + "would decide; set it, or \"report\""
        #expect(outcome.code == 1 && outcome.printed == [] && outcome.complaints == [fault])
        let start = Program.outcome(of: [
            "run", "--config", directory.path + "/a.toml", "--state", directory.path + "/started",
            "--hci", "tcp-client:127.0.0.1:1",
        ])
        #expect(start == (1, [], [fault]))
    }

    /// Site and door that a start would refuse because of the identity, with the line of the key.
    @Test func siteAndDoorAreComparedWithTheIdentity() throws {
        let provisioned = Program.outcome(of: [
            "provision", "--state", state.path, "--site-id", "2", "--door-id", "7",
            "--signature-key", try directory.write("key.pem", P256PrivateKey.generate().publicKey.pem()),
        ])
        #expect(provisioned.code == 0)
        let file = "\(directory.path)/a.toml"
        for (text, faults) in [
            ("", []), ("[reader]\nsite-id = 2\ndoor-id = 7\n", []),
            ("[reader]\nsite-id = 2\ndoor-id = 9\n", ["\(file):3: reader.door-id: is 9 \(difference(7, 9))"]),
            (
                "[reader]\nsite-id = 3\ndoor-id = 9\n",
                [
                    "\(file):2: reader.site-id: is 3 \(difference(2, 3))",
                    "\(file):3: reader.door-id: is 9 \(difference(7, 9))",
                ]
            ),
        ] as [(String, [String])] {
            let outcome = try check(text, "--state", state.path)
            #expect(outcome.complaints == faults && outcome.code == (faults.isEmpty ? 0 : 1), "\(text)")
            // Without --state there is nothing to compare with.
            #expect(try check(text).code == 0)
        }
        let answer = try check("[reader]\ndoor-id = 9\n", "--state", state.path, "--json").printed.first ?? ""
        let remark = try JSONParser.parse(Array(answer.utf8))["remarks"]?.elements.first
        #expect(remark?["line"]?.text == "2" && remark?["key"]?.text == "reader.door-id")
    }

    private func difference(_ provisioned: Int, _ said: Int) -> String {
        "in the configuration, but \(provisioned) in the identity; remove the key, or provision the reader for \(said)"
    }

    /// The published identity with a real lock, and a damaged identity.
    @Test func anIdentityThatDoesNotServeIsAFault() throws {
        let lock = "[gpio]\nlock = \"RELAY\"\n"
        let demo = try check(lock, "--state", state.path)
        #expect(demo.code == 1 && demo.complaints.last?.contains("the published demo identity") == true)
        #expect(try check("allow-demo-identity = true\n\(lock)", "--state", state.path).code == 0)
        for name in ["device-id", "terminal-key.pem", "signature-key.pem"] { try state.replace(name, with: [0]) }
        let damaged = try check("", "--state", state.path)
        #expect(damaged.code == 1 && damaged.complaints.count == 1)
        #expect(damaged.complaints.first?.contains("no phone is served") == true)
    }

    /// A number alone is the usual mistake: each key of a line asks for the chip.
    @Test func aNumberIsNoLine() throws {
        let keys = ReaderSettings.GPIO.Line.allCases.map { "gpio.\($0.rawValue)" } + ["provisioning.button"]
        for key in keys {
            for number in ["17", "0", "0:17"] {
                let outcome = try check("\(key) = \"\(number)\"\n")
                let fault =
                    "\(directory.path)/a.toml:1: \(key): \"\(number)\" is a number, and no line's name: on which chip? write "
                    + "gpiochipN:LINE, as in gpiochip0:\(number == "0" ? "0" : "17"); gpioinfo lists chips and lines"
                #expect(outcome.code == 1 && outcome.complaints.contains(fault), "\(key): \(outcome.complaints)")
            }
        }
        let panel = try check("[wiegand]\nlines = [\"23\", \"gpiochip0:24\"]\n")
        #expect(panel.code == 1 && panel.complaints.first?.contains("\"23\" is a number") == true)
        // And one line is not for two purposes, whichever keys they are of.
        let twice = try check(
            "[gpio]\nrex = \"gpiochip0:24\"\n[wiegand]\nlines = [\"gpiochip0:23\", \"/dev/gpiochip0:24\"]\n")
        #expect(twice.complaints == ["\(directory.path)/a.toml:4: wiegand.lines: is the same line as gpio.rex"])
    }

    /// The usual slip of a pen, in words of its own.
    @Test(arguments: ["\"RELAY\n", "'RELAY\n", "\"RELAY\r\n", "\"RELAY", "\"\"\"RELAY\n"])
    func aTextWithoutItsEnd(text: String) throws {
        let outcome = try check("[gpio]\nlock = \(text)")
        #expect(outcome.complaints.first?.hasSuffix("not valid TOML: a text has no quotation mark at its end") == true)
        #expect(outcome.complaints.first?.contains("a.toml:2: ") == true || text.hasPrefix("\"\"\""))
    }

    @Test func aControlCharacterIsNotAMissingEnd() throws {
        let outcome = try check("[gpio]\nlock = \"RE\u{1}LAY\"\n")
        #expect(outcome.complaints.first?.contains("control characters") == true)
    }

    @Test func nothingPushedIsSaidAndIsNoFault() throws {
        var outcome = try check("", "--state", state.path)
        #expect(outcome.code == 0 && outcome.printed.last == "\(state.path): no pushed configuration")
        try FaultLog.make(in: state)
        outcome = try check("", "--state", state.path)
        #expect(outcome.code == 0 && outcome.printed.last == "\(state.path): no pushed configuration")
        outcome = try check("", "--state", state.path, "--json")
        #expect(outcome.printed.first?.contains(#""pushed":null"#) == true)
        outcome = try check("", "--json")
        #expect(outcome.printed == [#"{"ok":true,"file":"\#(directory.path)/a.toml","remarks":[]}"#])
    }

    @Test(arguments: [[0xFF, 0xFF], []] as [[UInt8]]) func whatCannotBeUsedIsAFault(octets: [UInt8]) throws {
        try FaultLog.make(in: state, settings: [PushedConfiguration.setting: octets])
        let line =
            "\(state.path): the pushed configuration is unusable (status -32), the file's applies; have the backend "
            + "push it again"
        var outcome = try check("", "--state", state.path)
        #expect(outcome.code == 1 && outcome.complaints == [line])
        outcome = try check("", "--state", state.path, "--json")
        #expect(outcome.code == 1 && outcome.complaints == [])
        #expect(outcome.printed.first?.contains(#""ok":false"#) == true)
    }

    @Test func aStateDirectoryThatIsNoneIsAnError() throws {
        let (code, _, said) = try check("", "--state", directory.path + "/none")
        #expect(code == 1 && said.first?.contains("/none: cannot examine it") == true)
    }
}
