// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// A swarm whose run has broken rules, and the smallest scenario that breaks any of the same rules.
public struct SwarmFailure: Sendable {
    /// The maximum number of lines of a file that a person reads at once.
    public static let readableLines = 20

    /// The swarm.
    public let swarm: Swarm
    /// The rule that the smaller scenario breaks.
    public let rule: SiteRun.Rule
    /// The smaller scenario, which breaks it with the swarm's seed.
    public let scenario: SiteScenario
    /// The number of scenarios that were tried.
    public let runs: Int

    /// Shrinks a swarm; nil if its run breaks no rule.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public init?(_ swarm: Swarm, patience: Duration = Swarm.patience) throws {
        try self.init(swarm, patience: patience) { scenario in try SiteRun(scenario, seed: swarm.seed).broken }
    }

    /// Shrinks a swarm; nil if it breaks no rule.
    ///
    /// - Parameter broken: the rules that a scenario breaks.
    init?(
        _ swarm: Swarm, patience: Duration, broken: @escaping (SiteScenario) throws -> Set<SiteRun.Rule>
    ) throws {
        let all = try broken(swarm.scenario)
        // The rules of the door come first: an unserved phone may be a consequence.
        guard let rule = SiteRun.Rule.allCases.first(where: all.contains) else { return nil }
        let fairness = SwarmFairness(patience: patience)
        let expected = swarm.scenario.phones.filter { !$0.expected.results.isEmpty }
        var shrink = ScenarioShrink(swarm.scenario) { candidate in
            guard fairness.holds(candidate) else { return false }
            // A credential that must not open is still one, as long as it is expected not to.
            let isFair = candidate.phones.allSatisfy { phone in
                guard !phone.expected.results.isEmpty, let first = expected.first(where: { $0.name == phone.name })
                else { return true }
                return phone.credential == first.credential
                    && (!phone.name.hasPrefix(FaultKind.revoked.rawValue + " ") || candidate.revokes(phone))
            }
            return try isFair && broken(candidate).contains(rule)
        }
        try shrink.shrink()
        self.swarm = swarm
        self.rule = rule
        scenario = shrink.scenario
        runs = shrink.runs
    }
}

extension SiteScenario {
    /// True if the credential of a phone is on the blacklist before it comes.
    fileprivate func revokes(_ phone: Phone) -> Bool {
        events.contains { event in
            guard case .blacklist(let id) = event.order else { return false }
            return id.text == phone.credential.id && event.after <= phone.walk.points.first?.at ?? .zero
        }
    }
}
