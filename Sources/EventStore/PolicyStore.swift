import Reader

/// The policy as its one writer has it.
///
/// A change is in both copies, and witnessed, before it is acknowledged. What was not acknowledged has not happened here,
/// though the next start may find it: if the disk takes neither the rest of it nor what was before.
struct PolicyStore {
    /// What was found.
    enum State: Equatable {
        /// This holds; and what had to be written again.
        case known(PolicyDocument, mended: String?)
        /// Nobody knows what holds.
        case refused(PolicyRefusal)
    }

    private let files: PolicyFiles
    /// What holds; nil while that is not known.
    private(set) var document: PolicyDocument?
    /// The policy that was witnessed last: the one on the disk, also where a change that failed behind its copies is
    /// none here.
    private var kept: SealedPolicy?
    /// One whose witness has to be written before anything else: both copies, or the one that is left, are ahead of the
    /// witness on the disk, and must not come further.
    private var uncounted: SealedPolicy?

    init(_ files: PolicyFiles) { self.files = files }

    /// Reads the policy, and mends its files; a first start begins one. `logged`: the newest generation that the event
    /// log tells of. What is known already is only compared with that.
    mutating func load(logged: UInt64) throws(DiskFault) -> State {
        if let document {
            guard document.generation < logged else { return .known(document, mended: nil) }
            self.document = nil
            return .refused(.rolledBack(found: document.generation, kept: logged))
        }
        let found = try files.read()
        let verdict = found.verdict(logged: logged)
        switch verdict {
        case .known(let policy, let isWhole):
            try files.endFirstStart()
            (document, kept) = (policy.document, policy)
            return .known(policy.document, mended: isWhole ? nil : mend(policy, found))
        case .none, .refused(.copiesLost), .refused(.countLost):
            guard files.isFirstStart, logged == 0 else {
                if case .refused(let refusal) = verdict { return .refused(refusal) }
                return .refused(.copiesLost)
            }
            return .known(try begin(), mended: nil)
        case .refused(let refusal): return .refused(refusal)
        }
    }

    /// A first start: nothing was kept yet.
    private mutating func begin() throws(DiskFault) -> PolicyDocument {
        let policy = try files.sealed(PolicyDocument(generation: 1))
        try files.write(policy)
        try files.write(PolicyCount(policy))
        try files.endFirstStart()
        (document, kept) = (policy.document, policy)
        return policy.document
    }

    /// Writes again what is not as it should be; a disk that cannot now is tried again with the next change. What that
    /// was.
    private mutating func mend(_ policy: SealedPolicy, _ found: FoundPolicy) -> String {
        let names = zip(PolicyFiles.copyNames, found.copies).filter { $0.1 != .sound(policy) }.map(\.0)
        let count = PolicyCount(policy)
        if found.count != .sound(count) { uncounted = policy }
        do throws(DiskFault) {
            if !names.isEmpty { try files.write(policy) }
            try writeCount()
        } catch {
            // The copy that is sound holds.
        }
        return (names + (found.count == .sound(count) ? [] : [PolicyFiles.countName])).joined(separator: ", ")
    }

    private mutating func writeCount() throws(DiskFault) {
        guard let policy = uncounted else { return }
        try files.write(PolicyCount(policy))
        (kept, uncounted) = (policy, nil)
    }

    /// Makes the change; it is on the disk when this returns. If it throws, what holds is what held before.
    mutating func make(_ change: PolicyChange) throws(DiskFault) {
        guard var next = document else { throw .damaged }
        // A change that failed behind its copies has used up a generation.
        try writeCount()
        do throws(PolicyError) { try next.apply(change) } catch { throw error == .limit ? .full : .other }
        let policy = try files.sealed(next)
        do throws(DiskFault) { try files.write(policy) } catch {
            if let kept { try? files.write(kept) }
            throw error
        }
        uncounted = policy
        do throws(DiskFault) { try writeCount() } catch {
            // The next one goes on behind it.
            document?.generation = next.generation
            throw error
        }
        document = next
    }
}
