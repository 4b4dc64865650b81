// SPDX-License-Identifier: Apache-2.0

import Proximity
import Testing

@testable import GateTrial

/// The gate for a site, from walks at the door and away from it.
@Suite struct SiteSurveyTests {
    /// A walk of one window of 400 ms for each level.
    private static func walk(_ levels: Int8..., at place: SiteSurvey.Place) -> RSSITrace {
        let readings = levels.flatMap { Array(repeating: $0, count: 14) } + [levels[levels.count - 1]]
        return .trace(readings, metres: nil, name: "\(place)", condition: place.rawValue)
    }

    private static func survey(_ walks: [RSSITrace], share: Double = 0.95) -> SiteSurvey {
        SiteSurvey(walks, GateTrial(), share: share)
    }

    /// Door at −70, away at −80: the highest threshold that opens is −70.
    @Test func theHighestThresholdOfTheDoorIsProposed() throws {
        let walks = (0..<5).flatMap { _ in [Self.walk(-70, at: .door), Self.walk(-80, at: .away)] }
        let survey = Self.survey(walks)
        #expect(survey.present.gate.threshold == -60)
        #expect(survey.present.door?.share == 0 && survey.present.away?.share == 0)
        let proposed = try #require(survey.proposed)
        #expect(proposed.gate.threshold == -70 && proposed.gate.window == .milliseconds(400))
        #expect(proposed.door?.share == 1 && proposed.door?.traces == 5)
        #expect(proposed.away?.share == 0 && proposed.away?.traces == 5)
        // 0.025 to the power 1/5: five walks show no more than that.
        #expect(abs((proposed.door?.interval?.lowerBound ?? 0) - 0.4782) < 0.0001)
    }

    /// The weakest walk is judged by a threshold of the others, which does not open for it.
    @Test func aWalkIsNotJudgedByItself() throws {
        let walks = [-60, -60, -60, -60, -70].map { Self.walk($0, at: .door) }
        let proposed = try #require(Self.survey(walks).proposed)
        #expect(proposed.gate.threshold == -70)
        #expect(proposed.door?.opened == 4 && proposed.door?.windows == 5)
        #expect(proposed.away == nil)
    }

    /// A lower share gives the weakest walk up.
    @Test func theShareDecides() {
        let walks = [-60, -60, -60, -60, -70].map { Self.walk($0, at: .door) }
        #expect(Self.survey(walks, share: 0.8).proposed?.gate.threshold == -60)
    }

    @Test(arguments: [0, 1]) func fewerThanTwoWalksAtTheDoorProposeNothing(count: Int) {
        let walks = (0..<count).map { _ in Self.walk(-50, at: .door) } + [Self.walk(-80, at: .away)]
        let survey = Self.survey(walks)
        #expect(survey.proposed == nil && survey.present.door?.windows == (count == 0 ? nil : count))
    }

    /// The door is as weak as the corridor at times: within 400 ms it is not seen, within a second it is.
    @Test func anotherWindowIsProposedWhereItHelps() throws {
        // Each second at the door: 600 ms at −80, then 400 ms at −50; away always −79.
        let second = Array(repeating: Int8(-80), count: 20) + Array(repeating: Int8(-50), count: 14)
        let door = (0..<3).map { _ in
            RSSITrace.trace(Array(repeatElement(second, count: 6).joined()), metres: nil, condition: "door")
        }
        let away = RSSITrace.trace(Array(repeating: -79, count: 120), metres: nil, condition: "away")
        let proposed = try #require(Self.survey(door + [away]).proposed)
        // −80 must not be 15 dB below, which would end the window.
        #expect(proposed.gate.window == .milliseconds(1000) && proposed.gate.threshold == -66)
        #expect(proposed.away?.share == 0)
        // Without walks away from the door nothing speaks for another window.
        #expect(Self.survey(door).proposed?.gate.window == .milliseconds(400))
    }

    @Test func othersAreNoWalks() {
        let survey = Self.survey([.trace(Array(repeating: -50, count: 15), condition: "hall/door")])
        #expect(survey.present.door == nil && survey.present.away == nil && survey.proposed == nil)
    }
}
