// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualRadio

/// The commands.
extension SitePlay {
    /// Executes a line.
    ///
    /// - Throws: `PlayOrderFault`, whose description is the error and the remedy.
    public func execute(_ line: String) throws(PlayOrderFault) -> Answer {
        let names = scenario.readers.map(\.name)
        return try execute(try PlayOrder(line: line, phones: scenario.phones.map(\.name), readers: names))
    }

    private func execute(_ order: PlayOrder) throws(PlayOrderFault) -> Answer {
        switch order {
        case .play(let isPlaying):
            self.isPlaying = isPlaying
            return Answer(lines: [isPlaying ? "plays" : "paused at \(time.wholeMilliseconds) ms"])
        case .speed(let speed):
            self.speed = speed
            return Answer(lines: ["speed \(speed)"])
        case .step(let duration):
            step(duration)
            return Answer(lines: ["at \(time.wholeMilliseconds) ms"])
        case .restart(let seed):
            do { try restart(seed: seed ?? self.seed) } catch { throw PlayOrderFault("cannot begin: \(error)") }
            return Answer(lines: ["begins, seed \(self.seed)"])
        case .move(let phone, let place, let duration): return try move(phone, to: place, within: duration)
        case .carry(let name, let carry):
            change(name) { index in
                site.carry(site.phones[index], in: carry)
                scenario.phones[index].walk.propagation.carry = carry
            }
            return Answer(lines: ["\(name): \(carry.rawValue)"])
        case .wall(let wall):
            guard scenario.walls.count < SiteScenario.maximumWalls else {
                throw PlayOrderFault("there are \(SiteScenario.maximumWalls) walls: take one down")
            }
            return build(scenario.walls + [wall])
        case .noWall(let number):
            guard scenario.walls.indices.contains(number - 1) else {
                throw PlayOrderFault("there is no wall \(number); there are \(scenario.walls.count)")
            }
            var walls = scenario.walls
            walls.remove(at: number - 1)
            return build(walls)
        case .site(let order, let reader): return try add(order, reader)
        case .save: return try save()
        case .help: return Answer(lines: PlayOrder.helpLines)
        case .quit: return Answer(lines: ["the end"], ends: true)
        }
    }

    /// Changes the phone of this name, and lets the change take effect.
    private func change(_ name: String, _ change: (Int) -> Void) {
        guard let index = scenario.phones.firstIndex(where: { $0.name == name }) else { return }
        change(index)
        advance(to: time + SitePlay.delay)
    }

    private func move(
        _ name: String, to place: DistanceWalk.Place, within duration: Duration
    ) throws(PlayOrderFault) -> Answer {
        if case .dBm = place, scenario.hasFloor {
            throw PlayOrderFault("with several readers a level is not for one phone: move it, or build a wall")
        }
        let place = place.ofFile
        // While time stands still nothing walks.
        let duration = isPlaying ? duration : .zero
        var isFull = false
        change(name) { index in
            let phone = site.phones[index]
            isFull = phone.plan.walk.points.count >= SiteScenario.maximumPoints - 1
            guard !isFull else { return }
            site.carry(phone, to: place, from: time + SitePlay.delay, within: duration)
            scenario.phones[index].walk.points = phone.plan.walk.points
        }
        guard !isFull else {
            throw PlayOrderFault("\(name) has \(SiteScenario.maximumPoints) points, the most of a file: restart")
        }
        return Answer(lines: ["\(name): to \(place.text)"])
    }

    private func build(_ walls: [Wall]) -> Answer {
        scenario.walls = walls
        site.build(walls)
        messages.append(plan)
        advance(to: time + SitePlay.delay)
        return Answer(lines: ["\(walls.count) walls"])
    }

    private func add(_ order: SiteOrder, _ reader: String?) throws(PlayOrderFault) -> Answer {
        guard scenario.events.count < SiteScenario.maximumPoints else {
            throw PlayOrderFault("there are \(SiteScenario.maximumPoints) events, the most of a file: restart")
        }
        let event = SiteScenario.Event(after: time + SitePlay.delay, order: order, reader: reader)
        scenario.events.append(event)
        site.add(event)
        advance(to: time + SitePlay.delay)
        return Answer(lines: [order.line + (reader.map { ", at \($0)" } ?? "")])
    }

    /// The scenario with the orders of this run as a file. Its expectations are the results of a run of that file with
    /// this seed.
    private func save() throws(PlayOrderFault) -> Answer {
        var saved = scenario
        saved.end = saved.end < SitePlay.openEnd ? max(saved.end, wholeSecond) : wholeSecond + .seconds(1)
        saved.phones.removeAll { $0.walk.points.isEmpty || $0.walk.points[0].at >= saved.end }
        saved.events.removeAll { $0.after > saved.end }
        guard !saved.phones.isEmpty || !saved.cards.isEmpty || !saved.events.isEmpty else {
            throw PlayOrderFault("nothing has happened yet: move a phone")
        }
        (saved.openings, saved.told) = (nil, [])
        for index in saved.readers.indices { saved.readers[index].openings = nil }
        for index in saved.phones.indices { saved.phones[index].expected = SiteScenario.Expectation() }
        for index in saved.cards.indices { saved.cards[index].expected = SiteScenario.Expectation() }
        do {
            let run = try SiteRun(saved, seed: seed)
            saved.openings = run.openings
            for index in saved.phones.indices { saved.phones[index].expected.results = [run.phones[index].result] }
            for (index, card) in run.phones.dropFirst(saved.phones.count).enumerated() {
                saved.cards[index].expected.results = [card.result]
            }
            let openings = run.openings == 1 ? "1 opening" : "\(run.openings) openings"
            let option = seed == 1 ? "" : " --seed \(seed)"
            return Answer(
                lines: ["saved; readerlab scenario FILE\(option) expects \(openings)"], file: saved.json)
        } catch {
            throw PlayOrderFault("cannot be run: \(error)")
        }
    }

    /// A scenario at least this long, an hour, is ended by its watcher.
    private static let openEnd = Duration.seconds(3600)

    /// The next whole second.
    private var wholeSecond: Duration { .seconds(time.wholeMilliseconds / 1000 + 1) }
}

extension SiteScenario {
    /// True if all places are on the floor plan.
    var hasFloor: Bool { readers.count > 1 || readers[0].name != SiteReader.onlyName }
}
