// SPDX-License-Identifier: Apache-2.0

public import JSON
import Timekeeping
import VirtualRadio

/// A scenario that is watched, and changed while it is played: phones are carried elsewhere, walls put up, inputs set.
///
/// Time passes only by `pass` and by orders, and in whole milliseconds, as a file has them: the file of `save` repeats
/// the run. The messages are JSON objects: `plan`, the floor plan of a run, and each event.
public final class SitePlay {
    /// The answer to a line.
    public struct Answer: Equatable, Sendable {
        /// The lines for people.
        public var lines: [String]
        /// The scenario as a file, for `save`.
        public var file: String?
        /// True if the program is to end.
        public var ends = false
    }

    /// The longest time that passes in one step: after a stop of the machine, the rest is dropped.
    private static let longestStep = Duration.seconds(2)
    /// The time after which an order takes effect.
    static let delay = Duration.milliseconds(1)

    /// The name of the scenario.
    let name: String
    /// The scenario as it was loaded.
    let original: SiteScenario
    /// The same with the orders of this run.
    var scenario: SiteScenario
    var site: VirtualSite
    var seed: UInt64
    var speed = 1.0
    /// True while time passes.
    public internal(set) var isPlaying: Bool
    /// The number of this run, counted from 1.
    var run = 0
    /// True once the scenario's end was reached in this run.
    var isOver = false
    /// The results at the end.
    var ending: SiteRun?
    /// The messages that `nextMessage` has not returned.
    var messages: [JSONObject] = []
    /// The number of entries and notices that are in messages.
    var seen = (entries: 0, notices: [Int]())
    /// The phone of each link of a reader, by the reader's name and the link's number.
    var peers: [String: [Int: Int]] = [:]
    /// The reading by which a link was refused in dBm, by the reader's name and the link's number.
    var refusals: [String: [Int: Int]] = [:]
    /// The last events of the phones.
    var steps: [String?] = []
    /// The time that has passed and is not a whole millisecond.
    private var rest = Duration.zero

    /// Begins a scenario.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public init(_ scenario: SiteScenario, named name: String, seed: UInt64, isPlaying: Bool) throws {
        (self.name, original, self.scenario, self.seed) = (name, scenario, scenario, seed)
        self.isPlaying = isPlaying
        site = try SiteRun.site(scenario, seed)
        begin()
    }

    /// The time since the scenario's start.
    public var time: Duration { site.now - .origin }

    /// Begins a run with this seed.
    func restart(seed: UInt64) throws {
        let site = try SiteRun.site(original, seed)
        (self.site, self.seed, scenario) = (site, seed, original)
        begin()
    }

    private func begin() {
        run += 1
        (isOver, ending, rest) = (false, nil, .zero)
        seen = (0, scenario.readers.map { _ in 0 })
        (peers, refusals) = ([:], [:])
        steps = scenario.phones.map { _ in nil }
        messages.append(plan)
        collect()
    }

    /// Lets this much of the watcher's time pass.
    public func pass(_ duration: Duration) {
        guard isPlaying else { return }
        rest += min(duration * speed, SitePlay.longestStep)
        let whole = Duration.milliseconds(rest.wholeMilliseconds)
        guard whole > .zero else { return }
        rest -= whole
        step(whole)
    }

    /// Lets this much of the scenario's time pass, to its end at most when it comes to it for the first time.
    func step(_ duration: Duration) {
        guard !isOver, time + duration >= scenario.end else { return advance(to: time + duration) }
        advance(to: scenario.end)
        (isOver, isPlaying) = (true, false)
        ending = SiteRun(of: scenario, seed: seed, at: site)
    }

    func advance(to time: Duration) {
        site.run(until: time)
        collect()
    }

    /// The next message; nil if there is none.
    public func nextMessage() -> JSONObject? { messages.isEmpty ? nil : messages.removeFirst() }
}
