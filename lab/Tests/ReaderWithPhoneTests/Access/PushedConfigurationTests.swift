// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A configuration that comes with `UPDATE` (access protocol, 8.3 and 9).
@Suite struct PushedConfigurationTests {
    /// A reader at the door that the configuration is for, where phones may set all of it.
    private func bench(pushable: Set<PushedSetting> = Set(PushedSetting.allCases)) throws -> ReaderBench {
        try ReaderBench {
            $0.isAudited = true
            $0.credentials = CredentialPolicy(siteID: 3, doorID: 7)
            $0.pushable = pushable
        }
    }

    private func push(_ bench: inout ReaderBench, _ config: SystemConfig) throws -> StoredRun {
        let link = bench.connect(0, generation: 4)
        let data = StoredCommandTests.octets(SystemUpdate(config: config))
        return try StoredRun(&bench, link, StoredCommandTests.token(.update, data))
    }

    /// The store keeps the configuration, and then counts.
    private func keep(
        _ run: inout StoredRun, _ bench: inout ReaderBench, _ counters: LogCounters = LogCounters()
    ) -> PhoneStep {
        let before = run.last
        #expect(run.answer(&bench, .done) == before)
        let requests = bench.reader.storageRequests
        bench.reader.storageRequests = []
        #expect(requests.map(\.work) == [.counters])
        return run.answer(&bench, .counters(counters), id: requests.first?.id)
    }

    private func octets(_ config: SystemConfig) -> [UInt8] {
        var octets: [UInt8] = []
        config.encode(into: &octets)
        return octets
    }

    private func named(_ name: String) throws -> SystemConfig {
        var config = try PushedSample.config()
        config.configId = try BoundedBytes(ascii: name)
        return config
    }

    @Test func itTakesEffectWhenItIsKept() throws {
        var bench = try bench()
        let config = try PushedSample.config()
        var run = try push(&bench, config)
        #expect(
            run.requests == [StorageRequest(id: CommandID(1), work: .setting("pushed-configuration", octets(config)))])
        #expect(bench.reader.configuration.credentials.groups.isEmpty)
        var counters = LogCounters()
        (counters.eventLimit, counters.events, counters.lastEvent) = (10_000, 12, 20_005)
        let told = keep(&run, &bench, counters)
        guard case .completed(let answer) = told else {
            Issue.record("no status")
            return
        }
        let status = try SystemStatus(decodingDelimited: answer.span)
        #expect(status.configId.ascii == "config-7")
        #expect(status.settings.eventLogEntriesCount == 12 && status.settings.eventLogSequenceId == 20_005)
        // One hour ahead, as pushed.
        #expect(CivilTime(status.localTime).hour == 13)
        let configuration = bench.reader.configuration
        #expect(configuration.zone == TimeZoneRule(utcOffsetMinutes: 60))
        #expect(configuration.advertisingInterval == .milliseconds(500))
        #expect(configuration.maximumConnection == .milliseconds(4000))
        #expect(configuration.credentials.groups.map(\.id) == [12])
        #expect(configuration.credentials.groups.first?.schedules.first?.weekdays == 0b1_1111)
        #expect(!configuration.credentials.takesCarriedBlacklist)
        #expect(bench.reader.door.configuration.pulse == .seconds(9))
        #expect(bench.reader.door.configuration.extended == .seconds(60))
        #expect(configuration.officeHours.closedDays.list.map(\.name) == ["02-29", "03-01", "12-31"])
        #expect(bench.reader.auditEvents.map(\.kind) == [.configurationChanged, .command])
        #expect(try PushedConfiguration(kept: octets(config)) == PushedConfiguration(config))
    }

    /// A reload takes the file's values, but for those that were pushed.
    @Test func itOutlastsAReload() throws {
        var bench = try bench(pushable: [.pulse, .maximumConnection])
        try bench.reader.adopt(PushedConfiguration(try PushedSample.config()))
        var (file, door) = (bench.reader.configuration, bench.reader.door.configuration)
        file.maximumConnection = .milliseconds(2000)
        (door.pulse, door.extended) = (.seconds(2), .seconds(77))
        bench.reader.reconfigure(file, door: door)
        #expect(bench.reader.configuration.maximumConnection == .milliseconds(4000))
        #expect(bench.reader.door.configuration.pulse == .seconds(9))
        #expect(bench.reader.door.configuration.extended == .seconds(77))
    }

    /// The identity says which site and door this is: −34.
    @Test func anotherSiteOrDoorIsRefused() throws {
        for change in [{ $0.access.id = 8 }, { $0.access.siteId = 4 }] as [(inout SystemConfig) -> Void] {
            var config = try PushedSample.config()
            change(&config)
            var bench = try bench()
            let run = try push(&bench, config)
            #expect(run.last == .refused(.systemConfiguration) && run.requests.isEmpty)
            #expect(bench.reader.configuration.credentials == CredentialPolicy(siteID: 3, doorID: 7))
            let kept = try PushedConfiguration(config)
            #expect(throws: StatusCode.systemConfiguration) { try bench.reader.adopt(kept) }
        }
    }

    /// An earlier version, or one that nobody can tell from an earlier one: −11. The same again is answered as taken.
    @Test func versionsOnlyGoUp() throws {
        var bench = try bench()
        try bench.reader.adopt(PushedConfiguration(named("config-7")))
        let before = bench.reader.configuration
        for name in ["config-6", "config-07", "config", "", "config-7x", "config-99999999999999999999"] {
            var older = try named(name)
            older.base.utcOffsetMinutes = 120
            let link = bench.connect(0, generation: 4)
            let data = StoredCommandTests.octets(SystemUpdate(config: older))
            let told = try bench.exchange(link, token: StoredCommandTests.token(.update, data))
            #expect(told == .refused(.version), "\(name)")
            #expect(bench.reader.configuration == before && bench.reader.storageRequests.isEmpty)
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        let same = try push(&bench, named("config-7"))
        #expect(same.requests.map(\.work) == [.counters])
        bench.event(.disconnected(LinkID(slot: 0, generation: 4), reason: .remoteUserTerminated))
        let later = try push(&bench, named("other.8"))
        #expect(later.requests.map(\.work) == [.setting("pushed-configuration", octets(try named("other.8")))])
    }

    /// Unless the configuration file says otherwise, phones set nothing, and what was ignored is reported.
    @Test func whatPhonesMayNotSetIsIgnoredAndReported() throws {
        #expect(ReaderSettings().reader.pushable.isEmpty)
        var bench = try bench(pushable: [])
        let before = bench.reader.configuration
        var run = try push(&bench, PushedSample.config())
        #expect(run.requests.map(\.work) == [.counters] && bench.reader.configuration == before)
        let all = PushedSetting.allCases.filter(\.isCarriedByPhones)
        #expect(bench.takeNotices().contains(.configurationIgnored(name: "config-7", all, isClockSet: true)))
        guard case .completed(let answer) = run.answer(&bench, .counters(LogCounters())) else {
            Issue.record("no status")
            return
        }
        #expect(try SystemStatus(decodingDelimited: answer.span).configId.isEmpty)
        let event = try #require(bench.reader.auditEvents.first)
        #expect(event.kind == .configurationIgnored && event.info == 8 && event.credential == "CRED000001")
        #expect(event.detail == "reader.utc-offset-minutes advertising.interval-ms links.max-conn")
    }

    /// In part: the rest holds, and the backend's name for all of it is not told.
    @Test func aPartOfItHoldsUnderNoName() throws {
        var bench = try bench(pushable: [.pulse])
        var run = try push(&bench, PushedSample.config())
        #expect(run.requests.count == 1)
        _ = keep(&run, &bench)
        #expect(bench.reader.door.configuration.pulse == .seconds(9))
        #expect(bench.reader.door.configuration.extended == DoorConfiguration().extended)
        #expect(bench.reader.configuration.configID.isEmpty && bench.reader.configuration.zone == .utc)
        #expect(bench.reader.auditEvents.map(\.kind) == [.configurationIgnored, .configurationChanged, .command])
    }

    @Test func whatCannotBeKeptDoesNotTakeEffect() throws {
        var bench = try bench()
        var run = try push(&bench, PushedSample.config())
        let told = run.answer(&bench, .failed(.storageFull))
        #expect(told == .refused(.storageFull))
        #expect(bench.reader.configuration.zone == .utc && bench.reader.configuration.configID.isEmpty)
    }

    /// A kept configuration is in force, and the phone is told, even if the log cannot be counted.
    @Test func aLogThatCannotBeCountedRefusesNoConfigurationThatIsKept() throws {
        var bench = try bench()
        var run = try push(&bench, PushedSample.config())
        _ = run.answer(&bench, .done)
        let id = bench.reader.storageRequests.first?.id
        guard case .completed(let answer) = run.answer(&bench, .failed(.unavailable), id: id) else {
            Issue.record("no status")
            return
        }
        #expect(try SystemStatus(decodingDelimited: answer.span).configId.ascii == "config-7")
    }

    @Test func oneValueOutOfRangeRefusesAllOfIt() throws {
        let changes: [(inout SystemConfig) -> Void] = [
            { $0.base.utcOffsetMinutes = 841 }, { $0.base.utcOffsetMinutes = -841 },
            { $0.ble.advertisingIntervalMs = 19 }, { $0.ble.advertisingIntervalMs = 10_241 },
            { $0.ble.maxConnectionTimeoutMs = 499 }, { $0.ble.maxConnectionTimeoutMs = .max },
            { $0.access.id = 0 }, { $0.access.id = 65_536 }, { $0.access.siteId = 0 },
            { $0.access.groups[0].groupId = 0 }, { $0.access.groups.append($0.access.groups[0]) },
            { $0.access.groups[0].schedules[0].dayOfYearEnd = 367 },
            { $0.access.groups[0].schedules[0].timePeriod.hoursTo = 25 }, { $0.lock?.defaultOpenTimeSec = 0 },
            { $0.lock?.extendedOpenTimeSec = 86_401 },
        ]
        for (number, change) in changes.enumerated() {
            var config = try PushedSample.config()
            change(&config)
            var bench = try bench()
            let run = try push(&bench, config)
            #expect(run.last == .refused(.systemConfiguration) && run.requests.isEmpty, "row \(number)")
            #expect(bench.reader.configuration.zone == .utc)
        }
        #expect(throws: StatusCode.decode) { try PushedConfiguration(kept: [0x01]) }
    }
}
