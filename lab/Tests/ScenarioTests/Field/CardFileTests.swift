// SPDX-License-Identifier: Apache-2.0

import Credentials
import JSON
import Scenario
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

/// Cards in scenario files (docs/emulators/scenarios.md).
@Suite struct CardFileTests {
    private func fault(_ json: String) -> String? {
        thrown { _ = try SiteScenario(json: Array(json.utf8)) }.map { "\($0)" }
    }

    private static let all = """
        {"seconds": 9, "reader": {"card-kinds": ["desfire", "pkoc"], "ecp": "none"}, "phones": [],
         "cards": [
          {"name": "a", "kind": "desfire", "credential": {"id": "C1"}, "answer-ms": 5, "fault": "cut-proof",
           "present": [{"at-ms": 10, "for-ms": 20, "leaves-during": 3}, {"at-ms": 50, "leaves-after": 4}],
           "expect": "refused", "reason": "malformed-response", "within-ms": 70},
          {"name": "b", "kind": "aliro", "waits-for-frame": true, "fault": "wrong-signature",
           "path": [{"at-ms": 0, "metres": 3}, {"at-ms": 900, "metres": 0.01}], "expect": "not-opened"}]}
        """

    @Test func everythingThatAFileSaysOfCards() throws {
        let scenario = try SiteScenario(json: Array(CardFileTests.all.utf8))
        #expect(scenario.readers[0].cardKinds == [.desfire, .pkoc] && scenario.readers[0].pollingFrame == .none)
        let (a, b) = (scenario.cards[0], scenario.cards[1])
        #expect(a.kind == .desfire && a.credential.id == "C1" && a.answerTime == .milliseconds(5))
        #expect(
            a.presences == [
                .init(from: .milliseconds(10), until: .milliseconds(30), stay: .during(command: 3)),
                .init(from: .milliseconds(50), until: nil, stay: .after(command: 4)),
            ])
        #expect(a.fault == .cut && a.aliroFault == nil && a.expected.reason == "malformed-response")
        #expect(a.expected.results == [.refused] && a.expected.within == .milliseconds(70))
        #expect(b.waitsForFrame && b.aliroFault == "wrong-signature" && b.answerTime == .milliseconds(20))
        #expect(b.walk.points == [.init(.zero, .metres(3)), .init(.milliseconds(900), .metres(0.01))])
        #expect(try SiteScenario(json: Array(scenario.json.utf8)) == scenario)
    }

    @Test(arguments: [
        (
            "{\"name\": \"a\", \"kind\": \"pkoc\"}",
            ": comes to no reader; add \"present\": [{\"at-ms\": 1000}], or a \"path\""
        ),
        (
            "{\"name\": \"a\", \"kind\": \"mifare\"}",
            ".kind: \"mifare\" is not known; write pkoc, desfire, aliro, phone, identifier"
        ),
        (
            "{\"name\": \"a\", \"kind\": \"pkoc\", \"path\": [{\"at-ms\": 0, \"dbm\": -40}]}",
            ".path: has a level: write \"metres\""
        ),
        (
            "{\"name\": \"a\", \"kind\": \"phone\", \"present\": [{\"at-ms\": 0}], \"fault\": \"cut-proof\"}",
            ".fault: is for kinds pkoc, desfire and aliro only"
        ),
        (
            "{\"name\": \"a\", \"kind\": \"pkoc\", \"present\": [{\"at-ms\": 30000}]}",
            ".present[0].at-ms: is not before the end at 30000 ms: raise \"seconds\", or begin earlier"
        ),
        (
            "{\"name\": \"a\", \"kind\": \"pkoc\", \"present\": [{\"at-ms\": 0, \"leaves-during\": 1, \"leaves-after\": 1}]}",
            ".present[0].leaves-after: and \"leaves-during\" are two ends; leave one out"
        ),
    ])
    func errorsSayWhereAndWhatToDo(_ card: String, _ told: String) {
        #expect(fault("{\"phones\": [], \"cards\": [\(card)]}") == "1: cards[0]\(told)")
    }

    @Test func aPresenceAmongSeveralReadersNamesOne() {
        let readers = "[{\"name\": \"n\", \"at\": [0, 0]}, {\"name\": \"e\", \"at\": [4, 0]}]"
        let card = "{\"name\": \"a\", \"kind\": \"pkoc\", \"present\": [{\"at-ms\": 0}]}"
        #expect(
            fault("{\"readers\": \(readers), \"phones\": [], \"cards\": [\(card)]}")
                == "1: cards[0].present[0]: needs \"reader\": there are several")
    }

    @Test func aNameStandsOnce() {
        let card = "{\"name\": \"a\", \"kind\": \"pkoc\", \"present\": [{\"at-ms\": 0}]}"
        #expect(
            fault(
                "{\"phones\": [{\"name\": \"a\", \"path\": [{\"at-ms\": 0, \"metres\": 1}]}], \"cards\": [\(card)]}")
                == "1: cards: has \"a\" twice")
    }
}
