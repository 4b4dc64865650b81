// SPDX-License-Identifier: Apache-2.0

public import Proximity

/// The gate for a site, from measurements at the door, where it has to open, and away from it, where it must not.
///
/// A trace is one walk. The proposed threshold is the highest that opens in enough of the windows at the door: it opens
/// least away from it.
public struct SiteSurvey: Equatable, Sendable {
    /// The place of a walk, as the first part of its trace's condition.
    public enum Place: String, CaseIterable, Sendable {
        /// At the door, with the phone as people have it: the gate has to open.
        case door
        /// A place at which the gate must not open: the corridor, the other side of the wall, the next door.
        case away
    }

    /// A gate with its rates on the walks.
    public struct Outcome: Equatable, Sendable {
        /// The gate.
        public let gate: ProximityGate.Configuration
        /// The rate at the door; nil without a window there.
        public let door: AcceptRate?
        /// The rate away from it; nil without a window there.
        public let away: AcceptRate?
    }

    /// The gate in use. No walk was used to choose it.
    public let present: Outcome
    /// The proposed gate; nil if no threshold opens for enough, or there are fewer than `fewestWalks` at the door.
    ///
    /// Its rate at the door is of thresholds that were chosen without the walk that they are judged by.
    public let proposed: Outcome?

    /// The walks at the door that a proposal needs: without two, none can be judged by the others.
    public static let fewestWalks = 2
    /// The windows that are tried in milliseconds, besides that in use.
    static let windows: [Int64] = [400, 600, 1000]
    /// The decrease of the rate away from the door for which another window is proposed: less is chance.
    static let worthwhile = 0.1

    /// Evaluates the walks whose condition begins with a place.
    ///
    /// - Parameters:
    ///   - trial: the gate in use, and the link's packets.
    ///   - share: the share of windows at the door that have to open, 0 to 1.
    public init(_ traces: [RSSITrace], _ trial: GateTrial, share: Double) {
        let door = traces.filter { $0.place == .door && trial.tally(of: $0).windows > 0 }
        let away = traces.filter { $0.place == .away }
        present = Outcome(gate: trial.gate, door: trial.rate(of: door), away: trial.rate(of: away))
        guard door.count >= SiteSurvey.fewestWalks else {
            proposed = nil
            return
        }
        let own = SiteSurvey.proposal(door, away, trial, share)
        let others = SiteSurvey.windows.filter { trial.gate.window != .milliseconds($0) }.compactMap { milliseconds in
            var other = trial
            other.gate.window = .milliseconds(milliseconds)
            return SiteSurvey.proposal(door, away, other, share)
        }
        let best = others.min { $0.opensAway < $1.opensAway }
        guard let best, let own else {
            proposed = own ?? best
            return
        }
        proposed = own.opensAway - best.opensAway >= SiteSurvey.worthwhile ? best : own
    }

    private static func proposal(
        _ door: [RSSITrace], _ away: [RSSITrace], _ trial: GateTrial, _ share: Double
    ) -> Outcome? {
        let walks = door.map { trial.openingThresholds(of: $0) }
        guard let threshold = GateTrial.highestThreshold(opening: share, of: walks.flatMap(\.self)) else { return nil }
        let chosen = trial.with(threshold: threshold)
        let tallies = walks.indices.map { index in
            let others = walks.enumerated().filter { $0.offset != index }.flatMap(\.element)
            let found = GateTrial.highestThreshold(opening: share, of: others) ?? threshold
            return AcceptRate.Tally(
                windows: walks[index].count, opened: walks[index].count { $0.map { $0 >= found } ?? false })
        }
        return Outcome(gate: chosen.gate, door: AcceptRate(tallies), away: chosen.rate(of: away))
    }
}

extension SiteSurvey.Outcome {
    fileprivate var opensAway: Double { away?.share ?? 0 }
}

extension RSSITrace {
    /// The place of a walk; nil for any other trace.
    public var place: SiteSurvey.Place? {
        condition.split(separator: "/").first.flatMap { .init(rawValue: String($0)) }
    }
}
