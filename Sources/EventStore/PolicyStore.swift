// SPDX-License-Identifier: Apache-2.0

import Reader

/// The policy, for its only writer.
///
/// A change is acknowledged after it is in both copies and witnessed. A failed change is not in force here, but the
/// next start may find it, if the disk accepted neither the rest of it nor the previous policy.
struct PolicyStore {
    /// The result of loading.
    enum State: Equatable {
        /// The policy in force, and the names of files that had to be repaired.
        case known(PolicyDocument, mended: String?)
        /// The policy is unknown.
        case refused(PolicyRefusal)
    }

    private let files: PolicyFiles
    /// The policy in force; nil if unknown.
    private(set) var document: PolicyDocument?
    /// The last witnessed policy. It is on the disk, also if a later change failed after its copies were written.
    private var kept: SealedPolicy?
    /// A policy whose witness has to be written before any other change: a copy on the disk is one generation ahead of
    /// the witness, the maximum.
    private var uncounted: SealedPolicy?

    init(_ files: PolicyFiles) { self.files = files }

    /// Reads the policy and repairs its files; a first start creates one. `logged` is the newest generation stated by
    /// the event log. A policy that is already loaded is only compared with it.
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

    /// Creates the first policy.
    private mutating func begin() throws(DiskFault) -> PolicyDocument {
        let policy = try files.sealed(PolicyDocument(generation: 1))
        try files.write(policy)
        try files.write(PolicyCount(policy))
        try files.endFirstStart()
        (document, kept) = (policy.document, policy)
        return policy.document
    }

    /// Rewrites the files that differ from the policy, and returns their names. After a failure the next change tries
    /// again.
    private mutating func mend(_ policy: SealedPolicy, _ found: FoundPolicy) -> String {
        let names = zip(PolicyFiles.copyNames, found.copies).filter { $0.1 != .sound(policy) }.map(\.0)
        let count = PolicyCount(policy)
        if found.count != .sound(count) { uncounted = policy }
        do throws(DiskFault) {
            if !names.isEmpty { try files.write(policy) }
            try writeCount()
        } catch {
            // The sound copy is in force.
        }
        return (names + (found.count == .sound(count) ? [] : [PolicyFiles.countName])).joined(separator: ", ")
    }

    private mutating func writeCount() throws(DiskFault) {
        guard let policy = uncounted else { return }
        try files.write(PolicyCount(policy))
        (kept, uncounted) = (policy, nil)
    }

    /// Makes the change; on return it is on the disk. On an error the previous policy remains in force.
    mutating func make(_ change: PolicyChange) throws(DiskFault) {
        guard var next = document else { throw .damaged }
        // A change that failed after its copies were written has used up a generation.
        try writeCount()
        do throws(PolicyError) { try next.apply(change) } catch { throw error == .limit ? .full : .other }
        let policy = try files.sealed(next)
        do throws(DiskFault) { try files.write(policy) } catch {
            if let kept { try? files.write(kept) }
            throw error
        }
        uncounted = policy
        do throws(DiskFault) { try writeCount() } catch {
            // The next change continues after that generation.
            document?.generation = next.generation
            throw error
        }
        document = next
    }
}
