// SPDX-License-Identifier: Apache-2.0

import Proximity
import Timekeeping
import VirtualRadio

/// Makes a scenario smaller that fails, as long as it fails: without phones, events and points (delta debugging, Zeller
/// and Hildebrandt 2002), with defaults, and at rounder, earlier times.
public struct ScenarioShrink {
    /// The smallest scenario so far.
    public private(set) var scenario: SiteScenario
    /// The number of scenarios that were tried.
    public private(set) var runs = 0
    private let most: Int
    private let fails: (SiteScenario) throws -> Bool

    /// A shrink of a scenario that fails.
    ///
    /// - Parameters:
    ///   - most: the maximum number of tries.
    ///   - fails: true for a scenario that fails in the same way. It has to reject unsuitable scenarios quickly.
    public init(_ scenario: SiteScenario, most: Int = 2000, fails: @escaping (SiteScenario) throws -> Bool) {
        self.scenario = scenario
        self.most = most
        self.fails = fails
    }

    /// Tries until nothing can be left out any more.
    public mutating func shrink() throws {
        var before: SiteScenario
        repeat {
            before = scenario
            try removeChunks(of: \.phones)
            try removeChunks(of: \.events)
            try removePairsOfEvents()
            for index in scenario.phones.indices { try removeChunks(of: \.phones[index].walk.points) }
            try takeDefaults()
            try takeEarlierTimes()
        } while scenario != before && runs < most
    }

    /// Takes a candidate if it fails too; false if not.
    @discardableResult
    private mutating func accept(_ candidate: SiteScenario) throws -> Bool {
        guard candidate != scenario, candidate.isValid, runs < most else { return false }
        runs += 1
        guard try fails(candidate) else { return false }
        scenario = candidate
        return true
    }

    /// Leaves out halves, quarters and so on, down to single elements.
    private mutating func removeChunks<Element>(
        of list: WritableKeyPath<SiteScenario, [Element]>
    ) throws {
        var size = scenario[keyPath: list].count
        while size > 0 {
            var start = 0
            while start < scenario[keyPath: list].count {
                var candidate = scenario
                let end = min(start + size, candidate[keyPath: list].count)
                candidate[keyPath: list].removeSubrange(start..<end)
                if try !accept(candidate) { start += size }
            }
            size /= 2
        }
    }

    /// Leaves out two events: the beginning of a fault and its end cannot be left out one by one.
    private mutating func removePairsOfEvents() throws {
        var first = 0
        while first < scenario.events.count {
            var second = first + 1
            var isTaken = false
            while second < scenario.events.count, !isTaken {
                var candidate = scenario
                candidate.events.remove(at: second)
                candidate.events.remove(at: first)
                isTaken = try accept(candidate)
                second += 1
            }
            if !isTaken { first += 1 }
        }
    }

    private mutating func takeDefaults() throws {
        let defaults = SiteScenario()
        func reset<Value>(_ path: WritableKeyPath<SiteScenario, Value>, _ value: Value) -> SiteScenario {
            var candidate = scenario
            candidate[keyPath: path] = value
            return candidate
        }
        try accept(reset(\.about, ""))
        try accept(reset(\.start, defaults.start))
        try accept(reset(\.gate, defaults.gate))
        try accept(reset(\.links, defaults.links))
        try accept(reset(\.controller, defaults.controller))
        try accept(reset(\.door, defaults.door))
        try accept(reset(\.told, []))
        try accept(reset(\.openings, nil))
        for index in scenario.phones.indices {
            try accept(reset(\.phones[index].expected, .init()))
            try accept(reset(\.phones[index].attempts, .max))
            try accept(reset(\.phones[index].connectsAt, -90))
            try accept(reset(\.phones[index].walk.propagation, Propagation()))
            try accept(reset(\.phones[index].credential.validity, SiteScenario.Credential().validity))
            try accept(reset(\.phones[index].credential.isOfSite, true))
        }
    }
}

/// Times.
extension ScenarioShrink {
    /// Takes each time earlier or rounder, and the end as early as possible.
    private mutating func takeEarlierTimes() throws {
        for index in scenario.phones.indices {
            for point in scenario.phones[index].walk.points.indices {
                try takeEarlier { candidate, time in
                    candidate.phones[index].walk.shift(from: point, to: time)
                } of: {
                    $0.phones[index].walk.points[point].at
                }
            }
        }
        for index in scenario.events.indices {
            try takeEarlier { candidate, time in
                candidate.events[index].after = time
            } of: {
                $0.events[index].after
            }
        }
        try takeEarlier { candidate, time in
            // A file has whole seconds.
            candidate.end = .seconds(max(1, time.wholeMilliseconds / 1000))
        } of: {
            $0.end
        }
    }

    private mutating func takeEarlier(
        _ set: (inout SiteScenario, Duration) -> Void, of get: (SiteScenario) -> Duration
    ) throws {
        let now = get(scenario).wholeMilliseconds
        let steps = [1000, 500, 100, 10] as [Int64]
        for time in [0, now / 4, now / 2, now * 3 / 4].map({ $0 / 1000 * 1000 }) + steps.map({ now / $0 * $0 })
        where time < now {
            var candidate = scenario
            set(&candidate, .milliseconds(time))
            if try accept(candidate) { return }
        }
    }
}

extension SiteScenario {
    /// True if a file of it can be read: events and points are in the order of their times, and begin before the end.
    fileprivate var isValid: Bool {
        !(phones.isEmpty && events.isEmpty) && events.allSatisfy { $0.after <= end }
            && phones.allSatisfy { $0.walk.points.first.map { $0.at < end } ?? false }
            && zip(events, events.dropFirst()).allSatisfy { $0.after <= $1.after }
            && phones.allSatisfy { phone in
                zip(phone.walk.points, phone.walk.points.dropFirst()).allSatisfy { $0.at < $1.at }
            }
    }
}

extension DistanceWalk {
    /// Moves a point to a time, and those after it with it.
    fileprivate mutating func shift(from first: Int, to time: Duration) {
        let shift = points[first].at - time
        for index in first..<points.count { points[index].at -= shift }
    }
}
