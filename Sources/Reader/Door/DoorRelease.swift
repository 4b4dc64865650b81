// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The causes that may release a door, kept apart so that the end of one does not end another.
struct DoorRelease: Equatable {
    /// A grant with its end.
    struct Grant: Equatable {
        var until: Instant
        var isExtended: Bool
    }

    var grant: Grant?
    /// Office mode by command is on.
    var isOffice = false
    /// The office schedule keeps the door unlocked now.
    var isScheduled = false
    /// The schedule waits for the first grant.
    var awaitsUser = false
    /// The end of the last exit request; nil while the input is active.
    var exitUntil: Instant?
    /// The exit input is active.
    var isExitActive = false
    var isFire = false
    /// An access panel holds the door unlocked.
    var isPanel = false
    var isLockdown = false

    /// The cause with the highest precedence; nil if the lock is secured. In a lockdown only an exit request and fire
    /// count.
    var cause: ReleaseCause? {
        if isFire { return .fire }
        if let hold { return hold }
        if !isLockdown, let grant { return grant.isExtended ? .extended : .pulse }
        if !isLockdown, isPanel { return .panel }
        return isExitActive || exitUntil != nil ? .exit : nil
    }

    /// The office mode or schedule that keeps the door unlocked, even if another cause takes precedence; nil if neither
    /// does.
    var hold: ReleaseCause? {
        guard !isLockdown else { return nil }
        return isOffice ? .office : isScheduled && !awaitsUser ? .schedule : nil
    }

    /// True if the door may stand open for as long as the cause lasts.
    var mayStandOpen: Bool {
        switch cause {
        case .fire, .office, .schedule, .extended, .panel: true
        case .pulse, .exit, nil: false
        }
    }

    /// True if the end of office mode would end a cause.
    func hasOpeningToEnd(at now: Instant) -> Bool {
        isOffice || isScheduled && !awaitsUser || grant.map { now < $0.until } ?? false
    }

    /// Removes the causes that have ended at `now`.
    mutating func expire(at now: Instant) {
        if let end = grant?.until, now >= end { grant = nil }
        if let end = exitUntil, now >= end { exitUntil = nil }
    }

    /// The earliest end of a grant or exit request.
    var deadline: Instant? {
        guard let end = grant?.until else { return exitUntil }
        return exitUntil.map { min($0, end) } ?? end
    }
}
