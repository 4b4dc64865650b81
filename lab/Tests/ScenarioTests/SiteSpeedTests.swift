// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// The cost of a site, in processor time of one thread: what else the machine does has no part in it.
@Suite(.serialized) struct SiteSpeedTests {
    /// Phones that hear the reader and are too far to connect, all the time, and one that is near and connects.
    private func crowd(_ count: Int) -> SiteScenario {
        var scenario = SiteScenario()
        scenario.end = .seconds(2)
        scenario.phones = (0..<count).map { number in
            var phone = SiteScenario.Phone(
                name: "phone \(number)", walk: .standing(from: .milliseconds(100), number == 0 ? -45 : -80))
            phone.connectsAt = -60
            return phone
        }
        return scenario
    }

    /// Ten times the phones cost at most fifteen times as much. If each event cost something for each phone, as once,
    /// it would be a hundred times.
    @Test func costIsLinearToAThousandPhones() throws {
        let costs = try [10, 100, 1000].map { count in
            try processorTime {
                let run = try SiteRun(crowd(count), seed: 1)
                #expect(run.phones.map(\.connections) == [1] + Array(repeating: 0, count: count - 1))
            }
        }
        print("processor time of 10, 100, 1000 phones for 2 s: \(costs.map { "\(Int($0 * 1000)) ms" })")
        #expect(costs[2] <= 15 * costs[1] && costs[1] <= 15 * costs[0])
    }

    /// Sixty-four phones at ten readers take less processor time than it takes them, and all of them are let in: more
    /// than a thousand openings a minute on two processors.
    @Test func sixtyFourPhonesAndTenReadersAreFasterThanReality() throws {
        var scenario = SiteScenario()
        scenario.readers = (0..<10).map { number in
            var reader = SiteScenario.Reader()
            (reader.name, reader.place) = ("door \(number)", FloorPoint(Double(number) * 10, 0))
            return reader
        }
        scenario.end = .seconds(40)
        scenario.phones = (0..<64).map { number in
            let (door, start) = (Double(number % 10) * 10, Duration.milliseconds(number * 250))
            let way = DistanceWalk([
                .init(start, .floor(FloorPoint(door, 7))), .init(start + .seconds(5), .floor(FloorPoint(door, 0.4))),
            ])
            var phone = SiteScenario.Phone(name: "phone \(number)", walk: way)
            phone.connectsAt = -60
            return phone
        }
        let taken = try processorTime {
            let run = try SiteRun(scenario, seed: 1)
            #expect(run.phones.allSatisfy { $0.result == .opened })
        }
        print("processor time of 64 phones and 10 readers for 40 s: \(Int(taken * 1000)) ms")
        #expect(taken < 40)
        let perMinute = 64 * 60 / taken
        print("openings a minute on one processor: \(Int(perMinute))")
        #expect(2 * perMinute >= 1000)
    }
}
