// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// `UPDATE`, `time` and `gtim`, and what is served while there is no time (access protocol, 5 and 9).
@Suite struct ClockCommandTests {
    private static let time = SystemTimeUnix(epoch: 1_795_262_500)

    private func bench(_ epoch: Int64? = 1_795_262_400) throws -> ReaderBench {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.epochSeconds = epoch
        return bench
    }

    @Test func anUpdateSetsTheClockAndAnswersWithTheNewTime() throws {
        var bench = try bench(nil)
        let link = bench.connect(0, generation: 4)
        let data = StoredCommandTests.octets(SystemUpdate(timeUnix: Self.time))
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.update, data))
        #expect(
            run.requests == [
                StorageRequest(id: nil, work: .clock(epochSeconds: 1_795_262_500, .phone)),
                StorageRequest(id: CommandID(1), work: .counters),
            ])
        bench.epochSeconds = 1_795_262_500
        let told = run.answer(&bench, .counters(LogCounters()), id: CommandID(1))
        guard case .completed(let octets) = told else {
            Issue.record("no status")
            return
        }
        let status = try SystemStatus(decodingDelimited: octets.span)
        #expect(status.settings.timeWasSet)
        #expect(
            CivilTime(status.localTime) == CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 1, second: 40))
    }

    @Test func anUpdateWithoutATimeIsAStatus() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.update, [0]))
        #expect(run.requests == [StorageRequest(id: CommandID(1), work: .counters)])
        let told = run.answer(&bench, .failed(.unavailable))
        guard case .completed(let octets) = told else {
            Issue.record("no status")
            return
        }
        #expect(try SystemStatus(decodingDelimited: octets.span).settings.timeWasSet)
    }

    /// While nobody can say whether the token has ended, nothing but a time is taken, and that only from a token that
    /// is valid at it.
    @Test func anEndedTokenTakesNothingOverWhileTheClockIsUnset() throws {
        let update = SystemUpdate(config: try PushedSample.config(), timeUnix: Self.time)
        for (command, data) in [
            (CommandName.update, StoredCommandTests.octets(update)), (.setTime, StoredCommandTests.octets(Self.time)),
        ] {
            var bench = try bench(nil)
            let link = bench.connect(0, generation: 4)
            let ended = try ClockCommandTests.token(command, data, years: 2022...2024)
            let told = try bench.exchange(link, token: ended)
            #expect(told == .refused(.validity), "\(command.rawValue)")
            #expect(bench.reader.storageRequests.isEmpty && bench.reader.configuration.configID.isEmpty)
            #expect(bench.reader.auditEvents.map(\.kind) == [.denied])
            #expect(bench.reader.auditEvents.map(\.info) == [-13])
        }
    }

    @Test func whileTheClockIsUnsetAnUpdateBringsATimeAndNoConfiguration() throws {
        var bench = try bench(nil)
        bench.reader.configuration.pushable = Set(PushedSetting.allCases)
        bench.reader.configuration.credentials = CredentialPolicy(siteID: 3, doorID: 7)
        let before = bench.reader.configuration
        let link = bench.connect(0, generation: 4)
        let config = try PushedSample.config()
        let both = StoredCommandTests.octets(SystemUpdate(config: config, timeUnix: Self.time))
        let run = try StoredRun(&bench, link, StoredCommandTests.token(.update, both))
        #expect(run.requests.map(\.work) == [.clock(epochSeconds: 1_795_262_500, .phone), .counters])
        #expect(bench.reader.configuration == before)
        #expect(bench.reader.auditEvents.map(\.kind) == [.configurationIgnored])
        let other = bench.connect(1, generation: 5, phone: 200)
        let alone = StoredCommandTests.octets(SystemUpdate(config: config))
        let told = try bench.exchange(other, token: StoredCommandTests.token(.update, alone))
        #expect(told == .refused(.currentTime) && bench.reader.configuration == before)
    }

    /// A phone whose clock is wrong says when it is valid itself.
    @Test func aTimeAtWhichTheTokenIsNotValidIsNotTaken() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let late = SystemTimeUnix(epoch: 4_228_848_000)  // 2104
        let time = try ClockCommandTests.token(.setTime, StoredCommandTests.octets(late), years: 2020...2030)
        let told = try bench.exchange(link, token: time)
        #expect(told == .refused(.validity) && bench.reader.storageRequests.isEmpty)
        let data = StoredCommandTests.octets(SystemUpdate(timeUnix: late))
        let run = try StoredRun(&bench, link, ClockCommandTests.token(.update, data, years: 2020...2030))
        #expect(run.requests.map(\.work) == [.counters])
    }

    /// `CLK_SET` is believed by its own signature, for a day at most, whatever the clock shows.
    @Test func anIssuerSetsTheClockByASignedDay() throws {
        let noon = CivilTime(year: 2026, month: 11, day: 21, hour: 12)
        let data = StoredCommandTests.octets(Self.time)  // 12:01:40
        func outcome(
            _ from: CivilTime, _ through: CivilTime, group: Bool = false, epoch: Int64? = 4_228_848_000
        ) throws -> (PhoneStep, [StorageWork]) {
            var bench = try bench(epoch)
            let link = bench.connect(0, generation: 4)
            let token = try TokenIssuer.demo().commandToken(
                credentialID: "CRED000001", command: .setClock, data: data,
                validity: TokenValidity(from: from, through: through), signedAs: group ? .maintenanceGroup : nil)
            let told = try bench.exchange(link, token: token)
            return (told, bench.reader.storageRequests.map(\.work))
        }
        var morrow = noon
        morrow.day += 1
        let taken: [StorageWork] = [.clock(epochSeconds: 1_795_262_500, .issuer)]
        for epoch in [4_228_848_000, 1_795_262_400, nil] as [Int64?] {
            #expect(try outcome(noon, morrow, epoch: epoch).1 == taken)
        }
        morrow.minute = 1
        #expect(try outcome(noon, morrow) == (.refused(.validity), []), "longer than a day")
        var early = noon
        early.hour = 10
        #expect(try outcome(early, noon) == (.refused(.validity), []), "ended before the time that it brings")
        #expect(
            try outcome(noon, CivilTime(year: 2026, month: 11, day: 31)) == (.refused(.validity), []), "no such day")
        morrow.minute = 0
        #expect(try outcome(noon, morrow, group: true) == (.refused(.signature), []), "no maintenance credential")
    }

    /// Validity that had ended by the latest time that the clock has shown stays ended when a phone puts it back.
    @Test func aClockThatWasPutBackBringsNoTokenBack() throws {
        var bench = try bench()
        bench.latestSeconds = 1_798_761_600  // 2027-01-01 00:00
        let link = bench.connect(0, generation: 4)
        let ended = try ClockCommandTests.token(.open, [], years: 2020...2026)
        let told = try bench.exchange(link, token: ended)
        #expect(told == .refused(.validity) && bench.reader.openRequests.isEmpty)
        bench.latestSeconds = nil
        _ = try bench.exchange(link, token: ended)
        #expect(bench.reader.openRequests.count == 1)
    }

    /// Of an OSS credential too; and no entry of the blacklist is over because a phone put the clock ahead.
    @Test func aClockThatWasMovedBringsNoCredentialBack() throws {
        let now = CivilTime(year: 2024, month: 6, day: 5, hour: 12)
        var (earlier, later) = (now, now)
        earlier.year = 2023
        later.year = 2031
        let message = try CredentialFiles().message()
        func decide(_ clock: LocalClock, until end: CivilTime?) throws -> CredentialDecision.Outcome {
            var blacklist = Blacklist()
            let name = try #require(OSSCredentialID("CRED000001"))
            if let end { blacklist.insert(.init(credentialID: name, expiresAt: end), at: nil) }
            return CredentialPolicy().decide(message, clock: clock, door: .secured, blacklist: &blacklist).outcome
        }
        #expect(try decide(.moved(now, earliest: now, latest: now), until: nil) == .granted(.extendedTime))
        #expect(try decide(.moved(now, earliest: now, latest: later), until: nil) == .denied(.validity))
        let lastYear = CivilTime(year: 2023, month: 12, day: 31)
        #expect(try decide(.certain(now), until: lastYear) == .granted(.extendedTime))
        #expect(try decide(.moved(now, earliest: earlier, latest: now), until: lastYear) == .denied(.blacklisted))
    }

    /// A token whose credential no blacklist could hold could not be called back: −200.
    @Test func aCommandOfNoCredentialIsRefused() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1))
        let told = try bench.exchange(
            link, token: TokenIssuer.demo().commandToken(credentialID: "\0", command: .open, validity: validity))
        #expect(told == .refused(.credentialID) && bench.reader.openRequests.isEmpty)
    }

    /// A `CLK_SET` token for the noon of the bench's day.
    static func dayToken(_ data: [UInt8]) throws -> [UInt8] {
        let validity = TokenValidity(
            from: CivilTime(year: 2026, month: 11, day: 21), through: CivilTime(year: 2026, month: 11, day: 22))
        return try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: .setClock, data: data, validity: validity)
    }

    /// From the first day of the first year to the last day's noon of the last.
    private static func token(_ command: CommandName, _ data: [UInt8], years: ClosedRange<Int>) throws -> [UInt8] {
        let validity = TokenValidity(
            from: CivilTime(year: years.lowerBound, month: 1, day: 1),
            through: CivilTime(year: years.upperBound, month: 12, day: 31, hour: 12))
        return try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: command, data: data, validity: validity)
    }

    @Test(arguments: [
        (ReaderClock.Outcome.done, StatusCode.ok), (.synchronised, .invalidState), (.tooEarly, .invalidArguments),
        (.tooFarBack, .invalidArguments), (.tooFarAhead, .invalidArguments),
    ]) func timeTellsWhatBecameOfIt(outcome: ReaderClock.Outcome, status: StatusCode) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.setTime, StoredCommandTests.octets(Self.time)))
        #expect(run.requests == [StorageRequest(id: CommandID(1), work: .clock(epochSeconds: 1_795_262_500, .phone))])
        let told = run.answer(&bench, .clock(outcome))
        #expect(told == (status == .ok ? .completed([]) : .refused(status)))
    }

    @Test func octetsThatAreNoTimeAreRefused() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        for command in [CommandName.setTime, .update] {
            for data in [[], [0x01], [0x02, 0x12, 0x05]] as [[UInt8]] {
                let run = try StoredRun(&bench, link, StoredCommandTests.token(command, data))
                #expect(run.last == .refused(.decode) && run.requests.isEmpty, "\(command.rawValue)")
            }
        }
    }

    /// −157: silence to everything but what sets the clock, whose signature has to be good.
    @Test func withoutATimeOnlyWhatSetsItIsServed() throws {
        for command in CommandName.all {
            var bench = try bench(nil)
            let link = bench.connect(0, generation: 4)
            let run = try StoredRun(&bench, link, StoredCommandTests.token(command, [0]))
            let isServed = command == .update || command == .setTime || command == .setClock
            let isSilent = run.requests.isEmpty && run.last == .send
            #expect(isSilent == !isServed, "\(command.rawValue)")
            let moves = bench.reader.doorActions.contains(.setLock(energised: true))
            #expect(bench.reader.openRequests.isEmpty && !moves)
            let notices = bench.takeNotices()
            #expect(notices.contains(.messageRefused(.link(link), .currentTime, told: false)) == !isServed)
        }
        var bench = try bench(nil)
        let link = bench.connect(0, generation: 4)
        let forged = try ReaderBench.token(.update, key: P256PrivateKey.generate())
        let told = try bench.exchange(link, token: forged)
        #expect(told == .refused(.signature) && bench.reader.storageRequests.isEmpty)
    }

    @Test func theClockIsRead() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let told = try bench.exchange(link, token: ReaderBench.token(.getTime))
        #expect(told == .completed([0x06, 0x08, 0xC0, 0x8F, 0x86, 0xD8, 0x06]))
    }

    /// The last midnight in Berlin, on days that have 24, 23 and 25 hours.
    @Test func midnightIsTheZones() throws {
        var configuration = AccessConfiguration(modes: [])
        configuration.zone = try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        func midnight(_ epoch: Int64) -> UInt32 {
            configuration.localMidnight(Moment(instant: .origin, epochSeconds: epoch))
        }
        func epoch(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) -> Int64 {
            CivilTime(year: 2026, month: month, day: day, hour: hour, minute: minute).epochSeconds
        }
        #expect(midnight(epoch(11, 21, 12)) == UInt32(epoch(11, 20, 23)))
        // 29 March, 12:00 UTC is 14:00; midnight was by winter time. And 25 October the other way round.
        #expect(midnight(epoch(3, 29, 12)) == UInt32(epoch(3, 28, 23)))
        #expect(midnight(epoch(3, 29, 0, 30)) == UInt32(epoch(3, 28, 23)))
        #expect(midnight(epoch(10, 25, 12)) == UInt32(epoch(10, 24, 22)))
        #expect(configuration.localMidnight(Moment(instant: .origin, epochSeconds: nil)) == 0)
    }
}
