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

        func opening(_ door: DoorState) -> CredentialDecision.Opening {
            switch self {
            case .defaultTime: .defaultTime
            case .extendedTime: .extendedTime
            case .toggle: .toggle(secures: door == .passage)
            }
        }
    }

    /// Combines the entries for this door: nil if there are none; `outside` if none applies now.
    func match(
        _ header: OSSDataFile, _ file: Span<UInt8>, at now: CivilTime
    ) throws(StatusCode) -> (rank: Rank, standing: ScheduleStanding)? {
        try header.check(file)
        var found: (rank: Rank, standing: ScheduleStanding)?
        var index = 0
        while let entry = try header.door(index, file) {
            index += 1
            guard let place = standing(of: entry, at: now) else { continue }
            let standing = place.and(try schedule(entry, header, file, at: now))
            let best = found ?? (.defaultTime, .outside)
            if standing == .outside {
                found = best
            } else {
                found = (max(best.rank, Rank(entry)), best.standing.or(standing))
            }
        }
        return found
    }

    /// The result of the reader's own schedules for an entry; nil for another door or group.
    private func standing(of entry: OSSDoorEntry, at now: CivilTime) -> ScheduleStanding? {
        if entry.isDoor { return entry.id == doorID ? .always : nil }
        if entry.isMaster { return takesMasterGroup ? .always : nil }
        guard let group = groups.first(where: { $0.id == entry.id }) else { return nil }
        return group.standing(at: now)
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
