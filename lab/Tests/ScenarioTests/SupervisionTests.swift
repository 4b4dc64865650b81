// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping
import VirtualRadio

@testable import Phone
@testable import Scenario

/// Supervision time-outs of kinds of phones when the radio is lost, and what a phone keeps for its next visit.
@Suite struct SupervisionTests {
    /// The time from the last reception to the phone's disconnection with 0x08, Connection Timeout (Core 5.4, Vol 1,
    /// Part F, 2.8): an iPhone gives up after 720 ms, an Android phone after 5 s.
    @Test(arguments: [("iphone-foreground", 720), ("android-foreground", 5000)])
    func aLostLinkEndsAfterTheTimeOut(_ name: String, _ milliseconds: Int) throws {
        var scenario = SiteScenario()
        var phone = SiteScenario.Phone(name: "phone", walk: .standing(from: .milliseconds(100), -45))
        phone.preset = PhonePreset.named(name)
        #expect(phone.preset != nil)
        scenario.phones = [phone]
        let first = try SiteRun(scenario, seed: 1)
        let connected = try #require(first.timeline.first { $0.who == "phone" && $0.event == .connected }).seconds
        let lost = Duration.milliseconds(Int(connected * 1000) + 100)
        scenario.events = [.init(after: lost, order: .loss(100))]
        let run = try SiteRun(scenario, seed: 1)
        let ended = try #require(run.timeline.first { $0.who == "phone" && $0.event == .disconnected })
        #expect(ended.text == "disconnected, reason 0x8")
        let waited = Int(ended.seconds * 1000) - Int(lost.wholeMilliseconds)
        #expect((milliseconds - 60...milliseconds).contains(waited), "\(waited) ms")
    }

    /// The rule about links waits for the phones' links: 20 s for the supervision time-out of an old Android phone, and
    /// six intervals of 4 s for a link without a packet.
    @Test(arguments: [("old-android", nil, 21_000), ("iphone-foreground", Duration.seconds(4), 25_000)])
    func theRuleOfLinksWaitsForTheTimeOut(_ name: String, _ interval: Duration?, _ milliseconds: Int64) throws {
        var scenario = SiteScenario()
        var phone = SiteScenario.Phone(name: "phone", walk: .standing(from: .milliseconds(100), -45))
        phone.preset = PhonePreset.named(name)
        phone.interval = interval
        scenario.phones = [phone]
        #expect(scenario.timeToEnd == .milliseconds(milliseconds))
        let first = try SiteRun(scenario, seed: 1)
        let connected = try #require(first.timeline.first { $0.who == "reader" && $0.event == .connected }).seconds
        scenario.end = .milliseconds(Int64(connected * 1000) + 50)
        let run = try SiteRun(scenario, seed: 1)
        #expect(run.timeline.contains { $0.who == "reader" && $0.event == .connected })
        #expect(run.failures == [])
    }

    /// A link that is held too long is reported with its phone, address and reader.
    @Test func aHeldLinkIsNamed() throws {
        var scenario = SiteScenario()
        scenario.phones = ["anna", "ben"].map {
            SiteScenario.Phone(name: $0, walk: .standing(from: .milliseconds($0 == "anna" ? 20_000 : 100), -45))
        }
        let site = try SiteRun.site(scenario, 1)
        let isHeld = site.run(until: scenario.end) { !site.heldLinks.isEmpty }
        #expect(isHeld)
        var run = SiteRun(of: scenario, seed: 1, at: site)
        run.conclude(heldLinks: site.heldLinks, after: .seconds(6), violations: ["ben: disconnect: no link 64"])
        #expect(
            run.failures == [
                "link 1 of ben (C0:00:10:00:00:01) at reader stands 6000 ms after all phones are gone",
                "ben: disconnect: no link 64",
            ])
        #expect(run.broken == [.slots, .controllers])
    }

    /// A phone that keeps the handles of a reader is quicker the second time: it discovers nothing.
    @Test(arguments: [("android-foreground", true), ("iphone-foreground", false)])
    func whatAPhoneKeeps(_ name: String, _ remembers: Bool) throws {
        var scenario = SiteScenario()
        var phone = SiteScenario.Phone(name: "phone", walk: .standing(from: .milliseconds(100), -45))
        phone.preset = PhonePreset.named(name)
        #expect(phone.preset != nil)
        // Denied, and so it comes again.
        phone.credential.isOfSite = false
        phone.attempts = 2
        scenario.phones = [phone]
        let run = try SiteRun(scenario, seed: 1)
        let times = run.timeline.filter { $0.who == "phone" && [.connected, .result].contains($0.event) }.map(\.seconds)
        #expect(times.count == 4)
        let visits = [times[1] - times[0], times[3] - times[2]]
        #expect(remembers ? visits[1] < visits[0] * 0.8 : visits[1] > visits[0] * 0.8, "\(visits)")
    }
}
