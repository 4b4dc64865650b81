// SPDX-License-Identifier: Apache-2.0

/// The reason to refuse a stored policy that is not the policy this reader kept. Without a policy the reader grants
/// no phone access.
public enum PolicyRefusal: Equatable, Sendable {
    /// Neither copy is usable.
    case copiesLost
    /// The witness is not usable; without it an older copy cannot be detected.
    case countLost
    /// The generation differs from the one kept last: an older copy was put back.
    case rolledBack(found: UInt64, kept: UInt64)

    /// The fault, without a remedy.
    public var summary: String {
        switch self {
        case .copiesLost: "policy.a and policy.b are missing, damaged or another device's"
        case .countLost: "policy.count is missing, damaged or another device's"
        case .rolledBack(let found, let kept) where found == kept:
            "generation \(kept) of the policy was replaced by another"
        case .rolledBack(let found, let kept):
            "an older copy was restored: generation \(found) instead of \(kept)"
        }
    }

    /// The information in events: 1 lost, 2 rolled back.
    public var auditInfo: Int32 {
        switch self {
        case .copiesLost, .countLost: 1
        case .rolledBack: 2
        }
    }
}

/// The stored files of a policy, and the verdict on them.
public struct FoundPolicy: Equatable, Sendable {
    /// The state of a copy; a policy has two copies.
    public enum Copy: Equatable, Sendable {
        /// The file does not exist.
        case missing
        /// The file is not a policy of this device.
        case damaged
        /// The file is this policy.
        case sound(SealedPolicy)

        var policy: SealedPolicy? { if case .sound(let policy) = self { policy } else { nil } }
    }

    /// The witness.
    public enum Count: Equatable, Sendable {
        /// The file does not exist.
        case missing
        /// The file is not a witness of this device.
        case damaged
        /// The file is this witness.
        case sound(PolicyCount)
    }

    /// The verdict on the files.
    public enum Verdict: Equatable, Sendable {
        /// This policy is in force; `isWhole` is false if a copy or the witness has to be written again.
        case known(SealedPolicy, isWhole: Bool)
        /// There was never a policy.
        case none
        /// The policy in force cannot be determined.
        case refused(PolicyRefusal)
    }

    /// The copies, in the order in which they are written.
    public var copies: [Copy]
    /// The witness, written after them.
    public var count: Count

    /// Creates a value of the files read.
    public init(copies: [Copy], count: Count) {
        (self.copies, self.count) = (copies, count)
    }

    /// True if no file exists.
    public var isAbsent: Bool { count == .missing && copies.allSatisfy { $0 == .missing } }

    /// The highest known generation that this device has written.
    public var highestGeneration: UInt64 {
        let generations = copies.compactMap(\.policy?.document.generation)
        guard case .sound(let count) = count else { return generations.max() ?? 0 }
        return max(count.generation, generations.max() ?? 0)
    }

    /// Returns the verdict. `logged` is the newest generation in the event log's records and its head, 0 if there is
    /// none; the log may be missing, but it is never ahead of the policy.
    ///
    /// In place of a damaged witness, the log and its head decide: they keep the same generation, and an older copy of
    /// all of them would have an older witness too. A witness that is missing was removed.
    public func verdict(logged: UInt64) -> Verdict {
        if isAbsent, logged == 0 { return .none }
        let policies = copies.compactMap(\.policy)
        guard !policies.isEmpty else { return .refused(.copiesLost) }
        let newest = policies.map(\.document.generation).max() ?? 0
        guard case .sound(let count) = count else {
            let candidates = policies.filter { $0.document.generation == newest }
            guard count == .damaged, logged == newest, logged > 0, candidates.allSatisfy({ $0 == candidates[0] })
            else { return .refused(.countLost) }
            return .known(candidates[0], isWhole: false)
        }
        guard let policy = held(policies, of: newest, count) else {
            // If the copy is far ahead of its witness, the witness is the older one.
            return .refused(.rolledBack(found: min(newest, count.generation), kept: max(newest, count.generation)))
        }
        let generation = policy.document.generation
        guard generation >= logged else { return .refused(.rolledBack(found: generation, kept: logged)) }
        let isWhole = count.witnesses(policy) && copies.allSatisfy { $0.policy == policy }
        return .known(policy, isWhole: isWhole)
    }

    /// Returns the newest policy if it is the witnessed one, or its successor after a power cut before the witness was
    /// written. An older policy is never returned, even if an older witness agrees.
    private func held(_ policies: [SealedPolicy], of newest: UInt64, _ count: PolicyCount) -> SealedPolicy? {
        if newest == count.generation { return policies.first(where: count.witnesses) }
        guard newest > count.generation, newest - count.generation == 1 else { return nil }
        return policies.first { $0.document.generation == newest }
    }
}
