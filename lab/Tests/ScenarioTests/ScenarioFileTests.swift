// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Proximity
import Reader
import Scenario
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

/// Scenario files (docs/emulators/scenarios.md).
@Suite struct ScenarioFileTests {
    private func fault(_ json: String) -> String? {
        thrown { _ = try SiteScenario(json: Array(json.utf8)) }.map { "\($0)" }
    }

    @Test func everythingThatAFileSays() throws {
        let scenario = try SiteScenario(
            json: Array(
                """
                {"about": "All of it.", "seconds": 9, "start": "2026-11-20T23:58",
                 "reader": {"threshold-dbm": -55, "max-path-loss-db": 62, "window-ms": 300, "links": 2, "controller": "legacy", "pulse-s": 2,
                            "tamper": "block"},
                 "phones": [{"name": "a", "credential": {"id": "X1", "from": "2026-02-03", "through": "2026-02-04",
                             "signed-by": "stranger"}, "carry": "bag", "level-at-1m": -51, "exponent": 2.5,
                             "path": [{"at-ms": 5, "metres": 3.5}, {"at-ms": 6, "metres": 0}],
                             "connects-at-dbm": -77, "transmit-power-dbm": -8, "attempts": 4, "expect": "denied", "status": -13,
                             "within-ms": 800},
                            {"name": "b", "path": [{"at-ms": 0, "dbm": -44}], "expect": "not-opened"}],
                 "events": [{"after-ms": 70, "do": "loss 20"}, {"after-ms": 7, "do": "power off"}],
                 "expect": {"openings": 3, "told": ["alarm"]}}
                """.utf8))
        #expect(scenario.about == "All of it." && scenario.end == .seconds(9))
        #expect(scenario.start == CivilTime(year: 2026, month: 11, day: 20, hour: 23, minute: 58))
        #expect(scenario.gate.threshold == -55 && scenario.gate.window == .milliseconds(300))
        #expect(scenario.gate.maximumPathLoss == 62)
        #expect(scenario.links == 2 && !scenario.controller.extendedAdvertising)
        #expect(scenario.door.pulse == .seconds(2) && scenario.door.tamper == .block)
        let phone = try #require(scenario.phones.first)
        #expect(phone.credential.id == "X1" && !phone.credential.isOfSite)
        #expect(phone.credential.validity.start == CivilTime(year: 2026, month: 2, day: 3))
        #expect(phone.credential.validity.end == CivilTime(year: 2026, month: 2, day: 4, hour: 23, minute: 59))
        #expect(phone.walk.points == [.init(.milliseconds(5), .metres(3.5)), .init(.milliseconds(6), .metres(0))])
        #expect(phone.walk.propagation.carry == .bag && phone.walk.propagation.exponent == 2.5)
        #expect(phone.connectsAt == -77 && phone.attempts == 4 && phone.transmitPower == -8)
        #expect(phone.expected.results == [.denied] && phone.expected.status == -13)
        #expect(phone.expected.within == .milliseconds(800))
        #expect(scenario.phones.last?.expected.results == [.denied, .refused, .unseen])
        #expect(scenario.events.map(\.order) == [.power(false), .loss(20)])
        #expect(scenario.openings == 3 && scenario.told == ["alarm"])
    }

    @Test(arguments: [
        ("{}", "1: lacks \"phones\""),
        (
            "{\"phones\": [],\n\"people\": 1}",
            "2: people: unknown key; here are about, seconds, start, reader, readers, walls, phones, cards, events, expect"
        ),
        (
            "{\"phones\": [\n{\"name\": \"a\", \"path\": []}]}",
            "2: phones[0].path: has no point; write {\"at-ms\": 0, \"metres\": 1}"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0}]}]}",
            "1: phones[0].path[0]: needs \"metres\", or \"dbm\" or \"at\" in its place"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"dbm\": 1, \"metres\": 1}]}]}",
            "1: phones[0].path[0]: needs \"metres\", or \"dbm\" or \"at\" in its place"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 3, \"dbm\": 1}, {\"at-ms\": 3, \"dbm\": 1}]}]}",
            "1: phones[0].path[1]: is not later than the point before"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"metres\": 101}]}]}",
            "1: phones[0].path[0].metres: 101 is not from 0.0 to 100.0"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"dbm\": -40}], \"expect\": \"open\"}]}",
            "1: phones[0].expect: \"open\" is not known; write opened, denied, refused, unseen, not-opened, any"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"dbm\": 1}], \"credential\": {\"id\": \"\"}}]}",
            "1: phones[0].credential.id: is not 1 to 10 characters of ASCII"
        ),
        (
            "{\"phones\": [], \"start\": \"noon\"}",
            "1: start: \"noon\" is no time; write it as 2026-11-20T08:30"
        ),
        (
            "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"dbm\": 1}]},"
                + "{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"dbm\": 1}]}]}", "1: phones: has \"a\" twice"
        ),
        (
            "{\n\"phones\": []}", "2: phones: is empty, and there are no events: nothing happens; add one"
        ),
        (
            "{\"seconds\": 5, \"phones\": [\n{\"name\": \"a\", \"path\": [{\"at-ms\": 5000, \"dbm\": 1}]}]}",
            "2: phones[0].path[0]: is not before the end at 5000 ms: raise \"seconds\", or begin earlier"
        ),
        (
            "{\"phones\": [], \"events\": [{\"after-ms\": 30001, \"do\": \"open\"}]}",
            "1: events[0].after-ms: is not before the end at 30000 ms: raise \"seconds\", or begin earlier"
        ),
    ])
    func errorsSayWhereAndWhatToDo(_ json: String, _ told: String) {
        #expect(fault(json) == told)
    }

    @Test func anUnknownOrderNamesTheOrders() throws {
        let told = try #require(fault("{\"phones\": [],\n\"events\": [\n{\"after-ms\": 0, \"do\": \"door ajar\"}]}"))
        #expect(told.hasPrefix("3: events[0].do: \"door ajar\" is no order; write door open|closed, exit on|off, "))
    }

    @Test func anOrderIsItsLine() throws {
        for entry in ScenarioLibrary.all {
            for event in try SiteScenario(json: Array(entry.json.utf8)).events {
                let again = try SiteOrder(line: event.order.line)
                #expect(again == event.order)
            }
        }
        for line in [
            "", "door", "door ajar", "open now", "loss 101", "loss -1", "interference 91", "blacklist", "power maybe",
        ] {
            #expect(throws: SiteOrderFault.self, "\(line)") { _ = try SiteOrder(line: line) }
        }
    }

    /// Reading gives the scenario that was written, and the smallest scenario is short.
    @Test func aScenarioIsItsFile() throws {
        for entry in ScenarioLibrary.all {
            let scenario = try SiteScenario(json: Array(entry.json.utf8))
            let again = try SiteScenario(json: Array(scenario.json.utf8))
            #expect(again == scenario, "\(entry.name): \(scenario.json)")
        }
        #expect(SiteScenario().json == "{\n  \"phones\": []\n}\n")
    }

    @Test func everythingThatAFileSaysIsWritten() throws {
        let json = """
            {
              "about": "All of \\"it\\".",
              "seconds": 9, "start": "2026-11-20T23:58", "reader": {"threshold-dbm": -55, "window-ms": 300, \
            "links": 2, "controller": "legacy", "pulse-s": 2, "tamper": "block"},
              "phones": [
                {"name": "a", "credential": {"id": "X1", "from": "2026-02-03T00:00", "through": "2026-02-04T23:59", \
            "signed-by": "stranger"}, "carry": "bag", "level-at-1m": -51, "exponent": 2.5, "path": [{"at-ms": 5, \
            "metres": 3.5}, {"at-ms": 6, "dbm": -70}], "connects-at-dbm": -77, "attempts": 4, "expect": "denied", \
            "status": -13, "within-ms": 800},
                {"name": "b", "path": [{"at-ms": 0, "dbm": -50}], "expect": "not-opened"}
              ],
              "events": [
                {"after-ms": 1, "do": "power off"},
                {"after-ms": 2, "do": "tamper reset"},
                {"after-ms": 3, "do": "clock unset"}
              ],
              "expect": {"openings": 3, "told": ["alarm"]}
            }

            """
        #expect(try SiteScenario(json: Array(json.utf8)).json == json)
    }
}
