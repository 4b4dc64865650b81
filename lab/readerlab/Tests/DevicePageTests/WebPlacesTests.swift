// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DevicePage

@Suite struct WebPlacesTests {
    private var places = WebPlaces<Int>()

    @Test mutating func theOldestStrangerYields() {
        let displaced = (0..<33).map { places.open($0) }
        #expect(displaced == Array(repeating: nil, count: 32) + [0])
        places.close(1)
        let next = [places.open(33), places.open(34)]
        #expect(next == [nil, 2])
    }

    @Test mutating func aConnectionWithTheTokenIsNotDisplaced() {
        _ = places.open(0)
        let isAdmitted = places.admit(0)
        let displaced = (1...1000).map { places.open($0) }
        #expect(isAdmitted && displaced.count { $0 != nil } == 968 && !displaced.contains(0))
    }

    @Test mutating func connectionsWithTheTokenHaveALimit() {
        let first = (0..<32).map { number in
            _ = places.open(number)
            return places.admit(number)
        }
        _ = places.open(32)
        let later = [places.admit(32), places.admit(31)]
        #expect(!first.contains(false) && later == [false, true])
        places.close(5)
        let isAdmitted = places.admit(32)
        #expect(isAdmitted)
    }
}
