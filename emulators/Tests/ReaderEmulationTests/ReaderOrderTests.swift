// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Emulation
import JSON
import Reader
import Testing
import Timekeeping

@testable import ReaderEmulation

/// Typed orders and scenario files.
@Suite struct ReaderOrderTests {
    @Test func ordersAreRead() throws {
        #expect(try ReaderOrder(line: "too-far") == .rssi(.fixed(-68)))
        #expect(try ReaderOrder(line: "rssi -50") == .rssi(.fixed(-50)))
        #expect(try ReaderOrder(line: "rssi real") == .rssi(.real))
        #expect(try ReaderOrder(line: " modes classic,on-touch ") == .modes([.classic, .onTouch]))
        #expect(try ReaderOrder(line: "clock unset") == .clock(.unset))
        let time = CivilTime(year: 2031, month: 12, day: 31, hour: 23, minute: 59)
        #expect(try ReaderOrder(line: "clock 2031-12-31T23:59") == .clock(.at(time)))
        #expect(try ReaderOrder(line: "disk slow") == .disk(.slow))
        #expect(try ReaderOrder(line: "pardon A") == .blacklist("A", isRefused: false))
        #expect(
            try ReaderOrder(line: "status -21 every")
                == .common(.fault(FaultRule(.code(-21), at: "answer", times: nil))))
        #expect(
            try ReaderOrder(line: "delay 500") == .common(.fault(FaultRule(.delay(.milliseconds(500)), at: "answer"))))
        #expect(try ReaderOrder(line: "help") == .common(.help))
        #expect(try ReaderOrder(line: #"{"disconnect": 3}"#) == .common(.disconnect(link: 3)))
    }

    private static let moves =
        "near CARD, away CARD and cards are typed commands of a reader with --field; a scenario moves no cards"

    @Test(
        arguments: [
            ("rssi", "write rssi real, near, too-far, well-under, none, or a level, -126 to 20 dBm"),
            ("rssi 21", "write rssi real, near, too-far, well-under, none, or a level, -126 to 20 dBm"),
            ("pool", "write pool full, or pool free"),
            (
                "modes classic,classic",
                "write modes and their names with commas between, each once: classic,on-touch,access,access-ibeacon"
            ),
            ("clock soon", "write clock real, unset, or a local time as 2031-12-31T23:59"),
            ("disk", "write disk sound, or disk full, or disk failing, or disk slow"),
            ("blacklist ELEVENCHARS", "a credential has 1 to 10 characters of ASCII"),
            ("wifi down", "a reader has no Wi-Fi; help lists its commands"),
            (#"{"dhcp": "down"}"#, "a reader has no Wi-Fi; help lists its commands"),
            ("open", "\"open\" is no command; help lists them"),
            ("well-under", "write rssi well-under"),
            ("real", "write rssi real"),
            ("near", "write rssi near"),
            ("near anna 3s", moves), ("away anna", moves), ("away", moves), ("cards", moves),
            ("fault drop near", "drop does not suit near, a link; what does is disconnect-after"),
            (
                "fault code proof -21",
                "code does not suit proof, a proof; what does is drop, disconnect-before, disconnect-after, "
                    + "wrong-proof, delay"
            ),
            ("status", "fault code STEP wants a number"),
            ("status 0", "no reader answers 0 to a request; those that are told are in docs/protocol/status-codes.md"),
            (
                "status -35",
                "no reader answers -35 to a request; those that are told are in docs/protocol/status-codes.md"
            ),
            ("delay 2901", "a reader ends a link after 3 s without an exchange; delay 0 to 2900 ms"),
        ])
    func whatCannotBeIsRefused(_ line: String, _ fault: String) {
        #expect { try ReaderOrder(line: line) } throws: { "\($0)" == fault }
    }

    @Test func aScenarioHasOrdersAtTheirTimes() throws {
        let text = #"{"events": [{"after-ms": 900, "do": "quit"}, {"after-ms": 0, "do": "too-far"}]}"#
        let scenario = try ReaderScenario(json: Array(text.utf8))
        #expect(scenario.events.map(\.command) == [.rssi(.fixed(-68)), .common(.quit)])
        #expect(scenario.events.map(\.after) == [.zero, .milliseconds(900)])
    }

    @Test func aFaultOfAScenarioHasItsPlace() {
        let text = "{\"events\": [\n{\"after-ms\": 0, \"do\": \"status 1\"}]}"
        #expect { try ReaderScenario(json: Array(text.utf8)) } throws: {
            "\($0)" == "2: events[0].do: no reader answers 1 to a request; those that are told are in "
                + "docs/protocol/status-codes.md"
        }
    }
}
