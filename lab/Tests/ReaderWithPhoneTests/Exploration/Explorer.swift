// SPDX-License-Identifier: Apache-2.0

import Timekeeping

@testable import Reader

/// Runs a world through every sequence of its inputs, the shorter ones first, and goes on from each state once.
///
/// A reader cannot be copied, so each sequence is run from the beginning. A sequence that leads to a state that is
/// known ends there; one that leads to a new one is run out, too, with no further input.
struct Explorer: Sendable {
    let scope: Scope
    let wallet: Wallet
    var flaw: Flaw?

    /// The extent of an exploration.
    struct Report: Sendable {
        var states = 1
        /// All sequences of this length have been run.
        var depth = 0
        var transitions = 0
        /// True if there is no state left to go on from: every sequence of any length has been run.
        var isComplete = false
        var grants = 0
        var refusals = 0
        /// The first promise that did not hold, and the shortest sequence that leads there.
        var violation: (violation: Violation, inputs: [Input])?
    }

    /// A state, and the shortest sequence that leads there.
    private struct Place: Sendable {
        var imprint: [UInt8]
        var path: [UInt8]
    }

    /// The result of going on from some states.
    private struct Expansion: Sendable {
        var found: [Place] = []
        var transitions = 0
        var grants = 0
        var refusals = 0
        var violation: (violation: Violation, path: [UInt8])?
    }

    /// States that are gone on from at once.
    private static let portion = 32
    private static let workers = 2

    /// Explores to `depth`, or until `deadline`.
    func explore(depth: Int, until deadline: ContinuousClock.Instant) async throws -> Report {
        var report = Report()
        let beginning = Imprint(try World(scope, wallet, flaw: flaw)).octets
        var known: Set<[UInt8]> = [beginning]
        var frontier = [Place(imprint: beginning, path: [])]
        while report.depth < depth, !frontier.isEmpty {
            var next: [Place] = []
            for start in stride(from: 0, to: frontier.count, by: Explorer.portion * Explorer.workers) {
                guard ContinuousClock.now < deadline else { return report }
                let end = min(start + Explorer.portion * Explorer.workers, frontier.count)
                for expansion in try await expand(Array(frontier[start..<end]), known: known) {
                    report.transitions += expansion.transitions
                    report.grants += expansion.grants
                    report.refusals += expansion.refusals
                    for place in expansion.found where known.insert(place.imprint).inserted { next.append(place) }
                    guard let (violation, path) = expansion.violation else { continue }
                    report.violation = (violation, path.map { scope.inputs[Int($0)] })
                    return report
                }
                report.states = known.count
            }
            report.depth += 1
            frontier = next
        }
        report.isComplete = frontier.isEmpty
        return report
    }

    private func expand(_ places: [Place], known: Set<[UInt8]>) async throws -> [Expansion] {
        let count = (places.count + Explorer.workers - 1) / Explorer.workers
        let portions = stride(from: 0, to: places.count, by: count).map {
            Array(places[$0..<min($0 + count, places.count)])
        }
        return try await withThrowingTaskGroup(of: (Int, Expansion).self) { group in
            for (index, portion) in portions.enumerated() {
                group.addTask { (index, try expand(portion, unless: known)) }
            }
            // In their order, so that the same exploration finds the same.
            return try await group.reduce(into: [(Int, Expansion)]()) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func expand(_ places: [Place], unless known: Set<[UInt8]>) throws -> Expansion {
        var expansion = Expansion()
        var found: Set<[UInt8]> = []
        for place in places {
            var world: World?
            for (index, input) in scope.inputs.enumerated() {
                let current = try world ?? replay(place.path)
                world = current
                guard current.takes(input) else { continue }
                expansion.transitions += 1
                let path = place.path + [UInt8(index)]
                do {
                    let (grants, refusals) = (current.tally.grants, current.tally.refusals)
                    try current.apply(input)
                    expansion.grants += current.tally.grants - grants
                    expansion.refusals += current.tally.refusals - refusals
                    let imprint = Imprint(current).octets
                    // The same state: the next input may follow here.
                    guard imprint != place.imprint else { continue }
                    world = nil
                    guard !known.contains(imprint), found.insert(imprint).inserted else { continue }
                    expansion.found.append(Place(imprint: imprint, path: path))
                    try current.runOut()
                } catch let violation as Violation {
                    expansion.violation = (violation, path)
                    return expansion
                }
            }
        }
        return expansion
    }

    private func replay(_ path: [UInt8]) throws -> World {
        let world = try World(scope, wallet, flaw: flaw)
        for index in path { try world.apply(scope.inputs[Int(index)]) }
        return world
    }
}

extension Explorer.Report: CustomStringConvertible {
    /// A line, and the way to a violation.
    var description: String {
        var text = "\(states) states, \(isComplete ? "every sequence" : "all sequences of \(depth) inputs"), "
        text += "\(transitions) transitions, \(grants) grants, \(refusals) refused for want of a record"
        if let (violation, inputs) = violation {
            text += "\nbroken: \(violation.promise.rawValue)\n  \(violation.detail), after:"
            for input in inputs { text += "\n  \(input)" }
        }
        return text
    }
}
