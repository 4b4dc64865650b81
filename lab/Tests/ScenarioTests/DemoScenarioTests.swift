// SPDX-License-Identifier: Apache-2.0

import Reader
import Scenario
import Testing
import Timekeeping
import VirtualRadio

@Suite struct DemoScenarioTests {
    static let profiles: [(String, ControllerProfile)] = {
        var early = ControllerProfile.modern
        early.terminatedBeforeConnectionComplete = true
        var shared = ControllerProfile.legacy
        shared.sharesACLBuffers = true
        var short = ControllerProfile.modern
        short.aclDataLength = 27
        short.aclPackets = 2
        short.dataLengthExtension = false
        return [
            ("modern", .modern), ("set terminated first", early), ("legacy", .legacy), ("shared buffers", shared),
            ("short packets", short),
        ]
    }()

    @Test(arguments: 0..<5)
    func onlyTheNearPhoneOpens(profile: Int) throws {
        let (name, controller) = DemoScenarioTests.profiles[profile]
        for seed in 1...5 as ClosedRange<UInt64> {
            let outcome = try DemoScenario(seed: seed, controller: controller).run()
            #expect(outcome.isAsExpected, "\(name), seed \(seed): \(outcome.phones), \(outcome.violations)")
        }
    }

    @Test func theSameSeedGivesTheSameTimeline() throws {
        let first = try DemoScenario(seed: 7, controller: .modern).run()
        let second = try DemoScenario(seed: 7, controller: .modern).run()
        #expect((first.timeline == second.timeline) == true)
        let other = try DemoScenario(seed: 8, controller: .modern).run()
        #expect((first.timeline == other.timeline) == false)
    }

    @Test func theTimelineShowsTheLocksEdgesFiveSecondsApart() throws {
        let outcome = try DemoScenario(seed: 1, controller: .modern).run()
        let edges = outcome.timeline.filter { $0.event == .edge && $0.output == DoorOutput.lock.rawValue }
        // The first is the resting level at the start.
        try #require(edges.map(\.level) == [false, true, false])
        #expect(abs(edges[2].seconds - edges[1].seconds - 5) < 0.000_01)
        #expect(outcome.lockPulses == [.seconds(5)])
    }

    @Test func aFarPhoneIsNeverServed() throws {
        let outcome = try DemoScenario(seed: 1, controller: .modern).run()
        let served = outcome.timeline.filter { $0.event == .executed }
        #expect(served.map(\.command) == ["tokn"])
        #expect(outcome.timeline.contains { $0.event == .refused && $0.reason == "too-far" })
    }
}
