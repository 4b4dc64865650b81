// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The decision about a Standard Offline credential a second time, from the published facts (access protocol, 7 and
/// 7.1, and what docs/protocol/access-profile.md says where these leave it open). It reads plain octets and has a
/// calendar of its own, so that it shares no fault with what it is compared with.
struct SecondDecision {
    /// Year, month, day, hour, minute, second.
    typealias Time = [Int]

    /// A reader's group: when it counts, in the group's own schedules. None is always.
    struct Group {
        var id: Int
        /// Days of the year from first to last, over the new year if the last comes before, every year numbered 1 to
        /// 366; minutes of the day.
        var schedules: [(first: Int, last: Int, weekdays: Int, from: Int, to: Int)]
    }

    /// The configuration of the reader.
    struct Site {
        var site = 1
        var door = 7
        var groups: [Group] = []
        var takesMasterGroup = true
        var takesInterventionMedia = true
        var isHeldOpen = false
        var blacklist: Set<String> = []
        var blacklistCapacity = 64
    }

    /// The expected outcome.
    struct Verdict: Equatable {
        var status = 0
        var isGranted = false
        var type = 1
        var isMismatch = false
        var events: [String] = []
        /// Year to minute.
        var end: [Int]?
        /// The credentials that are refused from then on.
        var added: [String] = []
    }

    private struct Fault: Error { var status: Int }

    var site: Site
    var info: [UInt8]
    var data: [UInt8]
    var blacklist: [UInt8]
    var extensions: [UInt8]
    /// Nil while the clock is not set.
    var now: Time?

    /// The decision, and what follows from it.
    func verdict() -> Verdict {
        do {
            let name = try name()
            var verdict = try decide(name)
            takeOver(&verdict)
            return verdict
        } catch {
            let status = (error as? Fault)?.status ?? 0
            return Verdict(status: status, events: ["15/\(status)"])
        }
    }

    /// True if its first entry is the master group's, always.
    var opensAsMaster: Bool { data.count >= 19 && data[16..<19].elementsEqual([0, 0, 0]) && site.takesMasterGroup }

    /// The minute of a time, as a file has it.
    static func octets(of time: Time) -> [UInt8] {
        let pairs: [Int] = [time[0] / 100, time[0] % 100] + time[1...4]
        return pairs.map { UInt8($0 / 10 * 16 + $0 % 10) }
    }

    // MARK: Info file

    private func name() throws -> String {
        guard let major = info.first else { throw Fault(status: -6) }
        if major > 1 { throw Fault(status: -230) }
        guard info.count >= 13 else { throw Fault(status: -6) }
        let name = try name(info[3..<13])
        guard info.count >= 15 else { throw Fault(status: -6) }
        guard [15, 32].contains(info.count), info[15...].allSatisfy({ $0 == 0 }) else { throw Fault(status: -32) }
        return name
    }

    private func name(_ octets: ArraySlice<UInt8>) throws -> String {
        let characters = octets.drop { $0 == 0 }
        guard !characters.isEmpty, !characters.contains(0), characters.allSatisfy({ $0 < 128 }) else {
            throw Fault(status: -200)
        }
        return String(decoding: characters, as: UTF8.self)
    }

    // MARK: Steps 2 to 8

    private func decide(_ name: String) throws -> Verdict {
        let type = info[2]
        guard type == 0 || type == 1 && site.takesInterventionMedia else { throw Fault(status: -231) }
        if type == 1, site.blacklist.contains(name) { return Verdict(type: 8, events: ["8/0"]) }
        guard let now else { return Verdict(type: 6) }
        if type == 1 { return try decideIntervention(now) }
        try checkHeader()
        if number(data, 6) != site.site { return Verdict(type: 6, events: ["11/128"]) }
        if site.blacklist.contains(name) { return Verdict(type: 8, events: ["8/0", "11/130"]) }
        let mayUse = try isWithinStart(now, announced: data[11] & 1 == 1)
        if !mayUse || isUnset(data[..<6]) || isOver(now) { return Verdict(type: 7, events: ["11/131"]) }
        try checkBody()
        return doors(now)
    }

    private func decideIntervention(_ now: Time) throws -> Verdict {
        let granted = Verdict(isGranted: true, events: ["10/2"])
        let denied = Verdict(type: 7, events: ["11/131"])
        if data.isEmpty { return try isWithinStart(now, announced: false) ? granted : denied }
        try checkHeader()
        try checkBody()
        if number(data, 6) != site.site { return Verdict(type: 6, events: ["11/128"]) }
        let mayUse = try isWithinStart(now, announced: data[11] & 1 == 1)
        return mayUse && (isUnset(data[..<6]) || !isOver(now)) ? granted : denied
    }

    private func number(_ octets: [UInt8], _ at: Int) -> Int { Int(octets[at]) * 256 + Int(octets[at + 1]) }

    private func isUnset(_ octets: ArraySlice<UInt8>) -> Bool { octets.allSatisfy { $0 == 0 } }

    /// Six octets as year, month, day, hour, minute; nil if they are none.
    private func minute(_ octets: ArraySlice<UInt8>) -> [Int]? {
        var digits: [Int] = []
        for octet in octets {
            guard octet >> 4 < 10, octet & 15 < 10 else { return nil }
            digits.append(Int(octet >> 4) * 10 + Int(octet & 15))
        }
        if isUnset(octets) { return [0, 0, 0, 0, 0] }
        guard (1...12).contains(digits[2]), digits[4] < 24, digits[5] < 60 else { return nil }
        return [digits[0] * 100 + digits[1]] + digits[2...]
    }

    private func isOver(_ now: Time) -> Bool {
        guard let end = minute(data[..<6]) else { return true }
        return (end + [0]).lexicographicallyPrecedes(now)
    }

    // MARK: Step 7, the extension file

    private func isWithinStart(_ now: Time, announced: Bool) throws -> Bool {
        if let count = blacklist.first.map({ 1 + 16 * Int($0) }) {
            if blacklist.count < count { throw Fault(status: -6) }
            if blacklist[count...].contains(where: { $0 != 0 }) { throw Fault(status: -32) }
        }
        guard announced else { return extensions == [] || extensions == [0, 2] }
        guard extensions.count >= 2 else { throw Fault(status: -6) }
        let size = number(extensions, 0)
        if size > 2 + 8 * 70 { throw Fault(status: -243) }
        if size < 2 { throw Fault(status: -244) }
        if size > extensions.count { throw Fault(status: -6) }
        if extensions[size...].contains(where: { $0 != 0 }) { throw Fault(status: -244) }
        return try starts(extensions[2..<size]).allSatisfy { start in
            start.map { !now.lexicographicallyPrecedes($0 + [0]) } ?? false
        }
    }

    /// All starts of validity; nil for one that cannot be read.
    private func starts(_ octets: ArraySlice<UInt8>) throws -> [[Int]?] {
        var (rest, starts, features) = (octets, [[Int]?](), 0)
        while !rest.isEmpty {
            features += 1
            if features > 8 { throw Fault(status: -245) }
            let tag = try shortNumber(&rest, invalid: -248)
            if tag == 0 { throw Fault(status: -248) }
            let length = try shortNumber(&rest, invalid: -247)
            if length > 64 { throw Fault(status: -246) }
            if length > rest.count { throw Fault(status: -7) }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            if tag == 1 { starts.append(length == 6 ? minute(value) : nil) }
        }
        return starts
    }

    private func shortNumber(_ rest: inout ArraySlice<UInt8>, invalid: Int) throws -> Int {
        guard let first = rest.popFirst() else { throw Fault(status: -7) }
        if first < 0x80 { return Int(first) }
        guard first == 0x81 || first == 0x82 else { throw Fault(status: invalid) }
        guard rest.count >= Int(first & 3) else { throw Fault(status: -7) }
        var number = 0
        for _ in 0..<Int(first & 3) { number = number * 256 + Int(rest.removeFirst()) }
        return number
    }

    // MARK: The data file as a whole

    private func checkHeader() throws {
        guard data.count >= 6 else { throw Fault(status: -6) }
        guard minute(data[..<6]) != nil else { throw Fault(status: -233) }
        guard data.count >= 16 else { throw Fault(status: -6) }
        guard number(data, 6) != 0 else { throw Fault(status: -235) }
    }

    private var scheduleCount: Int { Int(data[9]) / 16 }
    private var dayCount: Int { Int(data[9]) / 4 % 4 + 1 }
    private var periodCount: Int { Int(data[9]) % 4 + 1 }
    private var doorCount: Int { Int(data[10]) }
    private func day(_ schedule: Int, _ day: Int) -> Int {
        16 + 3 * doorCount + (schedule * dayCount + day) * (1 + 4 * periodCount)
    }

    private func checkBody() throws {
        let count = day(scheduleCount, 0)
        guard data.count >= count else { throw Fault(status: -6) }
        for index in 0..<doorCount where Int(data[18 + 3 * index]) / 16 > scheduleCount { throw Fault(status: -237) }
        for schedule in 0..<scheduleCount {
            for number in 0..<dayCount where periods(day(schedule, number)) == nil { throw Fault(status: -234) }
        }
        if data[count...].contains(where: { $0 != 0 }) { throw Fault(status: -32) }
    }

    private struct Entry {
        var id: Int
        var isDoor: Bool
        var schedule: Int
        var rank: Int
    }

    private var entries: [Entry] {
        var entries: [Entry] = []
        for index in 0..<doorCount {
            let at = 16 + 3 * index
            let flags = Int(data[at + 2])
            let rank = flags & 4 != 0 ? 4 : flags & 2 != 0 ? 2 : 1
            let entry = Entry(id: number(data, at), isDoor: flags & 8 != 0, schedule: flags / 16, rank: rank)
            if entry.id == 0, entry.isDoor { break }
            entries.append(entry)
        }
        return entries
    }

    /// The periods of the day at this octet, in minutes; nil if one is none.
    private func periods(_ at: Int) -> [(from: Int, to: Int)]? {
        var found: [(from: Int, to: Int)] = []
        for index in 0..<periodCount {
            let octets = data[(at + 1 + 4 * index)..<(at + 5 + 4 * index)]
            if isUnset(octets) { break }
            guard octets.allSatisfy({ $0 >> 4 < 10 && $0 & 15 < 10 }) else { return nil }
            let digits = octets.map { Int($0 >> 4) * 10 + Int($0 & 15) }
            guard digits[0] < 24, (1...24).contains(digits[2]), digits[1] < 59, digits[3] < 59 else { return nil }
            let (from, to) = (digits[0] * 60 + digits[1], digits[2] * 60 + digits[3])
            guard to <= 1440, from < to else { return nil }
            found.append((from, to))
        }
        return found
    }

    // MARK: Step 8

    private func doors(_ now: Time) -> Verdict {
        var (isNamed, rank, ends) = (false, 0, [Int]())
        for entry in entries {
            guard let isOpen = isOpen(entry, now) else { continue }
            isNamed = true
            guard isOpen else { continue }
            if entry.schedule > 0 {
                guard let end = scheduleEnd(entry.schedule, now) else { continue }
                ends.append(end)
            }
            rank = max(rank, entry.rank)
        }
        guard isNamed else { return Verdict(events: ["11/128"]) }
        guard rank > 0 else { return Verdict(isMismatch: true, events: ["11/132"]) }
        let event = rank == 4 ? site.isHeldOpen ? "10/5" : "10/4" : rank == 2 ? "10/3" : "10/2"
        return Verdict(
            isGranted: true, type: rank, events: [event], end: ends.max().map { Calendar.minute($0, after: now) })
    }

    /// Nil if the entry is not for this door; else whether its group counts now.
    private func isOpen(_ entry: Entry, _ now: Time) -> Bool? {
        if entry.isDoor { return entry.id == site.door ? true : nil }
        if entry.id == 0 { return site.takesMasterGroup ? true : nil }
        guard let group = site.groups.first(where: { $0.id == entry.id }) else { return nil }
        if group.schedules.isEmpty { return true }
        let (minute, weekday, day) = (now[3] * 60 + now[4], Calendar.weekday(now), Calendar.scheduleDay(now))
        return group.schedules.contains { schedule in
            let isFrom = schedule.first <= day
            let isUntil = day <= schedule.last
            return (schedule.first <= schedule.last ? isFrom && isUntil : isFrom || isUntil)
                && schedule.weekdays >> weekday & 1 == 1 && (schedule.from...schedule.to).contains(minute)
        }
    }

    /// The end of the schedule, in minutes from today's midnight; nil if it does not count now. An entry that ends at
    /// 24:00 goes on with one that begins at 00:00, for a week at most.
    private func scheduleEnd(_ number: Int, _ now: Time) -> Int? {
        let (minute, weekday) = (now[3] * 60 + now[4], Calendar.weekday(now))
        func latest(_ weekday: Int, _ counts: (Int, Int) -> Bool) -> Int? {
            var ends: [Int] = []
            for index in 0..<dayCount {
                let at = day(number - 1, index)
                guard data[at] >> UInt8(weekday) & 1 == 1 else { continue }
                ends += (periods(at) ?? []).filter { counts($0.from, $0.to) }.map(\.to)
            }
            return ends.max()
        }
        guard var end = latest(weekday, { $0 <= minute && minute <= $1 }) else { return nil }
        for day in 1...7 where end == day * 1440 {
            guard let later = latest((weekday + day) % 7, { from, _ in from == 0 }) else { break }
            end = day * 1440 + later
        }
        return end
    }

    // MARK: Step 9

    private func takeOver(_ verdict: inout Verdict) {
        let count = Int(blacklist.first ?? 0)
        guard count <= Int(info[14]), blacklist.count >= 1 + 16 * count || blacklist.isEmpty else { return }
        var names: [String] = []
        for index in 0..<count {
            let at = 1 + 16 * index
            guard let name = try? name(blacklist[at..<at + 10]), minute(blacklist[(at + 10)..<(at + 16)]) != nil else {
                return
            }
            names.append(name)
        }
        if blacklist.dropFirst(1 + 16 * count).contains(where: { $0 != 0 }) { return }
        var listed = site.blacklist
        var isFull = false
        for name in names where !listed.contains(name) {
            if listed.count >= site.blacklistCapacity {
                isFull = true
            } else {
                listed.insert(name)
                verdict.added.append(name)
            }
        }
        if isFull { verdict.events.append("9/0") }
    }
}

/// Days by counting them.
private enum Calendar {
    static func length(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    static func dayOfYear(_ time: [Int]) -> Int { (1..<time[1]).reduce(time[2]) { $0 + length($1, time[0]) } }

    /// Its number in a leap year.
    static func scheduleDay(_ time: [Int]) -> Int { dayOfYear([2000] + time[1...]) }

    /// 0 Monday. 2024-01-01 was one.
    static func weekday(_ time: [Int]) -> Int {
        let years = (2024..<time[0]).reduce(0) { $0 + (length(2, $1) == 29 ? 366 : 365) }
        return (years + dayOfYear(time) - 1) % 7
    }

    static func minute(_ minutes: Int, after time: [Int]) -> [Int] {
        var (year, month, day) = (time[0], time[1], time[2])
        for _ in 0..<minutes / 1440 {
            day += 1
            if day > length(month, year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        return [year, month, day, minutes % 1440 / 60, minutes % 60]
    }
}
