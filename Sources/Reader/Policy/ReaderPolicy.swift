// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Timekeeping

/// The blacklist in memory and as stored. Changes take effect at once, and are reverted if they could not be kept, so
/// that a restart changes nothing.
struct ReaderPolicy {
    /// The refused credentials.
    var blacklist: Blacklist {
        didSet { changes &+= 1 }
    }
    /// The number of writes to the list so far.
    private(set) var changes = 0
    /// The list without the pending changes; nil if no change is pending.
    private(set) var kept: Blacklist?
    /// The entries that were added since the pending changes began, and remain regardless of their results.
    private var added: [Addition] = []
    /// The number of additions so far.
    private var additionCount = 0

    private struct Addition {
        var entry: Blacklist.Entry
        var number: Int
    }

    /// True until the policy is known; nothing is decided before.
    var isUnknown = false
    /// True while the policy is being loaded: requests wait until it is.
    var isLoading = false

    init(capacity: Int) { blacklist = Blacklist(capacity: capacity) }

    /// Begins a change that must be stored. Keeps the list before the first pending change.
    mutating func beginChange(of former: Blacklist) { kept = kept ?? former }

    /// Adds entries that remain regardless of the result of pending changes.
    mutating func add(_ entries: [Blacklist.Entry]) {
        guard kept != nil else { return }
        kept?.putBack(entries)
        for entry in entries {
            additionCount += 1
            added.append(Addition(entry: entry, number: additionCount))
        }
    }

    /// Begins the removal of a credential, which the list in memory contains until the removal is kept.
    mutating func beginRemoval(of credential: OSSCredentialID) -> BlacklistStep {
        beginChange(of: blacklist)
        return .remove(credential, after: additionCount)
    }

    /// Ends a change. If it was not stored, the list becomes the stored list with the changes that are still pending.
    mutating func end(_ step: BlacklistStep, isKept: Bool, waiting: [BlacklistStep]) {
        guard var kept else { return }
        if isKept {
            if case .remove(let credential, let count) = step {
                added.removeAll { $0.entry.credentialID == credential && $0.number <= count }
            }
            kept.apply(step)
            // A list that was emptied or replaced has lost them; the store gets them after it.
            kept.putBack(added.map(\.entry))
        }
        self.kept = waiting.isEmpty ? nil : kept
        defer { if waiting.isEmpty { added = [] } }
        // Other changes are in memory already.
        guard !isKept || step.isRemoval else { return }
        for step in waiting where !step.isRemoval { kept.apply(step) }
        kept.putBack(added.map(\.entry))
        blacklist = kept
    }

    /// Restores the stored entries, after which credentials are decided. Entries that have ended at `clock` are
    /// skipped.
    ///
    /// - Returns: The number of entries that did not fit.
    mutating func restore(_ rows: [BlacklistRow], clock: CivilTime?) -> Int {
        (isUnknown, isLoading) = (false, false)
        return rows.count { row in
            Blacklist.Entry(row).map { blacklist.insert($0, at: clock) == .full } ?? false
        }
    }
}

/// A pending change of the blacklist.
enum BlacklistStep: Equatable {
    /// Adds these entries.
    case put([Blacklist.Entry])
    /// Removes all entries.
    case clear
    /// Replaces all entries with these.
    case replace([Blacklist.Entry])
    /// Removes the entry of a credential, and those of the first `after` additions.
    case remove(OSSCredentialID, after: Int)

    /// True for a removal, which takes effect once it is kept.
    var isRemoval: Bool { if case .remove = self { true } else { false } }
}

extension Blacklist {
    fileprivate mutating func apply(_ step: BlacklistStep) {
        switch step {
        case .replace(let entries):
            removeAll()
            putBack(entries)
        case .put(let entries): putBack(entries)
        case .clear: removeAll()
        case .remove(let credential, _): remove(entries(of: [credential]))
        }
    }
}
