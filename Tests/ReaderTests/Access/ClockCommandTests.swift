import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader

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
                StorageRequest(id: nil, work: .clock(epochSeconds: 1_795_262_500)),
                StorageRequest(id: 1, work: .counters),
            ])
        bench.epochSeconds = 1_795_262_500
        let told = run.answer(&bench, .counters(LogCounters()), id: 1)
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
        var bench = try bench(nil)
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.update, [0]))
        #expect(run.requests == [StorageRequest(id: 1, work: .counters)])
        let told = run.answer(&bench, .failed(.unavailable))
        guard case .completed(let octets) = told else {
            Issue.record("no status")
            return
        }
        #expect(try !SystemStatus(decodingDelimited: octets.span).settings.timeWasSet)
    }

    @Test(arguments: [
        (ReaderClock.Outcome.done, StatusCode.ok), (.synchronised, .invalidState), (.tooEarly, .invalidArguments),
        (.tooFarBack, .invalidArguments),
    ]) func timeTellsWhatBecameOfIt(outcome: ReaderClock.Outcome, status: StatusCode) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.setTime, StoredCommandTests.octets(Self.time)))
        #expect(run.requests == [StorageRequest(id: 1, work: .clock(epochSeconds: 1_795_262_500))])
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
            let isServed = command == .update || command == .setTime
            let isSilent = run.requests.isEmpty && run.last == .send
            #expect(isSilent == !isServed, "\(command.rawValue)")
            #expect(bench.reader.openRequests.isEmpty && bench.reader.doorActions.isEmpty)
            let notices = bench.takeNotices()
            #expect(notices.contains(.messageRefused(link, .currentTime, told: false)) == !isServed)
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
