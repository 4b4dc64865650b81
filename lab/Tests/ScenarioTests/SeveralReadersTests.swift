// SPDX-License-Identifier: Apache-2.0

import JSON
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// Scenarios with several readers on a floor plan.
@Suite struct SeveralReadersTests {
    private static let json = """
        {
          "readers": [
            {"name": "north", "at": [0, 0], "pulse-s": 1, "openings": 1},
            {"name": "south", "at": [0, -40.5], "links": 1}
          ],
          "walls": [
            {"from": [-5, -20], "to": [5, -20], "db": 12.5}
          ],
          "phones": [
            {"name": "a", "phone": "iphone-foreground", "interval-ms": 15, "path": [{"at-ms": 0, "at": [0, 5]}, \
        {"at-ms": 4000, "at": [0, 0.4]}], "connects-at-dbm": -60, "expect": "opened", "reader": "north"},
            {"name": "b", "path": [{"at-ms": 0, "at": [0, -36]}, {"at-ms": 4000, "at": [0, -40]}], \
        "connects-at-dbm": -60, "expect": "opened", "reader": "south"}
          ],
          "events": [
            {"after-ms": 20000, "do": "open", "reader": "south"},
            {"after-ms": 27000, "do": "exit on", "reader": "south"},
            {"after-ms": 27100, "do": "exit off", "reader": "south"}
          ],
          "expect": {"openings": 4}
        }

        """

    private func scenario() throws -> SiteScenario { try SiteScenario(json: Array(SeveralReadersTests.json.utf8)) }

    private func fault(_ change: (String, String)) -> String? {
        let parts = SeveralReadersTests.json.split(separator: change.0, omittingEmptySubsequences: false)
        return thrown { _ = try SiteScenario(json: Array(parts.joined(separator: change.1).utf8)) }.map { "\($0)" }
    }

    @Test func aScenarioIsItsFile() throws {
        #expect(try scenario().json == SeveralReadersTests.json)
        #expect(try scenario().readers[1].place == FloorPoint(0, -40.5))
    }

    @Test func eachPhoneOpensAtItsReader() throws {
        for seed in UInt64(1)...3 {
            let run = try SiteRun(scenario(), seed: seed)
            #expect(run.failures == [] && run.phones.map(\.isAsExpected) == [true, true], "seed \(seed)")
            #expect(run.openingsByReader == [1, 3] && run.phones.map(\.reader) == ["north", "south"])
        }
    }

    /// An order for one reader is none for the other, and one without a name is for both.
    @Test func anOrderIsForItsReader() throws {
        var scenario = try scenario()
        scenario.phones = []
        #expect(try SiteRun(scenario, seed: 1).openingsByReader == [0, 2])
        for index in scenario.events.indices { scenario.events[index].reader = nil }
        #expect(try SiteRun(scenario, seed: 1).openingsByReader == [2, 2])
        scenario.events = [.init(after: .milliseconds(1), order: .power(false), reader: "north")]
        scenario.events += [.init(after: .milliseconds(5), order: .open)]
        #expect(try SiteRun(scenario, seed: 1).openingsByReader == [0, 1])
    }

    /// A wrong reader is a failure of its phone; one that opens too often, of the door.
    @Test func expectationsOfReadersCanFail() throws {
        var scenario = try scenario()
        scenario.phones[0].expected.reader = "south"
        scenario.readers[1].openings = 1
        let run = try SiteRun(scenario, seed: 1)
        #expect(run.phones.map(\.isAsExpected) == [false, true])
        #expect(run.failures == ["the lock of south was released 3 times, and 1 were expected"])
    }

    @Test(
        arguments: [
            (("south", "north"), "2: readers: has \"north\" twice"),
            (
                ("\"at\": [0, 5]", "\"metres\": 5"),
                "10: phones[0].path[0]: needs \"at\": with \"readers\", places are on the floor"
            ),
            (("[0, -40.5]", "[0]"), "4: readers[1].at: is not two numbers in metres, as [3, 0.5]"),
            (("\"db\": 12.5", "\"db\": 151"), "7: walls[0].db: 151 is not from 0.0 to 150.0"),
            (
                ("\"readers\": [", "\"reader\": {}, \"readers\": ["),
                "2: reader: is there beside \"readers\"; leave one out"
            ),
        ] as [((String, String), String)])
    func errorsSayWhereAndWhatToDo(_ change: (String, String), _ told: String) {
        #expect(fault(change) == told)
    }
}
