// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Testing
import Timekeeping

@Suite struct TimelineTests {
    private static var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.subscribesFirst = ["results"]
        expectations.needsEncryption = true
        expectations.requests = ["request"]
        expectations.answers = ["answer"]
        expectations.failures = ["failure"]
        expectations.ends = ["done"]
        expectations.needsLargeMTU = true
        return expectations
    }

    private typealias Event = TimelineEntry.Event
    private static let connected = Event.connected(peer: "C0:00:00:00:00:01")
    private static let encrypted = Event.secured("encrypted", isEncrypted: true)
    private static let subscribed = Event.subscribed(to: "results", notifications: true, indications: false)
    private static let wrote = Event.wrote(step: "request", count: 4, withResponse: true, meaning: "")
    private static let gone = Event.disconnected(reason: 0x13, byDevice: false)
    private static func sent(_ step: String, _ count: Int = 2) -> Event {
        .sent(step: step, octets: [UInt8](repeating: 0, count: count), isIndication: false, meaning: "m")
    }

    /// The broken rules, each with the entry that shows it; one event per second.
    private static func findings(_ events: [Event], andThen rest: Duration = .zero, finish: Bool = false) -> [String] {
        var timeline = Timeline(start: .origin, expectations: [expectations])
        var now = Instant.origin
        for event in events {
            timeline.add(event, device: 0, link: 1, at: now)
            now = now + .seconds(1)
        }
        while let deadline = timeline.deadline, deadline <= now + rest { timeline.advance(to: deadline) }
        if finish { timeline.finish(at: now + rest) }
        return timeline.findings.map { "\($0.rule) \($0.entry)" }
    }

    @Test func anAppThatDoesItRightHasNoFindings() {
        let events = [
            Self.connected, .mtu(185), Self.encrypted, Self.subscribed, Self.wrote, Self.sent("answer", 100),
            Self.wrote, Self.sent("answer"), Self.sent("failure"), Self.wrote, Self.sent("answer"), Self.sent("done"),
            Self.gone,
        ]
        #expect(Self.findings(events, andThen: .seconds(1000), finish: true) == [])
    }

    @Test func whatComesTooLateOrNotAtAllIsFound() {
        let start = [Self.connected, .mtu(185), Self.encrypted]
        #expect(Self.findings(start + [Self.wrote]) == ["not-subscribed 4"])
        #expect(
            Self.findings(start + [Self.wrote, Self.subscribed]) == ["not-subscribed 4", "subscribed-late 6"])
        #expect(Self.findings([Self.connected, Self.subscribed, Self.wrote]) == ["not-encrypted 3"])
        #expect(
            Self.findings(
                start + [
                    Self.subscribed, .subscribed(to: "results", notifications: false, indications: false), Self.wrote,
                ])
                == ["not-subscribed 6"])
    }

    @Test func whoDoesNotWaitIsFound() {
        let start = [Self.connected, .mtu(185), Self.encrypted, Self.subscribed, Self.wrote]
        #expect(Self.findings(start + [Self.wrote]) == ["did-not-wait 6"])
        #expect(Self.findings(start + [Self.gone]) == ["did-not-wait 5"])
        let refused = Event.refused(step: "request", error: 0x80, why: "")
        #expect(Self.findings(start + [refused, Self.wrote, Self.sent("answer"), Self.gone]) == [])
        let command = Event.wrote(step: "request", count: 4, withResponse: false, meaning: "")
        #expect(Self.findings(start + [Self.sent("answer"), command]) == ["write-without-response 7"])
    }

    @Test func whoDoesNothingIsFound() {
        let start = [Self.connected, .mtu(185), Self.encrypted, Self.subscribed]
        #expect(Self.findings(start, andThen: .seconds(58)) == [])
        #expect(Self.findings(start, andThen: .seconds(59)) == ["long-idle 4"])
        let failed = start + [Self.wrote, Self.sent("answer"), Self.sent("failure")]
        #expect(Self.findings(failed, andThen: .seconds(28)) == [])
        #expect(Self.findings(failed, andThen: .seconds(29)) == ["ignored-failure 7"])
        #expect(Self.findings(failed + [Self.wrote, Self.sent("answer")], andThen: .seconds(50)) == [])
        let done = start + [Self.sent("done")]
        #expect(Self.findings(done, andThen: .seconds(29)) == ["never-closed 5"])
        // Each rule is reported once, and no deadline remains.
        let both = failed + [Self.sent("done")]
        #expect(
            Self.findings(both, andThen: .seconds(1000)) == ["ignored-failure 7", "never-closed 8", "long-idle 5"])
        // At the end of a run nothing is pending.
        #expect(Self.findings(done, finish: true) == ["never-closed 5"])
        #expect(Self.findings(failed, finish: true) == ["ignored-failure 7"])
    }

    @Test func cutValuesAreFoundOnce() {
        let start = [Self.connected, Self.encrypted, Self.subscribed]
        #expect(Self.findings(start + [Self.sent("value", 20), Self.sent("value", 20)]) == ["small-mtu 4"])
        #expect(Self.findings(start + [Self.sent("value", 19)]) == [])
        #expect(Self.findings(start + [.mtu(23), Self.sent("value", 20)]) == ["small-mtu 5"])
    }

    // MARK: - The tester's own faults

    private static let start = [Self.connected, .mtu(185), Self.encrypted, Self.subscribed, Self.wrote]

    /// `disconnect-before` at a request or its answer: the device has ended the link.
    @Test func aLinkThatTheDeviceEndsIsNotClosedByTheApp() {
        for event in [Event.disconnected(reason: 0x13, byDevice: true), .disconnected(reason: 0x08, byDevice: false)] {
            #expect(Self.findings(Self.start + [event]) == [])
        }
        #expect(Self.findings(Self.start + [Self.gone]) == ["did-not-wait 5"])
    }

    /// An answer that was dropped cannot be waited for; one that the link had no room for can.
    @Test func anAnswerThatAFaultDropsMayBeAskedForAgain() {
        let dropped = [Event.fault(step: "answer", "drop"), .unsent(step: "answer", why: "dropped")]
        #expect(Self.findings(Self.start + dropped + [Self.wrote, Self.sent("answer"), Self.gone]) == [])
        #expect(Self.findings(Self.start + dropped + [Self.gone]) == [])
        #expect(Self.findings(Self.start + [dropped[1], Self.wrote]) == ["did-not-wait 7"])
        // The next one counts again.
        #expect(Self.findings(Self.start + dropped + [Self.wrote, Self.wrote]) == ["did-not-wait 9"])
    }

    /// An app need not wait for ever for an answer that is delayed; but for some seconds.
    @Test func anAnswerThatAFaultDelaysMayBeGivenUp() {
        for step in ["request", "answer"] {
            let delayed = Self.start + [Event.fault(step: step, "delay 60000 ms")]
            #expect(Self.findings(delayed + [Self.gone]) == ["did-not-wait 5"])
            #expect(Self.findings(delayed + [.device("a"), .device("b"), Self.gone]) == [])
            #expect(Self.findings(delayed + [.device("a"), .device("b"), Self.wrote]) == [])
            #expect(Self.findings(delayed, andThen: .seconds(100)) == [], "it waits")
        }
    }

    /// A value with another code says something else to the app than to the device.
    @Test func aValueThatAFaultChangesObligesToNothing() {
        let answered = Self.start + [Self.sent("answer")]
        for step in ["failure", "done"] {
            let events = answered + [.fault(step: step, "code 5"), Self.sent(step)]
            #expect(Self.findings(events, andThen: .seconds(40), finish: true) == [])
            #expect(Self.findings(answered + [Self.sent(step)], finish: true).count == 1)
        }
        // A fault of a value for all links is one of each.
        var timeline = Timeline(start: .origin, expectations: [Self.expectations])
        for event in answered { timeline.add(event, device: 0, link: 1, at: .origin) }
        timeline.add(.fault(step: "failure", "drop"), device: 0, at: .origin)
        timeline.add(Self.sent("failure"), device: 0, link: 1, at: .origin)
        timeline.finish(at: .origin)
        #expect(timeline.findings.isEmpty)
    }

    /// The scenario lets the device agree on 23 octets only.
    @Test func anMTUThatTheTesterLimitsIsNotTheApps() {
        var expectations = Self.expectations
        expectations.offeredMTU = 23
        var timeline = Timeline(start: .origin, expectations: [expectations])
        for event in [Self.connected, .mtu(23), Self.encrypted, Self.subscribed, Self.sent("value", 20)] {
            timeline.add(event, device: 0, link: 1, at: .origin)
        }
        #expect(timeline.findings.isEmpty)
    }

    @Test func everyLinkIsJudgedByItself() {
        var timeline = Timeline(start: .origin, expectations: [Self.expectations, AppExpectations()])
        for (device, link) in [(0, UInt32(1)), (0, 2), (1, 3)] {
            timeline.add(Self.connected, device: device, link: link, at: .origin)
        }
        timeline.add(Self.wrote, device: 0, link: 2, at: .origin)
        timeline.add(Self.wrote, device: 1, link: 3, at: .origin)
        timeline.mistake("own", "it is wrong", entry: 4, device: 0, link: 1, at: .origin)
        #expect(timeline.findings.map(\.rule) == ["not-subscribed", "not-encrypted", "own"])
        #expect(timeline.findings.map(\.link) == [2, 2, 1])
    }

    // MARK: - How it is shown

    @Test func anEntryIsALine() {
        let text = TimelineText(hasColour: false, hasDevices: true)
        func line(_ event: Event, link: UInt32? = 1) -> String {
            text.line(TimelineEntry(number: 7, at: .milliseconds(12_034), device: 1, link: link, event))
        }
        #expect(line(.ready, link: nil) == "   12.034  device 2           the controller is ready: waiting for apps")
        #expect(line(Self.sent("answer")) == "   12.034  device 2  link 1   app ← answer               m")
        #expect(
            line(.wrote(step: "request", count: 4, withResponse: false, meaning: ""))
                == "   12.034  device 2  link 1   app → request              4 octets, no response wanted")
        #expect(
            line(.refused(step: "request", error: 0x0E, why: "busy"))
                == "   12.034  device 2  link 1   app ← request              refused, ATT error 0x0e: busy")
        // A network's name cannot move the cursor.
        #expect(line(.understood(step: "request", meaning: "\u{1B}[2Jx")).hasSuffix("\\u{1b}[2Jx"))
        let coloured = TimelineText(hasColour: true, hasDevices: false)
        #expect(
            coloured.line(TimelineEntry(number: 1, at: .zero, device: 0, link: nil, .ready))
                == "\u{1B}[2m    0.000\u{1B}[0m           \u{1B}[2mthe controller is ready: waiting for apps\u{1B}[0m")
    }

    @Test func theTranscriptIsJSON() throws {
        var timeline = Timeline(start: .origin, expectations: [Self.expectations])
        timeline.add(.ready, device: nil, at: .origin + .milliseconds(5))
        timeline.add(Self.connected, device: 0, link: 3, at: .origin + .milliseconds(10))
        timeline.add(Self.wrote, device: 0, link: 3, at: .origin + .milliseconds(20))
        timeline.add(Self.sent("answer"), device: 0, link: 3, at: .origin + .milliseconds(30))
        var device = JSONObject()
        device.add("name", "d")
        let text = timeline.transcript(devices: [device])
        let place = try JSONPlace(file: Array(text.utf8))
        let members = try place.members(["version", "devices", "entries", "left", "findings"])
        #expect(try members.required("entries").elements().count == 6)
        #expect(try members.required("findings").elements().count == 2)
        #expect(
            text.contains(#"{"entry":2,"at-ms":10,"device":1,"link":3,"event":"connected","peer":"C0:00:00:00:00:01"}"#)
        )
        #expect(text.contains(#""event":"sent","step":"answer","value":"0000","indication":false,"meaning":"m"}"#))
        #expect(timeline.summary.first == "1 link, 1 write, 1 value sent")
        #expect(timeline.summary.count == 3)
        var network = Timeline(start: Instant(nanoseconds: 0), expectations: [AppExpectations()], capacity: 0)
        network.add(
            .requested(step: "status", "GET /api/2/status", result: "200, 464 octets"), device: nil,
            at: Instant(nanoseconds: 0))
        #expect(network.entries.isEmpty && network.left == 1 && network.count == 1)
        #expect(network.summary == ["1 request", "nothing was found that the app got wrong"])
        var shown: [Int] = []
        while let entry = timeline.next() { shown.append(entry.number) }
        #expect(shown == [1, 2, 3, 4, 5, 6])
    }
}
