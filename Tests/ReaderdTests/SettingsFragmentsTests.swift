// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import Reader
import TestSupport
import Testing

@testable import readerd

/// Fragments of a configuration, `readerd.d/*.toml` beside `readerd.toml`.
@Suite struct SettingsFragmentsTests {
    private let directory: TemporaryDirectory
    private let main: String
    private let fragments: String

    init() throws {
        directory = try TemporaryDirectory()
        main = "\(directory.path)/readerd.toml"
        fragments = "\(directory.path)/readerd.d"
    }

    private func write(_ name: String, _ text: String) throws {
        if name.hasPrefix("readerd.d/"), !directory.names().contains("readerd.d") {
            _ = try StateDirectory(fragments)
        }
        _ = try directory.write(name, text)
    }

    private func check() -> ProgramOutcome {
        Program.outcome(of: ["check-config", main])
    }

    @Test func aFragmentAddsKeys() throws {
        try write("readerd.toml", "[door]\npulse-s = 7\n")
        try write("readerd.d/gateway.toml", "[provisioning]\nwifi = \"wpa-supplicant:/run/w/wlan0\"\n")
        try write("readerd.d/readme.txt", "no = TOML = at all")
        let settings = try SettingsFile.load(main).settings
        #expect(settings.door.configuration.pulse == .seconds(7))
        #expect(settings.provisioning.wifi == "wpa-supplicant:/run/w/wlan0")
        let checked = check()
        #expect(checked.code == 0 && checked.printed == ["\(main): ok"])
        #expect(
            checked.complaints == [
                "\(fragments)/gateway.toml: notice: read as well; a key of readerd.toml has precedence"
            ])
    }

    @Test func theFileHasPrecedenceThenTheLaterName() throws {
        try write("readerd.toml", "door.pulse-s = 7\nadvertising.modes = [\"classic\"]\n")
        try write("readerd.d/1.toml", "door.pulse-s = 8\nlinks.max = 4\nlinks.max-connection-ms = 5000\n")
        try write("readerd.d/2.toml", "links.max = 5\nadvertising.modes = [\"access\", \"on-touch\"]\n")
        let decoded = try SettingsFile.load(main)
        #expect(!decoded.hasFaults)
        #expect(decoded.settings.door.configuration.pulse == .seconds(7))
        #expect(decoded.settings.advertising.modes == [.classic])
        #expect(decoded.settings.links.maximum == 5 && decoded.settings.links.maximumConnectionMilliseconds == 5000)
    }

    @Test func theyHoldWithoutTheFile() throws {
        try write("readerd.d/1.toml", "links.max = 4")
        #expect(try SettingsFile.load(main, mayBeMissing: true).settings.links.maximum == 4)
        #expect(throws: ReaderdError.self) { try SettingsFile.load(main) }
    }

    /// Each fault names its file and the line in that, whatever the texts before it end with.
    @Test func faultsHaveTheirFileAndLine() throws {
        try write("readerd.toml", "[door]\n\npuls-s = 5")
        try write("readerd.d/1.toml", "\n[links]\nmax = 99\n")
        try write("readerd.d/2.toml", "[nonsense]\n[gpio]\nlock = 1\n")
        let checked = check()
        #expect(checked.code == 1 && checked.printed.isEmpty)
        let faults = checked.complaints.filter { !$0.contains("notice: ") && !$0.contains("warning: ") }
        #expect(faults.count == 4)
        #expect(faults.contains("\(main):3: door.puls-s: unknown key; did you mean door.pulse-s?"))
        #expect(faults.contains { $0.hasPrefix("\(fragments)/1.toml:3: links.max: 99 is out of range") })
        #expect(faults.contains { $0.hasPrefix("\(fragments)/2.toml:1: nonsense: unknown table") })
        #expect(faults.contains { $0.hasPrefix("\(fragments)/2.toml:3: gpio.lock: ") })
    }

    @Test func checkConfigTellsTheFileAsJSON() throws {
        try write("readerd.toml", "")
        try write("readerd.d/1.toml", "links.max = 99")
        let outcome = Program.outcome(of: ["check-config", main, "--json"])
        #expect(outcome.code == 1)
        #expect(
            outcome.printed[0].contains(
                "\"severity\":\"fault\",\"file\":\"\(fragments)/1.toml\",\"line\":1,\"key\":\"links.max\""))
    }

    /// The lock of the file is known all the same, so that it can be de-energised.
    @Test func aDamagedFragmentIsAFaultAndHidesNothing() throws {
        try write("readerd.toml", "gpio.lock = \"RELAY\"")
        try write("readerd.d/1.toml", "links.max = 4\nlinks.max = 5\n")
        try write("readerd.d/2.toml", String(repeating: "#", count: SettingsFile.maximumCount + 1))
        try write("readerd.d/3.toml", "links.max = 3")
        let decoded = try SettingsFile.load(main)
        #expect(decoded.hasFaults)
        #expect(decoded.settings.gpio.lines[.lock] == "RELAY" && decoded.settings.links.maximum == 3)
        let faults = decoded.diagnostics.filter { $0.severity == .fault }
        #expect(faults.map(\.file) == ["\(fragments)/1.toml", "\(fragments)/2.toml"])
        #expect(faults[0].line == 2 && faults[0].text.hasPrefix("not valid TOML: "))
        #expect(faults[1].text == "longer than 65536 octets")
    }

    /// A link that leads nowhere is settings that somebody wanted, and is not said to be read.
    @Test func aLinkToNothingIsAFault() throws {
        try write("readerd.toml", "")
        try write("readerd.d/1.toml", "links.max = 3")
        try #require(symlink("\(fragments)/gone", "\(fragments)/2.toml") == 0)
        let decoded = try SettingsFile.load(main)
        #expect(decoded.settings.links.maximum == 3)
        #expect(
            decoded.diagnostics.map { SettingsFile.line($0, of: main) } == [
                "\(fragments)/1.toml: notice: read as well; a key of readerd.toml has precedence",
                "\(fragments)/2.toml: no such file; remove the link",
            ])
    }

    @Test func thereIsABoundOnTheirNumber() throws {
        try write("readerd.toml", "")
        for number in 0...SettingsFragments.maximumNumber { try write("readerd.d/\(number).toml", "") }
        let faults = try SettingsFile.load(main).diagnostics.map { SettingsFile.line($0, of: main) }
        #expect(faults == ["\(fragments): has more than 16 fragments: join some"])
    }

    @Test func aDirectoryThatIsNoneIsAFault() throws {
        try write("readerd.toml", "")
        _ = try directory.write("readerd.d", "")
        #expect(try SettingsFile.load(main).hasFaults)
    }
}
