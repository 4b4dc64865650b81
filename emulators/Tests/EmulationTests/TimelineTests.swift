// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Testing
import Timekeeping

@Suite struct TimelineTests {
    private static var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.requests = ["request"]
        expectations.answers = ["answer"]
        expectations.begins = ["begin"]
        expectations.concludes = ["result"]
        expectations.failures = ["failure"]
        expectations.ends = ["done"]
        return expectations
    }

    private typealias Event = TimelineEntry.Event
    private static let connected = Event.connected(peer: "C0:00:00:00:00:01")
    private static let subscribed = Event.subscribed(to: "results", notifications: true, indications: false)
    private static let wrote = Event.wrote(step: "request", count: 4, withResponse: true, meaning: "")
    private static let began = Event.wrote(step: "begin", count: 4, withResponse: true, meaning: "")
    private static let lost = Event.unsent(step: "answer", why: "", lacking: "results")
    private static let gone = Event.disconnected(reason: 0x13, byDevice: false)
    private static func sent(_ step: String) -> Event {
        .sent(step: step, octets: [0, 0], isIndication: false, meaning: "m")
    }

    /// The broken rules, each with the entry that shows it; one event per second.
    private static func findings(_ events: [Event], andThen rest: Duration = .zero) -> [String] {
        var timeline = Timeline(start: .origin, expectations: [expectations])
        var now = Instant.origin
        for event in events {
            timeline.add(event, device: 0, link: 1, at: now)
            now = now + .seconds(1)
        }
        while let deadline = timeline.deadline, deadline <= now + rest { timeline.advance(to: deadline) }
        return timeline.findings.map { "\($0.rule) \($0.entry)" }
    }

    @Test func anAppThatDoesItRightHasNoFindings() {
        let events = [
            Self.connected, .mtu(185), Self.subscribed, Self.wrote, Self.sent("answer"), Self.wrote,
            Self.sent("answer"),
            Self.sent("failure"), Self.wrote, Self.sent("answer"), Self.sent("done"), Self.gone,
        ]
        #expect(Self.findings(events, andThen: .seconds(1000)) == [])
    }

    @Test func whatComesTooLateOrNotAtAllIsFound() {
        let start = [Self.connected, Self.wrote]
        #expect(Self.findings(start + [Self.lost]) == ["not-subscribed 2"])
        #expect(Self.findings(start + [Self.lost, Self.subscribed]) == ["not-subscribed 2", "subscribed-late 5"])
        let ended = Event.subscribed(to: "results", notifications: false, indications: false)
        #expect(Self.findings([Self.connected, Self.subscribed, ended, Self.wrote, Self.lost]) == ["not-subscribed 4"])
    }

    /// Only a value that is lost shows that a subscription is missing: a bonded app has it from its last visit, and an
    /// answer may need another characteristic.
    @Test func aSubscriptionThatNothingNeedsIsNotMissed() {
        #expect(Self.findings([Self.connected, Self.wrote, Self.sent("answer"), Self.subscribed]) == [])
        // The device tells all links of what another app has begun.
        #expect(Self.findings([Self.connected, Self.lost, Self.subscribed]) == [])
        // There is no answer to wait for.
        #expect(Self.findings([Self.connected, Self.wrote, Self.lost, Self.wrote]) == ["not-subscribed 2"])
        #expect(Self.findings([Self.connected, Self.wrote, Self.lost, Self.gone]) == ["not-subscribed 2"])
    }

    @Test func whoDoesNotWaitIsFound() {
        #expect(Self.findings(Self.start + [Self.wrote]) == ["did-not-wait 5"])
        #expect(Self.findings(Self.start + [Self.gone]) == ["did-not-wait 4"])
        let refused = Event.refused(step: "request", error: 0x80, why: "")
        #expect(Self.findings(Self.start + [refused, Self.wrote, Self.sent("answer"), Self.gone]) == [])
        let command = Event.wrote(step: "request", count: 4, withResponse: false, meaning: "")
        #expect(Self.findings(Self.start + [Self.sent("answer"), command]) == ["write-without-response 6"])
    }

    /// A phone that is switched off (0x15), and one that has waited for seconds.
    @Test func whoCannotWaitIsNotFound() {
        for reason in [0x08, 0x14, 0x15] as [UInt8] {
            #expect(Self.findings(Self.start + [.disconnected(reason: reason, byDevice: false)]) == [])
        }
        let later = Self.start + [.device("a"), .device("b")]
        #expect(Self.findings(later + [Self.gone]) == [] && Self.findings(later + [Self.wrote]) == [])
    }

    @Test func whoDoesNothingIsFound() {
        let start = [Self.connected, .mtu(185), Self.subscribed]
        #expect(Self.findings(start, andThen: .seconds(58)) == [])
        #expect(Self.findings(start, andThen: .seconds(59)) == ["long-idle 3"])
        let failed = start + [Self.wrote, Self.sent("answer"), Self.sent("failure")]
        #expect(Self.findings(failed, andThen: .seconds(28)) == [])
        #expect(Self.findings(failed, andThen: .seconds(29)) == ["ignored-failure 6"])
        #expect(Self.findings(failed + [Self.wrote, Self.sent("answer")], andThen: .seconds(50)) == [])
        let done = start + [Self.wrote, Self.sent("answer"), Self.sent("done")]
        #expect(Self.findings(done, andThen: .seconds(28)) == [])
        #expect(Self.findings(done, andThen: .seconds(29)) == ["never-closed 6"])
        // Each rule is reported once, and no deadline remains.
        let both = failed + [Self.sent("done")]
        #expect(
            Self.findings(both, andThen: .seconds(1000)) == ["ignored-failure 6", "never-closed 7", "long-idle 4"])
    }

    /// Pairing, and requests that the device refuses, are no idleness; nor is waiting for the device's work.
    @Test func whoWaitsOrAsksIsNotFound() {
        let secured = Event.secured("encrypted", isEncrypted: true)
        let refused = Event.refused(step: "read", error: 0x05, why: "")
        for activity in [secured, refused] {
            let events = [Self.connected, activity]
            #expect(Self.findings(events, andThen: .seconds(58)) == [])
            #expect(Self.findings(events, andThen: .seconds(59)).count == 1)
        }
        let waits = [Self.connected, Self.subscribed, Self.began]
        #expect(Self.findings(waits, andThen: .seconds(1000)) == [])
        for end in ["result", "failure", "done"] {
            #expect(Self.findings(waits + [Self.sent(end)], andThen: .seconds(1000)).last == "long-idle 3", "\(end)")
        }
    }

    /// A failure of what another app has begun obliges to nothing.
    @Test func aFailureOfAnotherAppIsNotIgnored() {
        let events = [Self.connected, Self.subscribed, Self.sent("failure"), Self.sent("done")]
        #expect(Self.findings(events, andThen: .seconds(58)) == [])
    }

    // MARK: - The tester's own faults

    private static let start = [Self.connected, .mtu(185), Self.subscribed, Self.wrote]

    /// `disconnect-before` at a request or its answer: the device has ended the link.
    @Test func aLinkThatTheDeviceEndsIsNotClosedByTheApp() {
        for event in [Event.disconnected(reason: 0x13, byDevice: true), .disconnected(reason: 0x08, byDevice: false)] {
            #expect(Self.findings(Self.start + [event]) == [])
        }
        #expect(Self.findings(Self.start + [Self.gone]) == ["did-not-wait 4"])
    }

    /// An answer that was not sent cannot be waited for.
    @Test func anAnswerThatAFaultDropsMayBeAskedForAgain() {
        let dropped = [Event.fault(step: "answer", "drop"), .unsent(step: "answer", why: "dropped")]
        #expect(Self.findings(Self.start + dropped + [Self.wrote, Self.sent("answer"), Self.gone]) == [])
        #expect(Self.findings(Self.start + dropped + [Self.gone]) == [])
        #expect(Self.findings(Self.start + [dropped[1], Self.wrote]) == [])
        // The next one counts again.
        #expect(Self.findings(Self.start + dropped + [Self.wrote, Self.wrote]) == ["did-not-wait 8"])
    }

    /// An app need not wait for ever for an answer that is delayed; but for some seconds.
    @Test func anAnswerThatAFaultDelaysMayBeGivenUp() {
        for step in ["request", "answer"] {
            let delayed = Self.start + [Event.fault(step: step, "delay 60000 ms")]
            #expect(Self.findings(delayed + [Self.gone]) == ["did-not-wait 4"])
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
            #expect(Self.findings(events, andThen: .seconds(40)) == [])
            #expect(Self.findings(answered + [Self.sent(step)], andThen: .seconds(40)).count == 1)
        }
        // A fault of a value for all links is one of each.
        var timeline = Timeline(start: .origin, expectations: [Self.expectations])
        for event in answered { timeline.add(event, device: 0, link: 1, at: .origin) }
        timeline.add(.fault(step: "failure", "drop"), device: 0, at: .origin)
        timeline.add(Self.sent("failure"), device: 0, link: 1, at: .origin)
        timeline.advance(to: .origin + .seconds(40))
        #expect(timeline.findings.isEmpty)
    }

    @Test func everyLinkIsJudgedByItself() {
        var timeline = Timeline(start: .origin, expectations: [Self.expectations, AppExpectations()])
        for (device, link) in [(0, UInt32(1)), (0, 2), (1, 3)] {
            timeline.add(Self.connected, device: device, link: link, at: .origin)
        }
        timeline.add(Self.wrote, device: 0, link: 2, at: .origin)
        timeline.add(Self.wrote, device: 1, link: 3, at: .origin)
        timeline.add(Self.lost, device: 0, link: 2, at: .origin)
        timeline.mistake("own", "it is wrong", entry: 4, device: 0, link: 1, at: .origin)
        #expect(timeline.findings.map(\.rule) == ["not-subscribed", "own"])
        #expect(timeline.findings.map(\.link) == [2, 1])
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
        timeline.add(Self.lost, device: 0, link: 3, at: .origin + .milliseconds(25))
        timeline.add(Self.sent("answer"), device: 0, link: 3, at: .origin + .milliseconds(30))
        var device = JSONObject()
        device.add("name", "d")
        let text = timeline.transcript(devices: [device])
        let place = try JSONPlace(file: Array(text.utf8))
        let members = try place.members(["version", "devices", "entries", "left", "findings"])
        #expect(try members.required("entries").elements().count == 6)
        #expect(try members.required("findings").elements().count == 1)
        #expect(
            text.contains(
                #"{"entry":2,"at-ms":10,"device":1,"link":3,"event":"connected","peer":"C0:00:00:00:00:01","#
                    + #""sentence":"connected from C0:00:00:00:00:01"}"#)
        )
        #expect(
            text.contains(
                #""event":"sent","step":"answer","value":"0000","indication":false,"meaning":"m","sentence":"m"}"#))
        #expect(timeline.summary.first == "1 link, 1 write, 1 value sent")
        #expect(timeline.summary.count == 2)
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
