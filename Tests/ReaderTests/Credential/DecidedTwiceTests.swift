// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Generated credentials are decided as a second implementation decides them (access protocol, 7.1)")
struct DecidedTwiceTests {
    private static let count = 20_000

    /// The least number of occurrences of each outcome, so that the generator cannot come to make one kind alone: by
    /// status, or by events and other distinctions.
    private static let least: [String: Int] = [
        "-6": 360, "-32": 280, "-200": 70, "-230": 200, "-231": 400, "-233": 250, "-234": 190, "-235": 180, "-237": 70,
        "-7": 100, "-243": 50, "-244": 90, "-245": 15, "-246": 15, "-247": 40, "-248": 60,
        "nothing": 150, "11/128": 2000, "8/0 11/130": 290, "11/131": 2000, "11/132": 500, "11/128 9/0": 100,
        "10/2": 900, "10/3": 300, "10/4": 400, "10/5": 300, "10/2 9/0": 50, "today": 300, "goes on": 250,
        "unannounced 0": 600, "unannounced 2": 600, "master group": 110, "last second": 50, "a second late": 50,
        "intervention 8/0": 25, "intervention 11/128": 14, "intervention 11/131": 80, "intervention 10/2": 380,
    ]

    private func decide(_ given: SecondDecision) throws -> SecondDecision.Verdict {
        let site = given.site
        let policy = CredentialPolicy(
            siteID: UInt16(site.site), doorID: UInt16(site.door), groups: try site.groups.map { try group($0) },
            takesMasterGroup: site.takesMasterGroup, takesInterventionMedia: site.takesInterventionMedia)
        var blacklist = Blacklist(capacity: site.blacklistCapacity)
        for name in site.blacklist {
            blacklist.insert(Blacklist.Entry(credentialID: credentialID(name), expiresAt: nil), at: nil)
        }
        let clock = given.now.map { LocalClock.certain(CivilTime($0)) } ?? .unset
        let files = OssSoMobile(
            infoFile: try BoundedBytes(given.info), dataFile: try BoundedBytes(given.data),
            blacklistFile: try BoundedBytes(given.blacklist), customerExtensionsFile: try BoundedBytes(given.extensions)
        )
        let decision = policy.decide(
            files, clock: clock, door: site.isHeldOpen ? .passage : .secured, blacklist: &blacklist)
        let result = decision.result(lock: .unlocked)
        return SecondDecision.Verdict(
            status: Int(decision.status.rawValue), isGranted: result.accessGranted,
            type: Int(result.accessType.rawValue), isMismatch: result.scheduleMissmatch, events: events(decision),
            end: decision.scheduleEnd.map { [$0.year, $0.month, $0.day, $0.hour, $0.minute] },
            added: decision.blacklistAdditions.map(\.credentialID.text))
    }

    private func group(_ group: SecondDecision.Group) throws -> DoorGroup {
        DoorGroup(
            id: UInt16(group.id),
            schedules: try group.schedules.map { schedule in
                let period = try OSSTimePeriod(
                    fromHour: UInt8(schedule.from / 60), fromMinute: UInt8(schedule.from % 60),
                    toHour: UInt8(schedule.to / 60), toMinute: UInt8(schedule.to % 60))
                return DoorGroup.Schedule(
                    firstDay: schedule.first, lastDay: schedule.last, weekdays: UInt8(schedule.weekdays),
                    period: period)
            })
    }

    /// The distinctions of the case, in the words of `least`.
    private func kinds(_ given: SecondDecision, _ verdict: SecondDecision.Verdict) -> [String] {
        guard verdict.status == 0 else { return ["\(verdict.status)"] }
        let events = verdict.events.joined(separator: " ")
        let type = given.info[2] == 1 ? "intervention " : ""
        var kinds = ["\(type)\(events.isEmpty ? "nothing" : events)"]
        if given.data.count > 11, let now = given.now, given.data[..<6].elementsEqual(SecondDecision.octets(of: now)) {
            if now[5] > 0 { kinds.append("a second late") } else if verdict.isGranted { kinds.append("last second") }
        }
        guard verdict.isGranted, !given.data.isEmpty else { return kinds }
        if given.opensAsMaster { kinds.append("master group") }
        if given.data[11] == 0 { kinds.append("unannounced \(given.extensions.count)") }
        if let end = verdict.end, let now = given.now { kinds.append(end[2] == now[2] ? "today" : "goes on") }
        return kinds
    }

    @Test("20,000 of them: status, grant, type, events, end of the schedule, and who is blacklisted from then on")
    func sameDecision() throws {
        var generator = CredentialGenerator(seed: 12)
        var seen: [String: Int] = [:]
        for number in 0..<DecidedTwiceTests.count {
            let given = generator.next()
            let expected = given.verdict()
            for kind in kinds(given, expected) { seen[kind, default: 0] += 1 }
            if try decide(given) != expected {
                Issue.record("\(number): \(try decide(given)) in place of \(expected), of \(given)")
            }
        }
        for (kind, count) in DecidedTwiceTests.least {
            #expect(seen[kind, default: 0] >= count, "\(kind): \(seen[kind, default: 0])")
        }
    }
}

extension CivilTime {
    fileprivate init(_ time: SecondDecision.Time) {
        self.init(year: time[0], month: time[1], day: time[2], hour: time[3], minute: time[4], second: time[5])
    }
}
