// SPDX-License-Identifier: Apache-2.0

import Credentials
import Reader
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// Cards and phones in the NFC fields of readers: the firmware's poll loop and transactions, on virtual time.
@Suite struct CardScenarioTests {
    private func library(_ name: String) throws -> SiteScenario {
        try SiteScenario(json: Array(try #require(ScenarioLibrary.entry(name)).json.utf8))
    }

    /// A scenario with these cards and a pulse of a second.
    private func scenario(
        _ cards: SiteScenario.Card..., change: (inout SiteScenario) -> Void = { _ in }
    ) throws -> SiteRun {
        var scenario = SiteScenario()
        scenario.end = .seconds(12)
        scenario.door.pulse = .seconds(1)
        scenario.cards = cards
        change(&scenario)
        return try SiteRun(scenario, seed: 1)
    }

    private func card(
        _ name: String, _ kind: SiteScenario.Card.Kind, from start: Int64 = 1000, until end: Int64? = 2000,
        _ stay: SiteScenario.Card.Stay = .lasting
    ) -> SiteScenario.Card {
        var card = SiteScenario.Card(name: name, kind: kind)
        card.presences = [
            .init(from: .milliseconds(start), until: end.map { Duration.milliseconds($0) }, stay: stay)
        ]
        return card
    }

    private func texts(_ run: SiteRun, of name: String) -> [String] {
        run.timeline.filter { $0.who == name }.map(\.text)
    }

    @Test(arguments: ["every-key", "field-faults"])
    func equalSeedsGiveEqualRuns(_ name: String) throws {
        let scenario = try library(name)
        let (one, two) = (try SiteRun(scenario, seed: 3), try SiteRun(scenario, seed: 3))
        #expect(one.timeline == two.timeline && one.fingerprint == two.fingerprint)
        #expect(one.phones == two.phones)
    }

    /// The transcript of a phone: its coming, the request, the polling frame, the activation, the commands, the end.
    @Test func aPhoneIsWokenByThePollingFrame() throws {
        var phone = card("anna", .aliro)
        phone.waitsForFrame = true
        let run = try scenario(phone)
        #expect(
            texts(run, of: "anna") == [
                "in the field of reader", "receives REQA",
                "receives the polling frame 6a02cb02062042205c5c5c5c5c5c5c5c", "receives REQB", "activated",
                "command 00a4, 15 octets: 2 octets, 6a82", "command 00a4, 15 octets: 25 octets, 9000",
                "command 8080, 135 octets: 69 octets, 9000", "command 8081, 75 octets: 155 octets, 9000",
                "command 80c9, 26 octets: 22 octets, 9000", "released",
                "shows: opened, standard phase, status 0101", "out of the field of reader",
            ])
        #expect(run.openings == 1 && run.isAsExpected)
        let silent = try scenario(phone) { $0.readers[0].pollingFrame = .none }
        #expect(silent.phones[0].result == .unseen && silent.openings == 0)
        #expect(
            texts(silent, of: "anna") == [
                "in the field of reader", "receives REQA", "receives REQB", "out of the field of reader",
            ])
    }

    /// The second touch is the fast phase, also after a power cut: the store of phones is kept.
    @Test func theSecondTouchIsFast() throws {
        var phone = card("anna", .aliro)
        phone.presences.append(.init(from: .milliseconds(6000), until: .milliseconds(7000)))
        let run = try scenario(phone) {
            $0.events = [
                .init(after: .milliseconds(3000), order: .power(false)),
                .init(after: .milliseconds(4000), order: .power(true)),
            ]
        }
        #expect(
            texts(run, of: "anna").filter { $0.hasPrefix("shows") } == [
                "shows: opened, standard phase, status 0101", "shows: opened, fast phase, status 0101",
            ])
        #expect(run.openings == 2 && run.failures == [])
    }

    /// A reader without power has no field; a card that is still there is served when it has power again.
    @Test func withoutPowerThereIsNoField() throws {
        let run = try scenario(card("anna", .pkoc, from: 3000, until: 9000)) {
            $0.events = [
                .init(after: .milliseconds(1000), order: .power(false)),
                .init(after: .milliseconds(6000), order: .power(true)),
            ]
        }
        let result = try #require(run.phones.first)
        #expect(result.result == .opened && result.connections == 1)
        #expect(try #require(result.after) >= .seconds(3))
        #expect(run.openings == 1 && run.failures == [])
    }

    /// A power cut in the middle of a transaction opens nothing, and leaves nothing behind.
    @Test func aPowerCutEndsATransaction() throws {
        let run = try scenario(card("anna", .pkoc, until: 1500), card("ben", .desfire, from: 6000, until: 7000)) {
            $0.events = [
                .init(after: .milliseconds(1070), order: .power(false)),
                .init(after: .milliseconds(4000), order: .power(true)),
            ]
        }
        #expect(run.phones.map(\.result) == [.refused, .opened])
        #expect(run.openings == 1 && run.failures == [])
    }

    /// A card that leaves is never let in, whatever command it leaves in; after its proof it is.
    @Test(arguments: [
        (SiteScenario.Card.Kind.pkoc, 4), (.desfire, 7), (.aliro, 4),
    ])
    func aCardThatLeavesBeforeItsProofIsNotLetIn(_ kind: SiteScenario.Card.Kind, _ proof: Int) throws {
        for command in 1...proof {
            let run = try scenario(card("hasty", kind, until: nil, .during(command: command)))
            #expect(run.openings == 0, "in command \(command)")
            #expect(run.phones[0].result == .refused && run.phones[0].reason == "card-left", "in command \(command)")
            #expect(run.failures == [], "in command \(command)")
        }
        let run = try scenario(card("patient", kind, until: nil, .after(command: proof)))
        #expect(run.openings == 1 && run.phones[0].result == .opened)
    }

    @Test func oneOfTwoIsServedAndTheOtherWaitsForAnEmptyField() throws {
        let run = try scenario(card("first", .pkoc), card("second", .desfire))
        #expect(run.phones.map(\.result) == [.opened, .unseen])
        #expect(run.openings == 1)
        // A card without a credential does not keep the other from being served.
        let mixed = try scenario(card("transit", .identifier), card("badge", .pkoc))
        #expect(mixed.phones.map(\.result) == [.refused, .opened])
        #expect(mixed.phones[0].reason == "identifier-only")
    }

    @Test(arguments: SiteCardFault.allCases)
    func aFaultyProofIsRefused(_ fault: SiteCardFault) throws {
        for kind in [SiteScenario.Card.Kind.pkoc, .desfire] {
            var forged = card("forged", kind)
            forged.fault = fault
            if fault == .replayed {
                // The first presence is right.
                forged.presences.append(.init(from: .milliseconds(6000), until: .milliseconds(7000)))
            }
            let run = try scenario(forged)
            #expect(run.openings == (fault == .replayed ? 1 : 0), "\(kind)")
            #expect(
                run.timeline.contains { $0.text.hasSuffix("\(kind.rawValue) card refused, \(reason(fault, kind))") })
        }
    }

    private func reason(_ fault: SiteCardFault, _ kind: SiteScenario.Card.Kind) -> String {
        switch fault {
        case .changed, .replayed: "invalid-proof"
        case .cut: kind == .pkoc ? "malformed-response" : "invalid-proof"
        case .refused: "status-word"
        }
    }

    /// Only the kinds of the reader are tried.
    @Test func theReaderTriesItsKinds() throws {
        let run = try scenario(card("badge", .pkoc)) { $0.readers[0].cardKinds = [.desfire, .aliro] }
        #expect(run.phones[0].result == .refused && run.phones[0].reason == "no-known-application")
        #expect(run.openings == 0)
    }

    /// A carried card is in the field of the reader that it is near.
    @Test func aWayPassesTheFieldsOfTwoReaders() throws {
        var carried = SiteScenario.Card(name: "anna", kind: .pkoc)
        carried.walk = DistanceWalk([
            .init(.seconds(0), .floor(FloorPoint(0, 3))), .init(.seconds(2), .floor(FloorPoint(0, 0.02))),
            .init(.seconds(3), .floor(FloorPoint(0, 0.02))), .init(.seconds(5), .floor(FloorPoint(4, 2))),
            .init(.seconds(7), .floor(FloorPoint(4, 0))), .init(.seconds(8), .floor(FloorPoint(4, 0))),
            .init(.seconds(9), .floor(FloorPoint(4, 3))),
        ])
        let run = try scenario(carried) { scenario in
            var north = scenario.readers[0]
            north.name = "north"
            var east = north
            (east.name, east.place) = ("east", FloorPoint(4, 0))
            scenario.readers = [north, east]
        }
        #expect(run.openingsByReader == [1, 1])
        #expect(
            texts(run, of: "anna").filter { $0.contains("field") } == [
                "in the field of north", "out of the field of north", "in the field of east",
                "out of the field of east",
            ])
    }

    /// 4 cm from a reader at the end of a leg of 4 m in 4 s: 40 ms before the end.
    @Test func theReachIsCrossedWhereTheWayCrossesIt() {
        let walk = DistanceWalk([
            .init(.seconds(1), .metres(4)), .init(.seconds(5), .metres(0)), .init(.seconds(6), .metres(0)),
            .init(.seconds(10), .metres(4)),
        ])
        let spans = walk.spans(within: 0.04, of: FloorPoint(0, 0))
        #expect(spans.count == 1)
        #expect(spans.first?.from.wholeMilliseconds == 4960 && spans.first?.until?.wholeMilliseconds == 6040)
        // Past a reader at 3 cm: the half chord is √(4² − 3²) = 2.646 cm of 2 m in 2 s.
        let past = DistanceWalk([
            .init(.seconds(0), .floor(FloorPoint(-1, 0.03))), .init(.seconds(2), .floor(FloorPoint(1, 0.03))),
        ])
        let chord = past.spans(within: 0.04, of: FloorPoint(0, 0))
        #expect(chord.map(\.from.wholeMilliseconds) == [973] && chord.map { $0.until?.wholeMilliseconds } == [1026])
        #expect(past.spans(within: 0.029, of: FloorPoint(0, 0)).isEmpty)
        // It stays where its way ends.
        let stays = DistanceWalk([.init(.seconds(3), .metres(0.01))]).spans(within: 0.04, of: FloorPoint(0, 0))
        #expect(stays.count == 1 && stays[0].from == .seconds(3) && stays[0].until == nil)
    }

    /// Cards change nothing in a scenario without them.
    @Test func aScenarioWithoutCardsHasNoField() throws {
        let run = try SiteRun(try library("near-and-far"), seed: 1)
        #expect(!run.timeline.contains { $0.text.contains("NFC") })
    }
}
