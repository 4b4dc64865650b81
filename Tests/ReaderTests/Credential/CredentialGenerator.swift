// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Credentials as octets, readers and times, the same for the same seed: most of them sound, near the limits of their
/// times, and some broken in one place.
struct CredentialGenerator {
    private var random: SplitMix64
    private var now: [Int] = []

    private static let names = ["CRED000001", "CRED000002", "EVIL", "A"]
    private static let carried = ["EVIL", "CRED000001", "X1", "X2", "X3"]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The next case to decide.
    mutating func next() -> SecondDecision {
        now = time()
        let site = site()
        let isIntervention = chance(8)
        let isAnnounced = chance(50)
        var given = SecondDecision(
            site: site, info: info(isIntervention ? 1 : chance(3) ? one([2, 0x80, 0x81, 0xFF]) : 0),
            data: data(isIntervention: isIntervention, isAnnounced: isAnnounced), blacklist: blacklist(),
            extensions: extensions(isAnnounced: isAnnounced), now: chance(2) ? nil : now)
        if isIntervention, chance(25) { (given.data, given.extensions) = ([], one([[], [0, 2], [9]])) }
        return given
    }

    // MARK: Chance

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    /// Around a new year and a leap day, most often near a limit of the day.
    private mutating func time() -> [Int] {
        let date = one([
            [2026, 12, 30], [2026, 12, 31], [2027, 1, 1], [2027, 1, 2], [2027, 2, 28], [2027, 3, 1], [2028, 2, 28],
            [2028, 2, 29], [2028, 3, 1],
            [2026, 5, 6],
        ])
        let minute =
            chance(50)
            ? one([0, 1, 359, 360, 361, 720, 1199, 1200, 1438, 1439]) : Int.random(in: 0..<1440, using: &random)
        return date + [minute / 60, minute % 60, one([0, 0, 0, 1, 30, 59])]
    }

    // MARK: The reader

    private mutating func site() -> SecondDecision.Site {
        var site = SecondDecision.Site()
        site.takesMasterGroup = chance(75)
        site.takesInterventionMedia = chance(80)
        site.isHeldOpen = chance(40)
        site.groups = [SecondDecision.Group(id: 12, schedules: [])]
        if chance(70) {
            let schedules = (0..<one([1, 1, 2, 4])).map { _ in groupSchedule() }
            site.groups.append(SecondDecision.Group(id: 13, schedules: schedules))
        }
        if chance(60) { site.blacklist = chance(50) ? ["EVIL"] : ["EVIL", "CRED000002"] }
        if chance(10) { site.blacklistCapacity = site.blacklist.count + one([0, 1]) }
        return site
    }

    private mutating func groupSchedule() -> (first: Int, last: Int, weekdays: Int, from: Int, to: Int) {
        let days = one([(1, 366), (1, 366), (360, 5), (60, 60), (61, 61), (366, 366), (1, 365), (2, 59)])
        let (from, to) = period()
        return (days.0, days.1, weekdays(), from, to)
    }

    // MARK: Files

    private mutating func info(_ type: UInt8) -> [UInt8] {
        let name = chance(80) ? "CRED000001" : one(CredentialGenerator.names)
        let major: UInt8 = chance(2) ? 2 : one([0, 1])
        let room: UInt8 = one([16, 16, 16, 1])
        var file: [UInt8] = [major, 1, type]
        file += octets(of: name)
        file += [0, room]
        switch Int.random(in: 0..<100, using: &random) {
        case 0: file.removeLast(one([1, 2, 3, 14, 15]))
        case 1: file.append(0)
        case 2: file += [UInt8](repeating: 0, count: 16) + [1]
        case 3...8: file += [UInt8](repeating: 0, count: 17)
        case 9: file[one([3, 5, 12])] = one([0, 0x80])
        default: break
        }
        return file
    }

    private func octets(of name: String) -> [UInt8] {
        [UInt8](repeating: 0, count: 10 - name.utf8.count) + Array(name.utf8)
    }

    private mutating func data(isIntervention: Bool, isAnnounced: Bool) -> [UInt8] {
        let (schedules, days, periods) = (one([0, 1, 1, 2]), one([1, 2, 2, 4]), one([1, 2, 4]))
        let entries = (0..<one([0, 1, 1, 1, 2, 2, 3, 4])).map { _ in entry(schedules) }
        var file = end(isIntervention)
        // The site: 1, and sometimes 2, 256 or 0.
        file += chance(6) ? one([[0, 2], [1, 0], [0, 0]]) : [0, 1]
        file += [0, UInt8(schedules << 4 | (days - 1) << 2 | (periods - 1)), UInt8(entries.count)]
        file += [isAnnounced ? 1 : 0, 0, 0, 0, 0]
        file += entries.joined()
        for _ in 0..<schedules * days {
            file.append(UInt8(weekdays()))
            for _ in 0..<periods { file += periodOctets() }
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0: file.removeLast(min(file.count, one([1, 3, 20])))
        case 1: file.append(7)
        case 2...4: file += [0, 0, 0]
        default: break
        }
        return file
    }

    private mutating func end(_ mayBeMissing: Bool) -> [UInt8] {
        switch Int.random(in: 0..<100, using: &random) {
        case 0...2: return [0x20, 0x30, 0x13, 0x01, 0x00, 0x00]
        case 3...4 where !mayBeMissing, 3...30 where mayBeMissing: return [0, 0, 0, 0, 0, 0]
        case 5...14: return near(-1)
        case 15...34: return near(0)
        case 35...44: return near(1)
        default: return [0x20, 0x31, 0x12, 0x31, 0x23, 0x59]
        }
    }

    /// The time in some minutes, of the same day.
    private func near(_ minutes: Int) -> [UInt8] {
        let minute = min(1439, max(0, now[3] * 60 + now[4] + minutes))
        return SecondDecision.octets(of: [now[0], now[1], now[2], minute / 60, minute % 60])
    }

    private func decimal(_ number: Int) -> UInt8 { UInt8(number / 10 * 16 + number % 10) }

    private mutating func entry(_ schedules: Int) -> [UInt8] {
        let (id, isDoor): (UInt8, Bool) = one([
            (7, true), (7, true), (7, true), (8, true), (0, true), (0, false), (0, false), (12, false), (12, false),
            (13, false), (13, false), (14, false), (7, false), (12, true),
        ])
        let schedule = chance(1) ? schedules + 1 : Int.random(in: 0...schedules, using: &random)
        let flags = one([0, 0, 0, 1, 2, 4, 6] as [UInt8])
        let last = UInt8(schedule << 4) | (isDoor ? 8 : 0) | flags
        return [chance(3) ? 1 : 0, id, last]
    }

    private mutating func weekdays() -> Int {
        chance(60) ? 0x7F : one([0, 1 << 3, 1 << 4, 1 << 1, Int.random(in: 0..<128, using: &random)])
    }

    /// In minutes of the day, as the layout allows it: no minute is 59.
    private mutating func period() -> (Int, Int) {
        let minute = now[3] * 60 + now[4]
        func sound(_ minute: Int) -> Int { minute % 60 == 59 ? minute - 1 : minute }
        let choice = one([
            (0, 1440), (1200, 1440), (1200, 1440), (0, 360), (0, 360), (0, 720),
            (sound(max(0, minute - 30)), sound(min(1438, minute + 45))),
            (sound(minute), sound(min(1438, minute + 10))), (sound(max(0, minute - 60)), sound(minute)),
            (sound(max(0, minute - 60)), sound(max(0, minute - 1))),
        ])
        return choice.1 > choice.0 && choice.1 >= 60 ? choice : (480, 1020)
    }

    private mutating func periodOctets() -> [UInt8] {
        if chance(15) { return [0, 0, 0, 0] }
        if chance(1) { return one([[0x08, 0x00, 0x17, 0x59], [0x17, 0x00, 0x08, 0x00], [0x0A, 0, 0x17, 0]]) }
        let (from, to) = period()
        return [from / 60, from % 60, to / 60, to % 60].map(decimal)
    }

    private mutating func blacklist() -> [UInt8] {
        if chance(20) { return one([[], [0], [0, 0, 0]]) }
        var names = CredentialGenerator.carried.shuffled(using: &random)
        names.removeLast(one([2, 3, 4]))
        var file = [UInt8(names.count)]
        for name in names {
            file += octets(of: name)
            file += one([[0, 0, 0, 0, 0, 0], [0x20, 0x90, 1, 1, 0, 2]])
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0...1: file.removeLast(one([1, 2, 16]))
        case 2: file += [0, 2]
        case 3...4: file += [0, 0]
        case 5: file[1] = 0xFF
        case 6: file[file.count - 4] = 0x13
        default: break
        }
        return file
    }

    private mutating func extensions(isAnnounced: Bool) -> [UInt8] {
        guard isAnnounced else {
            return chance(92) ? one([[], [0, 2]]) : one([[0], [0, 2, 0], [0, 3], [2], [0, 10, 1, 6] + near(-1)])
        }
        let starts: [[UInt8]] = [
            near(-1), near(0), near(0), near(1), [0x20, 0x20, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0],
        ]
        let start = one(starts)
        let file: [UInt8] = [0, 10, 1, 6] + start
        let zeros = [UInt8](repeating: 0, count: 19)
        let broken: [[UInt8]] = [
            [], [0], [0, 1], [0, 0], Array(file.dropLast()), file + [1], [2, 51], [0x20, 10], [0, 4, 5, 1], [0, 3, 5],
            [0, 9, 1, 5, 0x20, 0x20, 1, 1, 0], [0, 10, 1, 6, 0x20, 0x26, 0x13, 1, 0, 0], [0, 3, 0x80], [0, 4, 5, 65],
            [0, 5, 0x82, 1, 0], [0, 20] + zeros, [0, 4, 0, 0], [0, 5, 0x81, 0, 0], [0, 4, 5, 0x80], [0, 4, 5],
            [0, 20] + [UInt8](repeating: 5, count: 1) + zeros, [0, 6, 5, 0, 0x83, 0], [0, 4, 1, 0],
            [0, 20] + [5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0],
        ]
        if chance(12) { return one(broken) }
        let twice: [UInt8] = [0, 18, 1, 6] + start + [1, 6] + near(-2)
        let long: [UInt8] = [0, 15, 0x81, 1, 0x82, 0, 6] + start + [5, 0]
        return one([file, file, file + [0, 0], [0, 2], [0, 4, 5, 0], twice, long])
    }
}
