// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Timekeeping

/// The blacklist in memory and as stored. Changes take effect at once, and are reverted if they could not be kept, so
/// that a restart changes nothing.
struct ReaderPolicy {
    /// The refused credentials.
    var blacklist: Blacklist
    /// The list without the pending changes; nil if no change is pending.
    private(set) var kept: Blacklist?
    /// The entries that were added since the pending changes began, and remain regardless of their results.
    private var added: [Blacklist.Entry] = []
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
        added += entries
    }

    /// Ends a change. If it was not stored, the list becomes the stored list with the changes that are still pending.
    mutating func end(_ step: BlacklistStep, isKept: Bool, waiting: [BlacklistStep]) {
        guard var kept else { return }
        if isKept {
            kept.apply(step)
            // A list that was emptied or replaced has lost them; the store gets them after it.
            kept.putBack(added)
        }
        self.kept = waiting.isEmpty ? nil : kept
        defer { if waiting.isEmpty { added = [] } }
        guard !isKept else { return }
        for step in waiting { kept.apply(step) }
        kept.putBack(added)
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
}

extension Blacklist {
    fileprivate mutating func apply(_ step: BlacklistStep) {
        switch step {
        case .replace(let entries):
            removeAll()
            putBack(entries)
        case .put(let entries): putBack(entries)
        case .clear: removeAll()
        }
    }
}
