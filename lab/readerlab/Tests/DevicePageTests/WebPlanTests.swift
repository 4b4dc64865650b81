// SPDX-License-Identifier: Apache-2.0

import DevicePrograms
import Testing

@testable import DevicePage

@Suite struct WebPlanTests {
    private func plan(_ command: String...) throws -> WebPlan { try #require(WebPlan(command)) }

    @Test(arguments: [
        [], ["bench"], ["fleet"], ["fleet", "order"], ["credentials"], ["web", "demo"], ["phone", "scan"],
    ]) func otherCommandsHaveNoPage(_ command: [String]) { #expect(WebPlan(command) == nil) }

    @Test func theProgramPrintsJSON() throws {
        #expect(try plan("pins", "--in", "lock=a:1").arguments == ["pins", "--in", "lock=a:1", "--json"])
        #expect(try plan("pins", "--json").arguments == ["pins", "--json"])
        #expect(
            try plan("emulate", "bandit", "--listen", "a").arguments
                == ["emulate", "bandit", "--listen", "a", "--json", "--pictures"])
    }

    /// A page begins a scenario.
    @Test func aScenarioIsPlayed() throws {
        #expect(try plan("scenario", "next-room").arguments == ["play", "--paused", "next-room", "--json"])
        #expect(try plan("demo").arguments == ["play", "--json"])
        #expect(try plan("air").arguments == ["air", "--plan", "--json"])
        for command in [["scenario", "a"], ["demo"], ["air"]] { #expect(WebPlan(command)?.view == .site) }
    }

    @Test func aReaderAndAFleetAreWatched() throws {
        for (plan, view) in [
            (try plan("watch"), WebPage.View.reader), (try plan("fleet", "collect"), .fleet),
        ] {
            #expect(plan.view == view && !plan.takesLines && plan.faults == nil && plan.pins == nil)
        }
    }

    @Test func aDeviceHasItsFaultsAndPins() throws {
        let reader = try plan("emulate", "reader")
        #expect(reader.view == .device && reader.takesLines)
        #expect(reader.faults?.count == FaultTable.rows(of: "reader")?.count)
        #expect(reader.pins?.outcome(of: .init(method: "GET", place: "contact"), body: []) == .level("0"))
        #expect(try plan("emulate", "gatt").pins == nil)
        // Those of a bench appear once the program reports them.
        let outcome = try plan("pins").pins?.outcome(of: .init(method: "GET", place: "a"), body: [])
        #expect(outcome == .refused(503, "the program is starting"))
    }

    #if NetworkDevices
        @Test(arguments: ["127.0.0.1:0", "[::1]:8300", "0.0.0.0:65535"])
        func aNumericalAddressIsAPlace(_ text: String) throws {
            #expect(try WebProgram(plan("demo"), at: text, json: false) != nil)
        }

        @Test(arguments: ["", "8300", "localhost:8300", "127.0.0.1", "127.0.0.1:65536", "::1"])
        func otherTextIsNoPlace(_ text: String) throws {
            #expect(try WebProgram(plan("demo"), at: text, json: false) == nil)
        }
    #endif
}
