// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

@Suite struct ReaderClockTests {
    static let built: Int64 = 1_800_000_000
    static let noon: Int64 = 1_806_148_800  // 2027-03-27 12:00 UTC

    /// A clock on a virtual monotonic clock, beside a system clock that the test sets.
    final class Bench {
        var clock: ReaderClock
        var system: Int64
        var isSynchronised = false
        var now = Instant.origin
        private var events: [ReaderClock.Event] = []

        init(system: Int64, lastEvent: Int64? = nil, marks: ClockMarks? = nil, zone: TimeZoneRule = .utc) {
            clock = ReaderClock(zone: zone, buildTime: built, lastEvent: lastEvent, marks: marks)
            self.system = system
        }

        /// Lets both clocks run, and looks at the system's.
        @discardableResult
        func run(_ seconds: Int64) -> [ReaderClock.Event] {
            now = now + .seconds(Int(seconds))
            system += seconds
            return look()
        }

        func look() -> [ReaderClock.Event] {
            clock.observe(systemSeconds: system, isSynchronised: isSynchronised, at: now, into: &events)
            return exchange(&events, with: [])
        }

        func set(_ time: Int64, _ authority: ReaderClock.Authority = .phone) -> ReaderClock.Outcome {
            clock.set(to: time, by: authority, systemSeconds: system, at: now, into: &events)
        }

        func takeEvents() -> [ReaderClock.Event] { exchange(&events, with: []) }

        var time: Int64? { clock.epochSeconds(at: now) }
        var civil: CivilTime? { clock.civilTime(at: now) }
    }

    /// A board without a battery begins in 1970, or with the time of its image.
    @Test func clockThatWasNeverSetShowsNothing() {
        let bench = Bench(system: 0)
        #expect(bench.look() == [])
        #expect(bench.time == nil && bench.civil == nil && bench.clock.quality == .unset)
        #expect(bench.run(100) == [])
        bench.system = ReaderClockTests.built - 1
        #expect(bench.look() == [])
        bench.system = ReaderClockTests.built
        #expect(bench.look() == [.wasSet(epochSeconds: ReaderClockTests.built), .quality(.set)])
    }

    @Test func clockBeforeTheLastEventIsNotSet() {
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon + 10)
        #expect(bench.look() == [])
        #expect(bench.run(10) == [.wasSet(epochSeconds: ReaderClockTests.noon + 10), .quality(.set)])
    }

    @Test func timeRunsBetweenTwoLooks() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        bench.now = bench.now + .milliseconds(61_900)
        #expect(bench.time == ReaderClockTests.noon + 61)
    }

    /// An event before the clock was read belongs to the second that it fell in, not to the next one.
    @Test(arguments: [(0, 0), (1, -1), (999, -1), (1000, -1), (1001, -2)] as [(Int, Int64)])
    func anEarlierInstantIsInTheSecondThatItFellIn(_ earlier: Int, _ seconds: Int64) {
        let bench = Bench(system: ReaderClockTests.noon)
        bench.run(60)
        let read = bench.now
        #expect(bench.clock.epochSeconds(at: read + .milliseconds(-earlier)) == ReaderClockTests.noon + 60 + seconds)
    }

    @Test func localTimeWithDaylightSaving() throws {
        let bench = Bench(system: ReaderClockTests.noon, zone: try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))
        _ = bench.look()
        #expect(bench.civil == CivilTime(year: 2027, month: 3, day: 27, hour: 13))
        #expect(bench.run(86_400) == [.quality(.stale)])
        #expect(bench.civil == CivilTime(year: 2027, month: 3, day: 28, hour: 14))
    }

    @Test func phoneSetsTheClock() {
        let bench = Bench(system: 0)
        #expect(bench.set(ReaderClockTests.noon) == .done)
        #expect(bench.takeEvents() == [.wasSet(epochSeconds: ReaderClockTests.noon), .quality(.set)])
        #expect(bench.clock.marks.offset == ReaderClockTests.noon)
        #expect(bench.run(5) == [])
        #expect(bench.time == ReaderClockTests.noon + 5)
        #expect(bench.set(ReaderClockTests.noon + 65) == .done)
        #expect(bench.takeEvents() == [.stepped(by: 60)])
    }

    @Test func offsetIsGivenBackAtTheNextStart() {
        let bench = Bench(system: ReaderClockTests.noon - 500, marks: ClockMarks(offset: 500, latest: 0))
        #expect(bench.look() == [.wasSet(epochSeconds: ReaderClockTests.noon), .quality(.set)])
    }

    static let phoneSteps: [(step: Int64, outcome: ReaderClock.Outcome)] = [
        (0, .done), (-86_400, .done), (-86_401, .tooFarBack), (31_622_400, .done), (31_622_401, .tooFarAhead),
        (630_720_000, .tooFarAhead),
    ]

    @Test(arguments: phoneSteps)
    func howFarAPhoneMaySetTheClock(step: Int64, outcome: ReaderClock.Outcome) {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon + step) == outcome)
        #expect(bench.time == ReaderClockTests.noon + (outcome == .done ? step : 0))
    }

    /// 87 steps of a day put a reader back by 87 days.
    @Test func allStepsBackTogetherStayWithinADay() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        var done: Int64 = 0
        for _ in 0..<87 where bench.set((bench.time ?? 0) - 3600) == .done { done += 1 }
        #expect(done == 24)
        #expect(bench.time == ReaderClockTests.noon - 86_400)
        #expect(bench.takeEvents().filter { $0 == .stepped(by: -3600) }.count == 24, "each step is an event")
        // Going ahead gives nothing back.
        #expect(bench.set(ReaderClockTests.noon) == .done)
        #expect(bench.set(ReaderClockTests.noon - 1) == .tooFarBack)
    }

    @Test func allStepsAheadTogetherStayWithinAYear() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        for _ in 0..<366 { #expect(bench.set((bench.time ?? 0) + 86_400) == .done) }
        #expect(bench.set((bench.time ?? 0) + 1) == .tooFarAhead)
    }

    /// A restart gives back nothing of what was used up, and no time that was shown.
    @Test func marksOutlastARestart() throws {
        let first = Bench(system: ReaderClockTests.noon)
        _ = first.look()
        #expect(first.set(ReaderClockTests.noon - 80_000) == .done)
        #expect(first.set(ReaderClockTests.noon + 300) == .done)
        first.now = first.now + .seconds(40)
        let kept = try #require(ClockMarks(first.clock.marks(at: first.now).octets))
        #expect(kept == ClockMarks(offset: 300, latest: ReaderClockTests.noon + 340, back: 80_000, ahead: 80_300))
        let second = Bench(system: 0, marks: kept)
        #expect(second.look() == [], "a board without a battery has no time")
        #expect(second.set(ReaderClockTests.noon + 339) == .tooEarly)
        #expect(second.set(ReaderClockTests.noon + 340 + 366 * 86_400 - 80_299) == .tooFarAhead)
        #expect(second.set(ReaderClockTests.noon + 340) == .done)
        #expect(second.set(ReaderClockTests.noon + 339) == .tooEarly, "nor before the run began")
    }

    /// Ended is ended: the latest time that was shown counts for ends, whatever a phone makes of the clock.
    @Test func latestTimeDoesNotGoBackWithAPhone() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        _ = bench.set(ReaderClockTests.noon - 7200)
        #expect(bench.clock.latestSeconds(at: bench.now) == ReaderClockTests.noon)
        bench.run(7201)
        #expect(bench.clock.latestSeconds(at: bench.now) == ReaderClockTests.noon + 1)
        _ = bench.set(ReaderClockTests.noon + 1000)
        #expect(bench.clock.earliestSeconds(at: bench.now) == ReaderClockTests.noon + 1 - 0)
        _ = bench.set(ReaderClockTests.built + 7, .operatorLocally)
        #expect(bench.clock.latestSeconds(at: bench.now) == ReaderClockTests.built + 7)
        #expect(bench.clock.earliestSeconds(at: bench.now) == ReaderClockTests.built + 7)
    }

    static let authorities: [ReaderClock.Authority?] = [.operatorLocally, .issuer, nil]

    /// An operator, an issuer, and a time service (nil) begin the count anew, and lead out of a wrong future.
    @Test(arguments: authorities) func anAuthoritativeTimeBeginsTheCountAnew(authority: ReaderClock.Authority?) {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        _ = bench.set(ReaderClockTests.noon + 366 * 86_400)
        #expect(bench.set(ReaderClockTests.noon) == .tooFarBack)
        if let authority {
            #expect(bench.set(ReaderClockTests.noon, authority) == .done)
        } else {
            bench.isSynchronised = true
            _ = bench.look()
            bench.isSynchronised = false
        }
        #expect(bench.time == ReaderClockTests.noon)
        #expect(bench.clock.marks == ClockMarks(latest: ReaderClockTests.noon))
        _ = bench.takeEvents()
        #expect(bench.look() == (authority == nil ? [.quality(.set)] : []))
        #expect(bench.set(ReaderClockTests.noon - 86_400) == .done)
    }

    /// A signature of last month puts no clock back to last month.
    @Test func issuerGoesBehindNoAuthoritativeTime() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon + 86_400, .operatorLocally) == .done)
        bench.run(100)
        #expect(bench.set(ReaderClockTests.noon + 86_400 * 300) == .done)
        #expect(bench.set(ReaderClockTests.noon + 86_500 - 3601, .issuer) == .tooEarly)
        #expect(bench.set(ReaderClockTests.noon + 86_500 - 3600, .issuer) == .done)
    }

    /// A new reader's first time is the one that its steps are counted from: it may have lain for years.
    @Test func firstTimeOfANewReader() {
        let shelf = ReaderClock.maximumShelfLife
        let bench = Bench(system: 0)
        #expect(bench.set(ReaderClockTests.built + shelf + 1) == .tooFarAhead)
        #expect(bench.set(ReaderClockTests.built + shelf) == .done)
        #expect(bench.clock.marks.ahead == 0)
        let used = Bench(system: 0, lastEvent: ReaderClockTests.noon)
        #expect(used.set(ReaderClockTests.noon + 366 * 86_400 + 1) == .tooFarAhead)
    }

    /// A clock that was fast, and was put right by a phone, goes on after a restart where it was; and a power cut after
    /// it has caught up gives nothing of that back.
    @Test func correctedClockGoesOnAfterARestart() throws {
        let first = Bench(system: ReaderClockTests.noon)
        _ = first.look()
        #expect(first.set(ReaderClockTests.noon - 72_000) == .done)
        first.run(60)
        let kept = try #require(ClockMarks(first.clock.marks(at: first.now).octets))
        #expect(kept.shown == ReaderClockTests.noon - 71_940 && kept.latest == ReaderClockTests.noon)
        let second = Bench(system: ReaderClockTests.noon + 60, marks: kept)
        _ = second.look()
        #expect(second.time == ReaderClockTests.noon - 71_940)
        #expect(second.clock.latestSeconds(at: second.now) == ReaderClockTests.noon)
        second.run(80_000)
        let third = Bench(system: 0, marks: second.clock.marks(at: second.now))
        #expect(third.set(ReaderClockTests.noon) == .tooEarly)
    }

    @Test(arguments: 0...41) func marksThatAreCutAreNone(count: Int) {
        let marks = ClockMarks(offset: -5, latest: 6, shown: 4, back: 7, ahead: 8)
        #expect(marks.octets.count == 41)
        #expect(ClockMarks(Array(marks.octets.prefix(count))) == (count == 41 ? marks : nil))
        #expect(ClockMarks(marks.octets + [0]) == nil)
    }

    @Test func octetsOfMarks() {
        let octets: [UInt8] = [
            1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x21, 0x43, 0x65, 0, 0, 0, 0, 0x00, 0x20, 0x43,
            0x65, 0,
            0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
        ]
        #expect(ClockMarks(offset: -1, latest: 0x6543_2100, shown: 0x6543_2000, back: 2, ahead: 3).octets == octets)
    }

    @Test func phoneNeverGoesBeforeTheLastEventNorTheBuild() {
        let bench = Bench(system: 0, lastEvent: ReaderClockTests.noon)
        #expect(bench.set(ReaderClockTests.noon - 1) == .tooEarly)
        #expect(bench.time == nil)
        #expect(bench.set(ReaderClockTests.noon) == .done)
    }

    /// Only somebody at the reader may go back further, and nobody before the firmware was built.
    @Test func operatorMayGoBack() {
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.built + 5, .operatorLocally) == .done)
        #expect(bench.time == ReaderClockTests.built + 5)
        #expect(bench.set(ReaderClockTests.built - 1, .operatorLocally) == .tooEarly)
    }

    @Test func synchronisedClockWins() {
        let bench = Bench(system: ReaderClockTests.noon - 1000)
        _ = bench.look()
        _ = bench.set(ReaderClockTests.noon)
        _ = bench.takeEvents()
        bench.isSynchronised = true
        #expect(bench.look() == [.stepped(by: -1000), .quality(.synchronised)])
        #expect(bench.clock.marks.offset == 0)
        #expect(bench.set(ReaderClockTests.noon) == .synchronised)
        #expect(bench.set(ReaderClockTests.noon, .operatorLocally) == .synchronised)
        // Even by years: whoever keeps it knows better.
        bench.system -= 86_400 * 40
        #expect(bench.look() == [.stepped(by: -86_400 * 40)])
        bench.isSynchronised = false
        #expect(bench.run(60) == [.quality(.set)])
        #expect(bench.run(86_400) == [.quality(.stale)])
    }

    @Test func synchronisedClockOfBeforeTheBuildIsNone() {
        let bench = Bench(system: 1_000_000_000)
        bench.isSynchronised = true
        #expect(bench.look() == [])
        #expect(bench.clock.quality == .unset)
    }

    /// The battery of the clock chip is empty, or somebody wants yesterday's tokens to be good again.
    @Test func systemClockThatGoesBackByYearsIsNotFollowed() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        bench.system = 0
        #expect(bench.look() == [.refusedStep(by: -ReaderClockTests.noon)])
        #expect(bench.time == ReaderClockTests.noon)
        #expect(bench.run(60) == [])
        #expect(bench.time == ReaderClockTests.noon + 60)
    }

    static let steps: [(step: Int64, events: [ReaderClock.Event])] = [
        (1, []), (-1, []), (2, [.stepped(by: 2)]), (-2, [.stepped(by: -2)]), (3600, [.stepped(by: 3600)]),
        (-3600, [.stepped(by: -3600)]), (-86_401, [.refusedStep(by: -86_401)]),
        (86_400_000, [.stepped(by: 86_400_000)]),
    ]

    @Test(arguments: steps)
    func stepsOfTheSystemClock(step: Int64, events: [ReaderClock.Event]) {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        bench.run(10)
        bench.system += step
        #expect(bench.look() == events)
    }

    @Test func stepBackBeforeTheLastEventIsNotFollowed() {
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon)
        _ = bench.look()
        bench.system -= 100
        #expect(bench.look() == [.refusedStep(by: -100)])
    }

    @Test(arguments: [Int64.max, .min, 1 << 41]) func marksThatCannotBeAreNone(value: Int64) {
        #expect(ClockMarks(ClockMarks(offset: value, latest: 0).octets) == nil)
        #expect(ClockMarks(ClockMarks(latest: value).octets) == nil)
        #expect(ClockMarks(ClockMarks(latest: -1).octets) == nil)
    }

    /// Clocks that differ by parts of a second never make time go back.
    @Test func timeDoesNotGoBackByATick() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        bench.now = bench.now + .milliseconds(1999)
        bench.system += 1
        #expect(bench.time == ReaderClockTests.noon + 1)
        _ = bench.look()
        bench.now = bench.now + .milliseconds(1)
        _ = bench.look()
        #expect(bench.time == ReaderClockTests.noon + 1)
        bench.now = bench.now + .milliseconds(999)
        #expect(bench.time == ReaderClockTests.noon + 1)
    }

    /// 2038 and the last second of a leap day.
    @Test func farDates() {
        let bench = Bench(system: 2_147_483_647)
        _ = bench.look()
        bench.run(1)
        #expect(bench.civil == CivilTime(year: 2038, month: 1, day: 19, hour: 3, minute: 14, second: 8))
        _ = bench.set(1_835_481_599)
        #expect(bench.civil == CivilTime(year: 2038, month: 1, day: 19, hour: 3, minute: 14, second: 8))
    }

    /// A time is certain by a synchronised clock or an operator, until a step of anybody else.
    @Test func whatMakesATimeCertain() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(!bench.clock.isCertain, "the system's clock alone")
        #expect(bench.set(ReaderClockTests.noon + 10) == .done && !bench.clock.isCertain)
        #expect(bench.set(ReaderClockTests.noon + 10, .issuer) == .done && !bench.clock.isCertain, "to a day")
        #expect(bench.set(ReaderClockTests.noon + 20, .operatorLocally) == .done && bench.clock.isCertain)
        bench.run(60)
        #expect(bench.clock.isCertain, "it goes on")
        #expect(bench.set(ReaderClockTests.noon + 90) == .done && !bench.clock.isCertain)
        bench.isSynchronised = true
        bench.run(60)
        #expect(bench.clock.isCertain)
        bench.isSynchronised = false
        bench.run(60)
        #expect(bench.clock.isCertain)
        bench.system += 100
        _ = bench.look()
        #expect(!bench.clock.isCertain, "a step that nobody vouches for")
        let refused = Bench(system: 0)
        #expect(refused.set(0, .operatorLocally) == .tooEarly && !refused.clock.isCertain)
    }
}
