// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import VirtualRadio

/// Ways on a floor plan, and walls.
@Suite struct TrackTests {
    private let wall = Wall(from: FloorPoint(2, -1), to: FloorPoint(2, 1), attenuation: 20)

    @Test func theDistanceIsThatOfThePlace() {
        let track = Track(from: FloorPoint(-3, 4), to: FloorPoint(3, 4), receiver: FloorPoint(0, 0))
        #expect([0, 0.5, 1].map(track.metres) == [5, 4, 5])
        let straight = Track(from: FloorPoint(8, 0), to: FloorPoint(0.4, 0), receiver: FloorPoint(0, 0))
        #expect(straight.metres(at: 0) == 8 && straight.metres(at: 1) == 0.4)
    }

    @Test func aWallSeparatesWhatIsOnItsSides() {
        #expect(wall.separates(FloorPoint(0, 0), FloorPoint(4, 0)))
        #expect(wall.separates(FloorPoint(4, 0.5), FloorPoint(0, 0)))
        #expect(!wall.separates(FloorPoint(0, 0), FloorPoint(1.9, 0)))
        // Past its end, and along it.
        #expect(!wall.separates(FloorPoint(0, 3), FloorPoint(4, 3)))
        #expect(!wall.separates(FloorPoint(2, 2), FloorPoint(2, 3)))
    }

    @Test func theLevelFallsBehindTheWall() {
        let track = Track(from: FloorPoint(4, 3), to: FloorPoint(4, 0), receiver: FloorPoint(0, 0), walls: [wall])
        let model = Propagation()
        #expect(track.level(model, at: 0) == model.level(at: 5))
        #expect(track.level(model, at: 1) == model.level(at: 4) - 20)
    }
}
