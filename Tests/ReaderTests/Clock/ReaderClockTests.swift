import TestSupport
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

        init(system: Int64, lastEvent: Int64? = nil, offset: Int64 = 0, zone: TimeZoneRule = .utc) {
            clock = ReaderClock(zone: zone, buildTime: built, lastEvent: lastEvent, offset: offset)
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
            defer { events = [] }
            return events
        }

        func set(_ time: Int64, _ authority: ReaderClock.Authority = .phone) -> ReaderClock.Outcome {
            clock.set(to: time, by: authority, systemSeconds: system, at: now, into: &events)
        }

        func takeEvents() -> [ReaderClock.Event] {
            defer { events = [] }
            return events
        }

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
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon + 310)
        #expect(bench.look() == [])
        #expect(bench.run(9) == [])
        #expect(bench.time == nil)
        // From here on the last event's time stands still until it is over.
        #expect(bench.run(1) == [.wasSet(epochSeconds: ReaderClockTests.noon + 310), .quality(.set)])
        #expect(bench.run(300) == [])
        #expect(bench.time == ReaderClockTests.noon + 310)
        #expect(bench.run(1) == [])
        #expect(bench.time == ReaderClockTests.noon + 311)
    }

    @Test func timeRunsBetweenTwoLooks() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        bench.now = bench.now + .milliseconds(61_900)
        #expect(bench.time == ReaderClockTests.noon + 61)
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
        #expect(bench.clock.offset == ReaderClockTests.noon)
        #expect(bench.run(5) == [])
        #expect(bench.time == ReaderClockTests.noon + 5)
        #expect(bench.set(ReaderClockTests.noon + 65) == .done)
        #expect(bench.takeEvents() == [.stepped(by: 60)])
    }

    @Test func offsetIsGivenBackAtTheNextStart() {
        let bench = Bench(system: ReaderClockTests.noon - 500, offset: 500)
        #expect(bench.look() == [.wasSet(epochSeconds: ReaderClockTests.noon), .quality(.set)])
    }

    @Test(arguments: [
        (Int64(0), ReaderClock.Outcome.done), (-1, .done), (-300, .done), (-301, .tooFarBack), (-86_400, .tooFarBack),
        (86_400 * 365 * 20, .done),
    ])
    func howFarAPhoneMaySetTheClock(step: Int64, outcome: ReaderClock.Outcome) {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon + step) == outcome)
        #expect(bench.time == ReaderClockTests.noon + max(0, step))
        #expect(bench.takeEvents() == (outcome == .done && abs(step) >= 2 ? [.stepped(by: step)] : []))
    }

    /// What was put on record meanwhile is not to happen again: the time stands still until it is right.
    @Test func aClockThatIsAMinuteFastIsCorrected() {
        let bench = Bench(system: ReaderClockTests.noon + 60)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon) == .done)
        #expect(bench.takeEvents() == [.stepped(by: -60)])
        #expect(bench.clock.offset == -60)
        #expect(bench.time == ReaderClockTests.noon + 60)
        #expect(bench.run(59) == [])
        #expect(bench.time == ReaderClockTests.noon + 60)
        #expect(bench.run(11) == [])
        #expect(bench.time == ReaderClockTests.noon + 70)
        #expect(bench.clock.corrections.left(at: ReaderClockTests.noon + 70) == 240)
    }

    /// Another phone knows better before the minute is over.
    @Test func aClockThatStandsStillMayBeSetAhead() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon - 60) == .done)
        #expect(bench.set(ReaderClockTests.noon - 10) == .done)
        #expect(bench.takeEvents() == [.stepped(by: -60), .stepped(by: 50)])
        bench.run(20)
        #expect(bench.time == ReaderClockTests.noon + 10)
    }

    /// Phones' clocks differ by parts of a second, and whoever is a second behind takes nothing back.
    @Test func aSecondBackIsNoCorrection() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        for second in 0..<1000 as Range<Int64> {
            #expect(bench.set(ReaderClockTests.noon + second - 1) == .done)
            #expect(bench.run(1) == [])
        }
        #expect(bench.takeEvents() == [])
        #expect(bench.time == ReaderClockTests.noon + 1000 && bench.clock.offset == 0)
        #expect(bench.clock.corrections == CorrectionAllowance())
    }

    /// Five minutes at once, also in parts, and more only as it comes back.
    @Test func correctionsAreUsedUp() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon - 200) == .done)
        #expect(bench.set(ReaderClockTests.noon - 301) == .tooFarBack)
        #expect(bench.set(ReaderClockTests.noon - 300) == .done)
        bench.run(300)
        #expect(bench.time == ReaderClockTests.noon)
        #expect(bench.set(ReaderClockTests.noon - 2) == .tooFarBack)
        // 10 s a day.
        bench.run(86_400)
        #expect(bench.set(ReaderClockTests.noon + 86_400 - 11) == .tooFarBack)
        #expect(bench.set(ReaderClockTests.noon + 86_400 - 10) == .done)
        #expect(bench.time == ReaderClockTests.noon + 86_400)
    }

    /// Whoever has a credential that ends at noon, and one for maintenance, cannot hold noon: he sets the clock back each
    /// minute for thirty days, by as much as is let through.
    @Test func nobodyHoldsTheTime() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        var shown: Int64 = 0
        for minute in 1...43_200 as ClosedRange<Int64> {
            bench.run(60)
            var step: Int64 = 300
            while step >= 2, bench.set(ReaderClockTests.noon - step) != .done,
                bench.set((bench.time ?? 0) - step) != .done
            { step /= 2 }
            #expect((bench.time ?? 0) >= shown)
            shown = bench.time ?? 0
            #expect(shown >= ReaderClockTests.noon + minute * 60 - 600, "300 s, and 300 s that come back in 30 days")
        }
        #expect(shown <= ReaderClockTests.noon + 43_200 * 60 - 300, "it was tried")
    }

    /// What is shown never goes back by a phone or by a system clock that nobody keeps, whatever they say.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func timeNeverGoesBack(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon)
        _ = bench.look()
        var shown: Int64 = 0
        for _ in 0..<2000 {
            let by = Int64.random(in: -400...100, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: _ = bench.set((bench.time ?? 0) + by)
            case 1: bench.system += by
            case 2: bench.run(abs(by))
            default: _ = bench.look()
            }
            #expect((bench.time ?? 0) >= shown)
            shown = bench.time ?? 0
        }
        #expect(shown > ReaderClockTests.noon)
    }

    /// Restarting the reader gives nobody more than he had.
    @Test func correctionsOutlastARestart() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon - 300) == .done)
        let (offset, restoredAt) = (bench.clock.offset, bench.clock.corrections.restoredAt)
        #expect(restoredAt == ReaderClockTests.noon + 2_592_000)
        let next = Bench(system: ReaderClockTests.noon + 5, lastEvent: ReaderClockTests.noon, offset: offset)
        next.clock = ReaderClock(
            zone: .utc, buildTime: ReaderClockTests.built, lastEvent: ReaderClockTests.noon, offset: offset,
            corrections: CorrectionAllowance(restoredAt: restoredAt))
        #expect(next.look() == [.wasSet(epochSeconds: ReaderClockTests.noon), .quality(.set)])
        #expect(next.set(ReaderClockTests.noon - 298) == .tooFarBack)
        next.run(295)
        #expect(next.time == ReaderClockTests.noon)
        next.run(5)
        #expect(next.time == ReaderClockTests.noon + 5)
    }

    @Test func phoneNeverGoesBeforeTheLastEventNorTheBuild() {
        let bench = Bench(system: 0, lastEvent: ReaderClockTests.noon)
        #expect(bench.set(ReaderClockTests.noon - 301) == .tooEarly)
        #expect(bench.time == nil)
        #expect(bench.set(ReaderClockTests.noon - 300) == .done)
        #expect(bench.time == ReaderClockTests.noon)
        let new = Bench(system: 0)
        #expect(new.set(ReaderClockTests.built - 1) == .tooEarly)
        #expect(new.set(ReaderClockTests.built) == .done)
    }

    /// Only somebody at the reader may go back further, and nobody before the firmware was built.
    @Test func operatorMayGoBack() {
        let bench = Bench(system: ReaderClockTests.noon, lastEvent: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.built + 5, .operatorLocally) == .done)
        #expect(bench.time == ReaderClockTests.built + 5)
        #expect(bench.set(ReaderClockTests.built - 1, .operatorLocally) == .tooEarly)
        // What was shown before does not bind phones any more.
        #expect(bench.set(ReaderClockTests.built + 100) == .done)
        #expect(bench.time == ReaderClockTests.built + 100)
    }

    /// Who set the clock ahead by mistake is corrected by an operator, and phones may correct that one again.
    @Test func anOperatorGivesTheCorrectionsBack() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        #expect(bench.set(ReaderClockTests.noon - 300) == .done)
        #expect(bench.set(ReaderClockTests.noon - 300, .operatorLocally) == .done)
        #expect(bench.time == ReaderClockTests.noon - 300)
        #expect(bench.set(ReaderClockTests.noon - 600) == .done)
        #expect(bench.time == ReaderClockTests.noon - 300)
    }

    @Test func synchronisedClockWins() {
        let bench = Bench(system: ReaderClockTests.noon - 1000)
        _ = bench.look()
        _ = bench.set(ReaderClockTests.noon)
        _ = bench.takeEvents()
        bench.isSynchronised = true
        #expect(bench.look() == [.stepped(by: -1000), .quality(.synchronised)])
        #expect(bench.clock.offset == 0)
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
        (-300, [.stepped(by: -300)]), (-301, [.refusedStep(by: -301)]), (-3600, [.refusedStep(by: -3600)]),
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

    /// It is followed by a little, also again and again: a system clock is not at a phone's hand.
    @Test func systemClockThatGoesBackByALittleStandsStill() {
        let bench = Bench(system: ReaderClockTests.noon)
        _ = bench.look()
        for _ in 0..<10 {
            bench.system -= 300
            #expect(bench.look() == [.stepped(by: -300)])
            #expect(bench.time == ReaderClockTests.noon)
            bench.system -= 2
            #expect(bench.look() == [.refusedStep(by: -2)])
            bench.run(300)
        }
        #expect(bench.time == ReaderClockTests.noon)
        #expect(bench.clock.offset == 20)
    }

    /// A damaged disk, or somebody's hand in it.
    @Test(arguments: [Int64.max, .min, 1 << 41]) func anOffsetThatCannotBeIsNone(offset: Int64) {
        let bench = Bench(system: ReaderClockTests.noon, offset: offset)
        #expect(bench.look() == [.wasSet(epochSeconds: ReaderClockTests.noon), .quality(.set)])
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
}
