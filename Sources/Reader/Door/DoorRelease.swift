import Timekeeping

/// All that may let people through a door, apart from one another, so that the end of one does not end another.
struct DoorRelease: Equatable {
    /// A grant and its end.
    struct Grant: Equatable {
        var until: Instant
        var isExtended: Bool
    }

    var grant: Grant?
    /// Office mode by command.
    var isOffice = false
    /// The schedule says that the door is open now.
    var isScheduled = false
    /// The schedule waits for the first grant.
    var awaitsUser = false
    /// The end of the last request to exit, while the input is not active.
    var exitUntil: Instant?
    /// The exit input is active.
    var isExitActive = false
    var isFire = false
    var isLockdown = false

    /// The strongest reason why people may pass; nil if there is none. In a lockdown only an exit and fire count.
    var cause: ReleaseCause? {
        if isFire { return .fire }
        if let hold { return hold }
        if !isLockdown, let grant { return grant.isExtended ? .extended : .pulse }
        return isExitActive || exitUntil != nil ? .exit : nil
    }

    /// What holds the door open, whatever else lets people through meanwhile: office mode, the schedule, or nothing.
    var hold: ReleaseCause? {
        guard !isLockdown else { return nil }
        return isOffice ? .office : isScheduled && !awaitsUser ? .schedule : nil
    }

    /// Whether the door may stand open for as long as this lasts.
    var mayStandOpen: Bool {
        switch cause {
        case .fire, .office, .schedule, .extended: true
        case .pulse, .exit, nil: false
        }
    }

    /// Drops what has ended at `now`.
    mutating func expire(at now: Instant) {
        if let end = grant?.until, now >= end { grant = nil }
        if let end = exitUntil, now >= end { exitUntil = nil }
    }

    /// When something ends by itself.
    var deadline: Instant? {
        guard let end = grant?.until else { return exitUntil }
        return exitUntil.map { min($0, end) } ?? end
    }
}
