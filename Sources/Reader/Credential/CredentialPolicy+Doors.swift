// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
internal import Timekeeping

/// The credential's entries that match this door and time (access protocol, 7.1, step 8).
extension CredentialPolicy {
    /// The opening of an entry; of several matching entries the highest applies.
    enum Rank: UInt8, Comparable {
        case defaultTime = 1
        case extendedTime = 2
        case toggle = 4

        init(_ entry: OSSDoorEntry) {
            self = entry.toggles ? .toggle : entry.isExtended ? .extendedTime : .defaultTime
        }

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }

        func opening(_ door: DoorState) -> CredentialDecision.Release {
            switch self {
            case .defaultTime: .defaultTime
            case .extendedTime: .extendedTime
            case .toggle: .toggle(secures: door == .passage)
            }
        }
    }

    /// The combination of the entries for this door at this time.
    struct Match {
        /// The highest opening of the matching entries; nil if all are outside their schedules.
        var rank: Rank?
        /// The latest end among the schedules of the matching entries; nil if none of them has a schedule.
        var end: CivilTime?
    }

    /// Combines the entries for this door; nil if the file has none.
    ///
    /// A group's own schedules limit an entry, but their end is not reported, and an entry without a schedule does not
    /// hide the end of another's (access protocol, 7.1).
    func match(_ header: OSSDataFile, _ file: Span<UInt8>, at now: CivilTime) throws(StatusCode) -> Match? {
        try header.check(file)
        var found: Match?
        var index = 0
        while let entry = try header.door(index, file) {
            index += 1
            guard let isOpen = isOpen(entry, at: now) else { continue }
            let standing = try isOpen ? schedule(entry, header, file, at: now) : .outside
            var match = found ?? Match()
            if standing != .outside { match.rank = max(match.rank ?? .defaultTime, Rank(entry)) }
            if case .until(let end) = standing { match.end = max(match.end ?? end, end) }
            found = match
        }
        return found
    }

    /// The result of the reader's own schedules for an entry; nil for another door or group.
    private func isOpen(_ entry: OSSDoorEntry, at now: CivilTime) -> Bool? {
        if entry.isDoor { return entry.id == doorID ? true : nil }
        if entry.isMaster { return takesMasterGroup ? true : nil }
        return groups.first { $0.id == entry.id }?.isOpen(at: now, holidays)
    }

    /// The result of a schedule at a time.
    private enum ScheduleStanding: Equatable {
        /// There is no schedule.
        case always
        /// The schedule covers the time, through this end.
        case until(CivilTime)
        /// The schedule does not cover the time.
        case outside
    }

    /// The result of the entry's schedule. A period that ends at 24:00 continues in a period of the next weekday that
    /// begins at 00:00, for at most a week.
    private func schedule(
        _ entry: OSSDoorEntry, _ header: OSSDataFile, _ file: Span<UInt8>, at now: CivilTime
    ) throws(StatusCode) -> ScheduleStanding {
        let number = Int(entry.schedule)
        guard number != 0 else { return .always }
        let (today, minute) = (now.weekday, now.minuteOfDay)
        let first = try header.latestEnd(schedule: number, weekday: today, file) { $0.contains(minute) }
        guard var end = first else { return .outside }
        var days = 0
        while end == OSSTimePeriod.endOfDay, days < 7 {
            let next = (today + days + 1) % 7
            guard let later = try header.latestEnd(schedule: number, weekday: next, file, wanted: { $0.from == 0 })
            else { break }
            end = later
            days += 1
        }
        return .until(now.dayBeginning(plusMinutes: Int(end), days: days))
    }
}
