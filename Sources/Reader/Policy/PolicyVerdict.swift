/// Why nobody can be let in: what decides about people is not what this reader has kept.
public enum PolicyRefusal: Equatable, Sendable {
    /// Neither copy can be used.
    case copiesLost
    /// The witness cannot be used, without which a copy may be an older one.
    case countLost
    /// Another generation than the one that was kept last: an older copy was put back.
    case rolledBack(found: UInt64, kept: UInt64)

    /// What is wrong, without what to do.
    public var summary: String {
        switch self {
        case .copiesLost: "policy.a and policy.b are missing, damaged or another device's"
        case .countLost: "policy.count is missing, damaged or another device's"
        case .rolledBack(let found, let kept) where found == kept:
            "another policy was put back than the one of generation \(kept) that was kept"
        case .rolledBack(let found, let kept):
            "an older copy was put back: generation \(found), where \(kept) was kept"
        }
    }

    /// The number in events: 1 lost, 2 rolled back.
    public var auditInfo: Int32 {
        switch self {
        case .copiesLost, .countLost: 1
        case .rolledBack: 2
        }
    }
}

/// What was found of a policy, and what it comes to.
public struct FoundPolicy: Equatable, Sendable {
    /// One of the two copies.
    public enum Copy: Equatable, Sendable {
        /// There is no such file.
        case missing
        /// It is no policy of this device's.
        case damaged
        /// It is one, this.
        case sound(SealedPolicy)

        var policy: SealedPolicy? { if case .sound(let policy) = self { policy } else { nil } }
    }

    /// The witness.
    public enum Count: Equatable, Sendable {
        /// There is no such file.
        case missing
        /// It is no witness of this device's.
        case damaged
        /// It is one, this.
        case sound(PolicyCount)
    }

    /// What it comes to.
    public enum Verdict: Equatable, Sendable {
        /// This holds; `isWhole` unless a copy or the witness has to be written again.
        case known(SealedPolicy, isWhole: Bool)
        /// There never was one.
        case none
        /// Nobody knows what holds.
        case refused(PolicyRefusal)
    }

    /// The copies, in the order in which they are written.
    public var copies: [Copy]
    /// The witness, written behind them.
    public var count: Count

    /// What was found.
    public init(copies: [Copy], count: Count) {
        (self.copies, self.count) = (copies, count)
    }

    /// Whether nothing was found.
    public var isAbsent: Bool { count == .missing && copies.allSatisfy { $0 == .missing } }

    /// The highest generation that this device has written, as far as is known.
    public var highestGeneration: UInt64 {
        let generations = copies.compactMap(\.policy?.document.generation)
        guard case .sound(let count) = count else { return generations.max() ?? 0 }
        return max(count.generation, generations.max() ?? 0)
    }

    /// What it comes to. `logged`: the newest generation in the event log's records, 0 if it tells none; the log may be
    /// gone, but it is not ahead of the policy.
    public func verdict(logged: UInt64) -> Verdict {
        if isAbsent, logged == 0 { return .none }
        let policies = copies.compactMap(\.policy)
        guard !policies.isEmpty else { return .refused(.copiesLost) }
        guard case .sound(let count) = count else { return .refused(.countLost) }
        let newest = policies.map(\.document.generation).max() ?? 0
        guard let policy = held(policies, of: newest, count) else {
            // A copy that is far ahead of its witness: that is the older one.
            return .refused(.rolledBack(found: min(newest, count.generation), kept: max(newest, count.generation)))
        }
        let generation = policy.document.generation
        guard generation >= logged else { return .refused(.rolledBack(found: generation, kept: logged)) }
        let isWhole = count.witnesses(policy) && copies.allSatisfy { $0.policy == policy }
        return .known(policy, isWhole: isWhole)
    }

    /// The newest: it is the one that was witnessed, or follows it, where the power went before its witness was written.
    /// Never one before the newest, though an older copy and an older witness agree.
    private func held(_ policies: [SealedPolicy], of newest: UInt64, _ count: PolicyCount) -> SealedPolicy? {
        if newest == count.generation { return policies.first(where: count.witnesses) }
        guard newest > count.generation, newest - count.generation == 1 else { return nil }
        return policies.first { $0.document.generation == newest }
    }
}
