// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import Configuration

/// Entries as a file with one key a line would have them.
private func entries(_ values: [(String, SettingsEntry.Value)]) -> [SettingsEntry] {
    values.enumerated().map { SettingsEntry(path: $1.0, value: $1.1, line: $0 + 1, column: 1) }
}

/// A list on one line.
private func list(_ path: String, _ elements: [SettingsEntry.Value], line: Int = 1) -> [SettingsEntry] {
    [SettingsEntry(path: path, value: .array, line: line, column: 1)]
        + elements.enumerated().map { SettingsEntry(path: path, index: $0, value: $1, line: line, column: 8) }
}

private func diagnostics(_ entries: [SettingsEntry]) -> [String] {
    DecodedSettings(entries).diagnostics.map(\.description)
}

@Suite struct DecodedSettingsTests {
    /// DESIGN's contract: what a file without a key means.
    @Test func defaults() {
        let settings = DecodedSettings().settings
        #expect(settings == ReaderSettings())
        #expect(settings.hci == "hci-socket:0")
        #expect(!settings.takesAdapter && !settings.allowsDemoIdentity)
        #expect(settings.reader.siteID == 1 && settings.reader.doorID == 1 && settings.reader.utcOffsetMinutes == 0)
        #expect(settings.advertising.modes == [.onTouch, .access] && settings.advertising.intervalMilliseconds == 100)
        #expect(settings.links.maximum == 3 && settings.links.maximumConnectionMilliseconds == 3000)
        let gate = ReaderSettings.Proximity.Gate(
            thresholdDBm: -60, windowMilliseconds: 400, intervalMilliseconds: 25, samples: 3)
        #expect(settings.proximity.gate(of: .onTouch) == gate && settings.proximity.gate(of: .access) == gate)
        #expect(settings.proximity.gate(of: .classic) == nil && settings.proximity.gate(of: .accessIBeacon) == nil)
        #expect(settings.door.configuration == DoorConfiguration(pulse: .seconds(5), failMode: .secure))
        #expect(settings.door.extendedSeconds == 3600)
        #expect(settings.gpio.lines[.lock] == nil && settings.nfc.connection == nil)
        #expect(settings.events.audit == .strict && settings.events.capacity == 10_000)
        #expect(DecodedSettings().diagnostics == [])
    }

    @Test func everyKeyIsTakenOver() {
        let decoded = DecodedSettings(
            entries([
                ("hci", .string("unix:/run/hci")), ("hci-take", .boolean(true)),
                ("allow-demo-identity", .boolean(true)),
                ("reader.site-id", .integer(7)), ("reader.door-id", .integer(8)),
                ("reader.utc-offset-minutes", .integer(-90)), ("advertising.interval-ms", .integer(20)),
                ("links.max", .integer(7)), ("links.max-connection-ms", .integer(60_000)),
                ("links.longest-connection-s", .integer(600)),
                ("proximity.threshold-dbm", .integer(-70)), ("proximity.window-ms", .integer(500)),
                ("proximity.interval-ms", .integer(50)), ("proximity.samples", .integer(5)),
                ("proximity.max-path-loss-db", .integer(70)),
                ("door.pulse-s", .integer(10)), ("door.fail-mode", .string("safe")), ("gpio.lock", .string("RELAY")),
                ("gpio.buzzer", .string("BUZZER")), ("gpio.hardware-safe-state", .boolean(true)),
                ("nfc.connection", .string("pn532_uart:/dev/ttyS1")), ("events.audit", .string("relaxed")),
                ("events.when-full", .string("refuse")), ("events.max-wait-ms", .integer(500)),
                ("events.when-failing", .string("admit")),
            ]) + list("gpio.active-low", [.string("lock"), .string("led-denied")], line: 22)
                + list("advertising.modes", [.string("access-ibeacon"), .string("classic")], line: 23)
                + list("proximity.gate", [.string("access-ibeacon")], line: 24))
        #expect(decoded.diagnostics.filter { $0.severity != .notice } == [])
        var expected = ReaderSettings()
        expected.hci = "unix:/run/hci"
        expected.takesAdapter = true
        expected.allowsDemoIdentity = true
        expected.reader.siteID = 7
        expected.reader.doorID = 8
        expected.reader.utcOffsetMinutes = -90
        expected.advertising.modes = [.accessIBeacon, .classic]
        expected.advertising.intervalMilliseconds = 20
        expected.links.maximum = 7
        expected.links.maximumConnectionMilliseconds = 60_000
        expected.links.longestConnectionSeconds = 600
        expected.proximity.common = ReaderSettings.Proximity.Gate(
            thresholdDBm: -70, windowMilliseconds: 500, intervalMilliseconds: 50, samples: 5,
            maximumPathLossDB: 70)
        expected.proximity.gatedModes = [.accessIBeacon]
        expected.door.pulseSeconds = 10
        expected.door.failMode = .safe
        expected.gpio.lines[.lock] = "RELAY"
        expected.gpio.lines[.buzzer] = "BUZZER"
        expected.gpio.hasHardwareSafeState = true
        expected.gpio.activeLow = [.lock, .deniedIndicator]
        expected.nfc.connection = "pn532_uart:/dev/ttyS1"
        expected.events.audit = .relaxed
        expected.events.whenFull = .refuse
        expected.events.maximumWaitMilliseconds = 500
        expected.events.whenFailing = .admit
        #expect(decoded.settings == expected)
    }

    /// No limit by default; a mode's own may be looser or stricter than the common one, and cannot remove it.
    @Test func aModeMayHaveALimitOfThePathLossOfItsOwn() {
        #expect(DecodedSettings().settings.proximity.gate(of: .access)?.maximumPathLossDB == nil)
        let settings = DecodedSettings(
            entries([
                ("proximity", .table), ("proximity.max-path-loss-db", .integer(60)), ("proximity.on-touch", .table),
                ("proximity.on-touch.max-path-loss-db", .integer(146)),
            ])
        ).settings
        #expect(settings.proximity.gate(of: .onTouch)?.maximumPathLossDB == 146)
        #expect(settings.proximity.gate(of: .access)?.maximumPathLossDB == 60)
        for wrong in [19, 147] {
            #expect(
                diagnostics(entries([("proximity.max-path-loss-db", .integer(Int64(wrong)))])) == [
                    "1: proximity.max-path-loss-db: \(wrong) is out of range: needs a whole number from 20 to 146"
                ])
        }
    }

    @Test func aModeMayHaveAGateOfItsOwn() {
        let settings = DecodedSettings(
            entries([
                ("proximity", .table), ("proximity.samples", .integer(5)), ("proximity.on-touch", .table),
                ("proximity.on-touch.threshold-dbm", .integer(-40)),
            ])
        ).settings
        #expect(settings.proximity.gate(of: .onTouch)?.thresholdDBm == -40)
        #expect(settings.proximity.gate(of: .onTouch)?.samples == 5)
        #expect(settings.proximity.gate(of: .access)?.thresholdDBm == -60)
    }

    /// Every number at both ends of its range, and one beyond; the ends are read from what the key says of itself.
    @Test func rangesHoldAtTheirEnds() throws {
        for key in SettingKey.all where key.takes.hasPrefix("a whole number from ") {
            let words = key.takes.split(separator: " ")
            let ends = try [words[4], words[6]].map { word in
                try #require(word.hasPrefix("0x") ? Int64(word.dropFirst(2), radix: 16) : Int64(word))
            }
            for (number, isFine) in [(ends[0] - 1, false), (ends[0], true), (ends[1], true), (ends[1] + 1, false)] {
                var settings = ReaderSettings()
                let faults = key.decode(SettingValue(value: .integer(number), elements: []), &settings)
                #expect(faults.isEmpty == isFine, "\(key.name) = \(number)")
                if !isFine {
                    #expect(faults.map(\.text) == ["\(number) is out of range: needs \(key.takes)"])
                    #expect(settings == ReaderSettings())
                }
            }
            for number in [Int64.min, .max] {
                #expect(diagnostics(entries([(key.name, .integer(number))])).count >= 1)
            }
        }
    }

    /// No key takes a kind of value that it does not name, whatever the kind.
    @Test func wrongKindsAreRefusedByEveryKey() {
        let values: [SettingsEntry.Value] = [
            .table, .array, .string("~"), .integer(-1_000_000), .float(1), .boolean(true), .dateTime,
        ]
        for key in SettingKey.all {
            var settings = ReaderSettings()
            let accepted = values.filter { key.decode(SettingValue(value: $0, elements: []), &settings).isEmpty }
            switch key.takes.split(separator: " ").first {
            case "true": #expect(accepted == [.boolean(true)], "\(key.name)")
            case "text:": #expect(accepted == [.string("~")] || accepted == [], "\(key.name)")
            case "a": #expect(accepted == (key.takes.hasPrefix("a list") ? [.array] : []), "\(key.name)")
            default: #expect(accepted == [], "\(key.name)")
            }
        }
    }

    @Test func everyFaultIsToldInTheOrderOfTheLines() {
        let told = diagnostics(
            entries([
                ("hci", .string("")), ("hci-take", .string("yes")), ("door", .table),
                ("door.puls-s", .integer(5)), ("door.pulse-s", .integer(0)), ("door.fail-mode", .string("open")),
                ("dor", .table), ("dor.pulse-s", .integer(5)), ("dor.x.y", .integer(5)), ("links", .integer(5)),
                ("colour", .boolean(true)), ("door.extended-s", .float(0.5)), ("gpio.lock", .string("")),
                ("reader.time-zone", .string("../etc/passwd")),
            ]))
        #expect(
            told == [
                "1: hci: is empty: remove the key",
                "2: hci-take: needs true or false, not text",
                "4: door.puls-s: unknown key; did you mean door.pulse-s?",
                "5: door.pulse-s: 0 is out of range: needs a whole number from 1 to 300",
                "6: door.fail-mode: \"open\" is unknown: needs \"secure\" or \"safe\"",
                "7: dor: unknown table; did you mean [door]?",
                "10: links: is a table of keys, not a whole number: write [links] on its own line",
                "11: colour: unknown key; docs/readerd.toml has every key",
                "12: door.extended-s: needs a whole number from 1 to 86400, not a number with a point",
                "13: gpio.lock: is empty: remove the key",
                "14: reader.time-zone: \"../etc/passwd\" is not a time zone: needs a name such as Europe/Berlin",
            ])
    }

    @Test func aListsFaultsHaveTheLineOfTheElement() {
        let modes = [
            SettingsEntry(path: "advertising.modes", value: .array, line: 1, column: 1),
            SettingsEntry(path: "advertising.modes", index: 0, value: .string("access"), line: 2, column: 3),
            SettingsEntry(path: "advertising.modes", index: 1, value: .string("access"), line: 3, column: 3),
            SettingsEntry(path: "advertising.modes", index: 2, value: .string("near"), line: 4, column: 3),
            SettingsEntry(path: "advertising.modes", index: 3, value: .array, line: 5, column: 3),
            SettingsEntry(path: "advertising.modes[3]", index: 0, value: .integer(1), line: 5, column: 4),
            SettingsEntry(path: "advertising.modes", index: 4, value: .table, line: 6, column: 3),
            SettingsEntry(path: "advertising.modes[4].k", value: .integer(1), line: 6, column: 4),
        ]
        let known = "\"classic\", \"on-touch\", \"access\", \"access-ibeacon\", \"pkoc\" or \"aliro\""
        #expect(
            diagnostics(modes) == [
                "3: advertising.modes: \"access\" is listed twice",
                "4: advertising.modes: \"near\" is unknown: needs \(known)",
                "5: advertising.modes: needs \(known), not a list",
                "6: advertising.modes: needs \(known), not a table",
            ])
    }

    @Test func textInAMessageCannotBreakTheLine() {
        #expect(
            diagnostics(entries([("door.fail-mode", .string("a\"b\n\u{1B}[2J"))])) == [
                "1: door.fail-mode: \"a\\\"b\\u000A\\u001B[2J\" is unknown: needs \"secure\" or \"safe\""
            ])
    }

    @Test func zoneAndOffsetExcludeEachOther() {
        #expect(
            diagnostics(entries([("reader.time-zone", .string("UTC")), ("reader.utc-offset-minutes", .integer(60))]))
                == [
                    "2: reader.time-zone: conflicts with reader.utc-offset-minutes: remove one"
                ])
    }

    @Test func aZoneAloneIsGood() {
        #expect(diagnostics(entries([("reader.time-zone", .string("Europe/Berlin"))])) == [])
    }

    @Test func aGateThatCannotOpenIsAFault() {
        #expect(
            diagnostics(entries([("proximity.samples", .integer(15)), ("proximity.interval-ms", .integer(30))])) == [
                "2: proximity.interval-ms: the gate of on-touch, access, pkoc, aliro would never open: 15 samples, "
                    + "one every 30 ms, exceed the window of 400 ms"
            ])
        #expect(
            diagnostics(entries([("proximity.access.interval-ms", .integer(134))])) == [
                "1: proximity.access.interval-ms: the gate of access would never open: 3 samples, one every 134 ms, "
                    + "exceed the window of 400 ms"
            ])
        #expect(diagnostics(entries([("proximity.access.interval-ms", .integer(133))])) == [])
        // The last measurement would be due when the window ends, which is too late.
        for (samples, interval, window) in [(4, 100, 400), (1, 1000, 1000), (5, 10, 50)] as [(Int64, Int64, Int64)] {
            let written = entries([
                ("proximity.samples", .integer(samples)), ("proximity.interval-ms", .integer(interval)),
                ("proximity.window-ms", .integer(window)),
            ])
            #expect(
                diagnostics(written) == [
                    "3: proximity.window-ms: the gate of on-touch, access, pkoc, aliro would never open: "
                        + "\(samples) samples, one "
                        + "every \(interval) ms, exceed the window of \(window) ms"
                ])
        }
        // A gate that is not in use cannot fail to open, but has no effect either.
        #expect(
            diagnostics(
                entries([
                    ("proximity.classic.interval-ms", .integer(1000)),
                    ("proximity.access-ibeacon.max-path-loss-db", .integer(60)),
                ])) == [
                    "1: warning: proximity.classic.interval-ms: has no effect: proximity.gate lacks \"classic\"",
                    "2: warning: proximity.access-ibeacon.max-path-loss-db: has no effect: proximity.gate lacks "
                        + "\"access-ibeacon\"",
                ])
    }

    @Test func anAdvertisedModeWithoutAGateIsAWarning() {
        #expect(
            diagnostics(list("advertising.modes", [.string("access-ibeacon"), .string("classic")])) == [
                "1: warning: proximity.gate: lacks the advertised mode \"access-ibeacon\": its phones are served at "
                    + "any distance"
            ])
        #expect(
            diagnostics(list("advertising.modes", [])) == [
                "1: warning: advertising.modes: is empty: phones cannot find this reader"
            ])
    }

    @Test func aRealLockWithoutASafeStateIsAWarning() {
        let lock = ("gpio.lock", SettingsEntry.Value.string("RELAY"))
        #expect(diagnostics(entries([lock])).count == 1)
        #expect(DecodedSettings(entries([lock])).diagnostics.first?.severity == .warning)
        #expect(diagnostics(entries([lock, ("gpio.hardware-safe-state", .boolean(true))])) == [])
    }

    @Test func faultsCanBeAddedByOthers() {
        var decoded = DecodedSettings(entries([("hci", .string("unix:/x")), ("gpio.buzzer", .string("B"))]))
        #expect(!decoded.hasFaults)
        decoded.addFault("gpio.buzzer", "is not there")
        decoded.addFault("gpio.lock", "is not written")
        #expect(decoded.hasFaults)
        #expect(
            decoded.diagnostics.map(\.description) == ["2: gpio.buzzer: is not there", "gpio.lock: is not written"])
    }

    @Test func namesAreUnique() {
        #expect(Set(SettingKey.all.map(\.name)).count == SettingKey.all.count)
    }
}

@Suite struct SettingChecksTests {
    @Test func uuids() {
        #expect(SettingChecks.uuid("00005301-0010-002a-426c-756549442A00") == nil)
        for text in [
            "", "00005301-0010-002a-426c-756549442a0", "00005301-0010-002a-426c-756549442a000",
            "0000530100-10-002a-426c-756549442a00", "00005301-0010-002a-426c-75654944+a00",
            "00005301-0010-002a-426c-756549442a0é",
        ] {
            #expect(SettingChecks.uuid(text) != nil, "\(text)")
        }
    }

    @Test func timeZones() {
        for text in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1"] {
            #expect(SettingChecks.timeZone(text) == nil)
        }
        for text in ["", "/etc/localtime", "../x", "Europe/Bérlin", "a b", "1"] {
            #expect(SettingChecks.timeZone(text) != nil, "\(text)")
        }
    }
}
