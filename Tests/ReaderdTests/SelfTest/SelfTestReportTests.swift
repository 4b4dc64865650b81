// SPDX-License-Identifier: Apache-2.0

import CardPolling
import Configuration
import JSON
import NFC
import Reader
import Testing

@testable import readerd

/// The table, the object of JSON and the exit status, and what is made of a running reader's status.
@Suite struct SelfTestReportTests {
    @Test func theTableIsAlignedAndTheStatusIsThatOfTheWorst() {
        var report = SelfTestReport()
        #expect(report.exitCode == 0)
        #expect(report.add("nfc", .notConfigured("there is none")) == "nfc          not configured  there is none")
        #expect(report.add("advertising", .ok("on")) == "advertising  ok              on")
        #expect(report.exitCode == 0)
        // A line is a line, whatever a device calls itself.
        #expect(report.add("gpio", .failed("a\nb")).contains("\n") == false)
        #expect(report.exitCode == 1)
    }

    @Test func json() {
        var report = SelfTestReport()
        report.add("nfc", .notConfigured("a \"b\""))
        report.add("clock", .failed("not set"))
        #expect(
            report.json
                == "{\"ok\":false,\"version\":\"\(FirmwareVersion.text)\",\"reader-runs\":false,\"parts\":["
                + "{\"part\":\"nfc\",\"result\":\"not-configured\",\"detail\":\"a \\\"b\\\"\"},"
                + "{\"part\":\"clock\",\"result\":\"failed\",\"detail\":\"not set\"}]}")
    }

    private static let healthy = """
        {"ok":true,"version":"0.1.0","device":"012345678A","demo-identity":false,"uptime-s":93784,\
        "door":{"state":"secured","simulated-lock":false},"links":{"served":1,"max":3},\
        "controller":{"name":"hci-socket:0","ready":true,"advertising":true,"failures":0},\
        "events":{"state":"ok","waiting":0,"records":1204},\
        "clock":{"time":"2026-11-21T13:00:00+01:00","quality":"synchronised"},"faults":[]}
        """

    private func report(_ changes: [(String, String)] = [], only: Set<SelfTestPart>? = nil) throws -> SelfTestReport {
        var text = SelfTestReportTests.healthy
        for (old, new) in changes {
            let range = try #require(text.firstRange(of: old))
            text.replaceSubrange(range, with: new)
        }
        let answer = try JSONParser.parse(Array(text.utf8))
        return SelfTestReport(status: answer, parts: only ?? Set(SelfTestPart.allCases))
    }

    @Test func aHealthyRunningReader() throws {
        let report = try report()
        #expect(report.isOfRunningReader)
        #expect(report.exitCode == 0)
        #expect(
            report.rows.map(\.line) == [
                "reader       ok              reader 012345678A runs, readerd 0.1.0, up 1 d 02:03:04: its own report",
                "controller   ok              hci-socket:0, ready",
                "advertising  ok              on",
                "nfc          not configured  no nfc.connection",
                "gpio         ok              lines held by the reader, door secured",
                "keys         ok              reader 012345678A",
                "disk         ok              events are stored, 1204 events",
                "clock        ok              2026-11-21T13:00:00+01:00, synchronised",
            ])
    }

    @Test(arguments: [
        ("\"ready\":true", "\"ready\":false", "controller", SelfTestOutcome.failed("hci-socket:0, not ready")),
        ("\"advertising\":true", "\"advertising\":false", "advertising", .failed("off; see the reader's log")),
        (
            "\"simulated-lock\":false", "\"simulated-lock\":true", "gpio",
            .notConfigured("the lock is simulated, door secured")
        ),
        (
            "\"demo-identity\":false", "\"demo-identity\":true", "keys",
            .notConfigured(
                "published demo identity with public keys; make one: readerd provision")
        ),
        ("\"state\":\"ok\"", "\"state\":\"failing\"", "disk", .failed("event log failing; see the reader's log")),
        ("\"time\":\"2026-11-21T13:00:00+01:00\"", "\"time\":null", "clock", .failed("not set")),
        (
            "\"faults\":[]",
            "\"faults\":[{\"code\":\"line-lock\",\"text\":\"line lock: lost\"},{\"code\":\"b\",\"text\":\"b\"}]",
            "reader", .failed("line lock: lost; b")
        ),
        ("\"door\":{\"state\":\"secured\",", "\"door\":{", "gpio", .failed("not reported by the reader")),
    ])
    func whatARunningReaderLacks(old: String, new: String, part: String, outcome: SelfTestOutcome) throws {
        let report = try report([(old, new)])
        #expect(report.rows.first { $0.name == part }?.outcome == outcome)
        #expect(report.exitCode == (outcome.hasFailed ? 1 : 0))
    }

    @Test func advertisingThatIsOffWhileAllLinksAreTakenIsNoFault() throws {
        let report = try report([("\"advertising\":true", "\"advertising\":false"), ("\"served\":1", "\"served\":3")])
        #expect(report.exitCode == 0)
    }

    /// The member as `StatusReport` writes it.
    @Test(arguments: [
        ("ready", SelfTestOutcome.ok("pn532_uart:/dev/ttyS1, ready")),
        ("opening", .failed("pn532_uart:/dev/ttyS1, opening; see the reader's log")),
        ("failed", .failed("pn532_uart:/dev/ttyS1, failed; see the reader's log")),
    ])
    func theChipOfARunningReader(state: String, outcome: SelfTestOutcome) throws {
        let member =
            "\"nfc\":{\"connection\":\"pn532_uart:/dev/ttyS1\",\"state\":\"\(state)\",\"failures\":0,\"activations\":2},"
        let report = try report([("\"events\":{", member + "\"events\":{")])
        #expect(report.rows.first { $0.name == "nfc" }?.outcome == outcome)
        #expect(report.exitCode == (outcome.hasFailed ? 1 : 0))
    }

    @Test func partsThatWereNotAskedForDoNotCount() throws {
        let report = try report([("\"faults\":[]", "\"faults\":[{\"text\":\"x\"}]")], only: [.clock])
        #expect(report.rows.map(\.name) == ["reader", "clock"])
        #expect(report.exitCode == 0)
    }

    @Test(
        arguments: [
            (1_795_219_199, true, nil, false), (1_795_219_200, false, nil, true), (1_795_219_200, true, nil, true),
            (1_795_219_300, true, 1_795_219_301, false), (1_795_219_301, true, 1_795_219_301, true),
            (0, false, nil, false),
        ] as [(Int64, Bool, Int64?, Bool)])
    func theClock(seconds: Int64, isSynchronised: Bool, lastEvent: Int64?, isGood: Bool) {
        let test = ClockTest(
            seconds: seconds, isSynchronised: isSynchronised, buildTime: 1_795_219_200, lastEvent: lastEvent)
        #expect(test.outcome.hasFailed == !isGood)
        #expect(test.outcome.detail.contains("not synchronised") == (isGood && !isSynchronised))
    }

    /// A phone or an operator may have set the reader's clock, which outlasts a restart: that one counts.
    @Test func theClockThatWasSet() {
        var test = ClockTest(
            seconds: 1_795_219_300, isSynchronised: false, buildTime: 1_795_219_200, lastEvent: 1_795_222_900,
            marks: ClockMarks(offset: 3600, latest: 1_795_219_300))
        #expect(
            test.outcome
                == .ok(
                    "2026-11-21T01:01:40+00:00, set, not synchronised; system clock 2026-11-21T00:01:40+00:00"
                )
        )
        test.marks?.offset = 3599
        #expect(test.outcome.hasFailed)
        test.marks = .exhausted(latest: 0)
        #expect(test.outcome.hasFailed)
        // What is kept right holds, whatever was set before.
        test = ClockTest(
            seconds: 1_795_219_300, isSynchronised: true, buildTime: 1_795_219_200, lastEvent: nil,
            marks: ClockMarks(offset: 3600, latest: 0))
        #expect(test.outcome == .ok("2026-11-21T00:01:40+00:00, synchronised"))
        // A system whose clock says 1970 all its life.
        test = ClockTest(
            seconds: 60, isSynchronised: false, buildTime: 1_795_219_200,
            marks: ClockMarks(offset: 1_795_219_240, latest: 0))
        #expect(
            test.outcome
                == .ok(
                    "2026-11-21T00:01:40+00:00, set, not synchronised; system clock 1970-01-01T00:01:00+00:00"
                ))
    }

    @Test func lines() {
        #expect(
            LineTest.outcome([], isLockSimulated: true) == .notConfigured("no lines: the lock is simulated"))
        let rex = LineTest.Finding(name: "rex", reference: "REX", state: .success("at rest"))
        let lock = LineTest.Finding(name: "lock", reference: "gpiochip0:17", state: .success("free"))
        let lost = LineTest.Finding(name: "buzzer", reference: "B", state: .failure(.failed("gone")))
        #expect(
            LineTest.outcome([lock, rex], isLockSimulated: false) == .ok("lock gpiochip0:17 free, rex REX at rest"))
        #expect(LineTest.outcome([rex], isLockSimulated: true) == .ok("rex REX at rest, the lock is simulated"))
        #expect(LineTest.outcome([lock, lost], isLockSimulated: false) == .failed("gpio.buzzer: gone"))
    }

    @Test func linesThatAreNotThere() throws {
        let decoded = SettingsFile.decode(Array("[gpio]\nlock = \"gpiochip99:1\"\nrex = \"NO SUCH LINE\"".utf8).span)
        let findings = LineTest.findings(decoded.settings.gpio)
        #expect(findings.map(\.name) == ["lock", "rex"])
        for finding in findings {
            guard case .failure = finding.state else {
                Issue.record("\(finding.name) was found")
                continue
            }
        }
    }

    @Test func aChipThatIsNotConfiguredIsNotLookedAt() {
        let settings = SettingsFile.decode([UInt8]().span).settings
        #expect(NFCTest.outcome(settings, timeout: .zero) == .notConfigured("no nfc.connection"))
    }

    @Test func aChipThatIsNotThereFails() {
        let settings = SettingsFile.decode(Array("[nfc]\nconnection = \"pn532_uart:/nowhere/tty\"".utf8).span).settings
        #expect(NFCTest.outcome(settings, timeout: .seconds(60)) == .failed("/nowhere/tty: no such device"))
    }

    @Test(
        arguments: [
            (NFCFrontEndEvent.opened("pn532 on a line"), SelfTestOutcome.ok("pn532_uart:X: pn532 on a line")),
            (.failed("X: not permitted"), .failed("X: not permitted")),
            (nil, .failed("pn532_uart:X: not open within 10 s; check power and wiring")),
        ] as [(NFCFrontEndEvent?, SelfTestOutcome)])
    func whatAChipTellsFirst(event: NFCFrontEndEvent?, outcome: SelfTestOutcome) {
        #expect(NFCTest.outcome("pn532_uart:X", event, timeout: .seconds(10)) == outcome)
    }
}
