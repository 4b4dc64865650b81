import AccessProtocol
import Timekeeping

/// Who is refused: the blacklist in memory and the stored one. Changes take effect at once, and are taken back if they
/// could not be kept, so that a restart changes nothing.
struct ReaderPolicy {
    /// The credentials that are refused.
    var blacklist: Blacklist
    /// The list without the changes that wait to be kept; nil while none does.
    private(set) var kept: Blacklist?
    /// Until the policy is known, nothing is decided.
    var isUnknown = false

    init(capacity: Int) { blacklist = Blacklist(capacity: capacity) }

    /// A change of `former` waits to be kept.
    mutating func beginChange(of former: Blacklist) { kept = kept ?? former }

    /// These are in the list whatever becomes of the changes that wait.
    mutating func add(_ entries: [Blacklist.Entry]) { kept?.putBack(entries) }

    /// A change was kept, or has not happened: then the list is as it was kept, with the changes that still wait.
    mutating func settle(_ step: BlacklistStep, isKept: Bool, waiting: [BlacklistStep]) {
        guard var kept else { return }
        if isKept { kept.apply(step) }
        self.kept = waiting.isEmpty ? nil : kept
        guard !isKept else { return }
        for step in waiting { kept.apply(step) }
        blacklist = kept
    }

    /// Puts in what was kept; from now on credentials are looked at. Entries whose time is over at `clock` are left out,
    /// and those for which there is no room: how many.
    mutating func restore(_ rows: [BlacklistRow], clock: CivilTime?) -> Int {
        isUnknown = false
        return rows.count { row in
            Blacklist.Entry(row).map { blacklist.insert($0, at: clock) == .full } ?? false
        }
    }
}

/// A change of the blacklist that a phone waits for.
enum BlacklistStep: Equatable {
    /// These are in the list.
    case put([Blacklist.Entry])
    /// Nothing is.
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
