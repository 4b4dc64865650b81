import AccessProtocol
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader

/// A configuration that comes with `UPDATE` (access protocol, 8.3 and 9).
@Suite struct PushedConfigurationTests {
    static func config() throws -> SystemConfig {
        let schedule = LocalTimeSchedule(
            dayOfYearStart: 1, dayOfYearEnd: 366, weekdays: [true, true, true, true, true, false, false],
            timePeriod: LocalTimeperiod(hoursFrom: 8, minutesFrom: 0, hoursTo: 18, minutesTo: 0))
        return SystemConfig(
            configId: try BoundedBytes(ascii: "config-7"),
            base: BaseConfig(
                isoCountry: BoundedBytes(), isoState: BoundedBytes(), utcOffsetMinutes: 60,
                autoCheckSystemStatus: false),
            ble: BleConfig(
                isAdvertising: true, advertisingSchedules: [], maxPowerAdvertisingSchedulesIndices: [],
                advertisingIntervalMs: 500, maxConnectionTimeoutMs: 4000, txPowerLevel: 3,
                advertisedTxPower1Meter: -77, isIBeaconAdvertisement: false),
            online: OnlineConfig(
                connectSchedules: [], wifiSSID: BoundedBytes(), wifiPassword: BoundedBytes(), timeoutSec: 30),
            access: AccessConfig(id: 7, siteId: 3, groups: [AccessConfigGroup(groupId: 12, schedules: [schedule])]),
            oss: OssConfig(
                sidMifareAesKey: BoundedBytes(), sidMifareAid: 0, soUpdater: false, soPushEvents: false,
                soWritePendingEvents: true, soUpdateFromBlacklist: false, soMifareAesKey: BoundedBytes(),
                soMifareAid: 0),
            lock: LockConfig(
                openSchedules: [], openScheduleByUser: false, closedDays: [], defaultOpenTimeSec: 9,
                extendedOpenTimeSec: 60))
    }

    private func push(_ bench: inout ReaderBench, _ config: SystemConfig) throws -> StoredRun {
        let link = bench.connect(0, generation: 4)
        let data = StoredCommandTests.octets(SystemUpdate(config: config))
        return try StoredRun(&bench, link, StoredCommandTests.token(.update, data))
    }

    @Test func itTakesEffectWhenItIsKept() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let config = try Self.config()
        var run = try push(&bench, config)
        var octets: [UInt8] = []
        config.encode(into: &octets)
        #expect(run.requests == [StorageRequest(id: 1, work: .setting("pushed-configuration", octets))])
        #expect(bench.reader.configuration.credentials.doorID == 1)
        let told = run.answer(&bench, .done)
        guard case .completed(let answer) = told else {
            Issue.record("no status")
            return
        }
        let status = try SystemStatus(decodingDelimited: answer.span)
        #expect(status.configId.ascii == "config-7")
        // One hour ahead, as pushed.
        #expect(CivilTime(status.localTime).hour == 13)
        let configuration = bench.reader.configuration
        #expect(configuration.zone == TimeZoneRule(utcOffsetMinutes: 60))
        #expect(configuration.advertisingInterval == .milliseconds(500))
        #expect(configuration.maximumConnection == .milliseconds(4000))
        #expect(configuration.credentials.siteID == 3 && configuration.credentials.doorID == 7)
        #expect(configuration.credentials.groups.map(\.id) == [12])
        #expect(configuration.credentials.groups.first?.schedules.first?.weekdays == 0b1_1111)
        #expect(!configuration.credentials.takesCarriedBlacklist)
        #expect(bench.reader.door.configuration.pulse == .seconds(9))
        #expect(bench.reader.door.configuration.extended == .seconds(60))
        #expect(bench.reader.auditEvents.map(\.kind) == [.configurationChanged, .command])
        #expect(try PushedConfiguration(kept: octets) == PushedConfiguration(config))
    }

    @Test func whatCannotBeKeptDoesNotTakeEffect() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        var run = try push(&bench, Self.config())
        let told = run.answer(&bench, .failed(.storageFull))
        #expect(told == .refused(.storageFull))
        #expect(bench.reader.configuration.credentials.doorID == 1 && bench.reader.configuration.configID.isEmpty)
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
            var config = try Self.config()
            change(&config)
            var bench = try ReaderBench { $0.isAudited = true }
            let run = try push(&bench, config)
            #expect(run.last == .refused(.systemConfiguration) && run.requests.isEmpty, "row \(number)")
            #expect(bench.reader.configuration.credentials.doorID == 1)
        }
        #expect(throws: StatusCode.decode) { try PushedConfiguration(kept: [0x01]) }
    }
}
