// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Timekeeping

/// The blacklist in memory and as stored. Changes take effect at once, and are reverted if they could not be kept, so
/// that a restart changes nothing.
struct ReaderPolicy {
    /// The refused credentials.
    var blacklist: Blacklist
    /// The list without the pending changes; nil if there are none.
    private(set) var kept: Blacklist?
    /// True until the policy is known; nothing is decided before.
    var isUnknown = false

    init(capacity: Int) { blacklist = Blacklist(capacity: capacity) }

    /// Begins a change of `former` that is to be kept.
    mutating func beginChange(of former: Blacklist) { kept = kept ?? former }

    /// Adds entries that remain regardless of the result of pending changes.
    mutating func add(_ entries: [Blacklist.Entry]) { kept?.putBack(entries) }

    /// Ends a change. If it was not kept, the list becomes the kept one with the changes that are still pending.
    mutating func end(_ step: BlacklistStep, isKept: Bool, waiting: [BlacklistStep]) {
        guard var kept else { return }
        if isKept { kept.apply(step) }
        self.kept = waiting.isEmpty ? nil : kept
        guard !isKept else { return }
        for step in waiting { kept.apply(step) }
        blacklist = kept
    }

    /// Restores the stored entries, after which credentials are decided. Entries that have ended at `clock` are
    /// skipped.
    ///
    /// - Returns: The number of entries that did not fit.
    mutating func restore(_ rows: [BlacklistRow], clock: CivilTime?) -> Int {
        isUnknown = false
        return rows.count { row in
            Blacklist.Entry(row).map { blacklist.insert($0, at: clock) == .full } ?? false
        }
    }
}

/// A pending change of the blacklist by a command.
enum BlacklistStep: Equatable {
    /// Adds these entries.
    case put([Blacklist.Entry])
    /// Removes all entries.
    case clear
}

extension Blacklist {
    fileprivate mutating func apply(_ step: BlacklistStep) {
        switch step {
        case .put(let entries): putBack(entries)
        case .clear: removeAll()
        }
    }
}
