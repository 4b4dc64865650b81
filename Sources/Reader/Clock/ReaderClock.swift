public import Timekeeping

/// The reader's own clock: what time it is at the door, and how far that can be believed.
///
/// A value. The shell tells what the system's clock shows (`observe`), and gets back what is worth a record. Between two
/// observations time runs with the monotonic clock, so a system clock that is set does not go unnoticed. The system's
/// clock is never set from here: what a phone or an operator says is kept as the difference to it.
///
/// Whatever the time is taken from, it never goes back at the door: who takes it back by a little has it stand still
/// until it is right, and more is refused. So no credential that has ended opens again. Only a synchronised system clock,
/// which wins over everything else, and an operator set it back.
public struct ReaderClock: Equatable, Sendable {
    /// How far the time can be believed.
    public enum Quality: String, Equatable, Sendable {
        /// There is no time: nothing that depends on it is decided.
        case unset
        /// It was set, and is synchronised by nobody.
        case set
        /// As `set`, and that is longer ago than `staleAfter`.
        case stale
        /// The system's clock is synchronised.
        case synchronised
    }

    /// What is worth a record.
    public enum Event: Equatable, Sendable {
        /// There is a time now.
        case wasSet(epochSeconds: Int64)
        /// The time has changed by so many seconds, beyond what has passed.
        case stepped(by: Int64)
        /// The system's clock has gone back by so many seconds, and was not followed.
        case refusedStep(by: Int64)
        /// The quality is another one.
        case quality(Quality)
    }

    /// Who sets the clock.
    public enum Authority: Equatable, Sendable {
        /// A signed command of a phone.
        case phone
        /// An operator at the reader.
        case operatorLocally
    }

    /// What became of an attempt to set the clock.
    public enum Outcome: Equatable, Sendable {
        /// The clock shows the time given.
        case done
        /// The system's clock is synchronised, and is believed instead.
        case synchronised
        /// The time is before this firmware was built or, from a phone while there is no time, before the last event.
        case tooEarly
        /// Further back than phones may correct the clock: only an operator may do that.
        case tooFarBack
    }

    /// A step of less is how clocks differ, and no event.
    public static let tolerance: Int64 = 2
    /// How far the time may be behind what is shown, or on record at the start, which then stands still until it is right:
    /// as far as phones may take it back at once. A minute that lasts longer would be no time to be let in by.
    public static let longestStandstill = CorrectionAllowance.limit
    /// How far the reader's time can be from the system's, in seconds: 34,000 years. What was kept and is more is damage.
    private static let farthestOffset: UInt64 = 1 << 40

    /// The zone of the local time.
    public var zone: TimeZoneRule
    /// After how long without being set the time is stale (IEC 60839-11-1 wants a clock to be set each 24 hours at the
    /// higher grades).
    public let staleAfter: Duration
    /// When this firmware was built, in seconds since 1970: what shows an earlier time has not been set.
    public let buildTime: Int64
    /// Nothing earlier is shown: the latest of the firmware's build time, the last event of an earlier run, and what was
    /// shown when the clock was last taken back.
    public private(set) var floor: Int64
    /// How far phones may still take the clock back.
    public private(set) var corrections: CorrectionAllowance
    /// How far the time can be believed.
    public private(set) var quality = Quality.unset
    /// How many seconds the reader's time is ahead of the system's; to be kept, and given back at the next start.
    public private(set) var offset: Int64
    /// The time when it was last observed or set, which may be before `floor`.
    private var known: (instant: Instant, epochSeconds: Int64)?
    private var setAt: Instant?

    /// A clock that shows nothing until it is observed.
    ///
    /// - Parameters:
    ///   - buildTime: of this firmware, in seconds since 1970; nothing is earlier.
    ///   - lastEvent: the time of the last event on record, if there is one.
    ///   - offset: what `offset` was at the end of the last run.
    ///   - corrections: what `corrections` was then.
    public init(
        zone: TimeZoneRule, buildTime: Int64, lastEvent: Int64? = nil, offset: Int64 = 0,
        corrections: CorrectionAllowance = CorrectionAllowance(), staleAfter: Duration = .seconds(86_400)
    ) {
        self.zone = zone
        self.offset = offset.magnitude <= ReaderClock.farthestOffset ? offset : 0
        self.corrections = corrections
        self.staleAfter = staleAfter
        self.buildTime = buildTime
        floor = max(buildTime, lastEvent ?? buildTime)
    }

    /// Whether they show the same, and believe it as far.
    public static func == (a: ReaderClock, b: ReaderClock) -> Bool {
        a.zone == b.zone && a.buildTime == b.buildTime && a.floor == b.floor && a.quality == b.quality
            && a.offset == b.offset && a.corrections == b.corrections
            && a.known?.instant == b.known?.instant && a.known?.epochSeconds == b.known?.epochSeconds
            && a.setAt == b.setAt && a.staleAfter == b.staleAfter
    }

    /// Seconds since 1970-01-01 UTC at `now`; nil while unset.
    public func epochSeconds(at now: Instant) -> Int64? { running(at: now).map { max(floor, $0) } }

    /// The same, also while that is earlier than what is shown.
    private func running(at now: Instant) -> Int64? {
        // Asked for with every frame, so without a duration in between.
        known.map { $0.epochSeconds + (now.nanoseconds &- $0.instant.nanoseconds) / 1_000_000_000 }
    }

    /// The local time at `now`; nil while unset.
    public func civilTime(at now: Instant) -> CivilTime? {
        epochSeconds(at: now).map { zone.civilTime(at: $0) }
    }

    /// What the system's clock shows at `now`, in seconds since 1970, and whether something keeps it synchronised. To be
    /// called at the start, and each minute or when the clock was set.
    public mutating func observe(
        systemSeconds: Int64, isSynchronised: Bool, at now: Instant, into events: inout [Event]
    ) {
        // What keeps a clock before this firmware existed is no time service.
        let isSynchronised = isSynchronised && systemSeconds >= buildTime
        if isSynchronised { trust(systemSeconds) }
        var time = systemSeconds + offset
        guard let expected = running(at: now) else {
            guard isSynchronised || time >= earliest else { return }
            known = (now, time)
            setAt = now
            events.append(.wasSet(epochSeconds: max(floor, time)))
            return assess(isSynchronised, at: now, into: &events)
        }
        let step = time - expected
        if !isSynchronised, step <= -ReaderClock.tolerance, max(floor, expected) - time > ReaderClock.longestStandstill
        {
            // The reader goes on with its own time, which is now so much further ahead.
            offset -= step
            time = expected
            events.append(.refusedStep(by: step))
        } else if abs(step) >= ReaderClock.tolerance {
            if !isSynchronised { floor = max(floor, expected) }
            events.append(.stepped(by: step))
            setAt = now
        } else if step < 0 {
            // Less than a tick of difference is no reason for time to go back.
            time = expected
        }
        known = (now, time)
        if isSynchronised { setAt = now }
        assess(isSynchronised, at: now, into: &events)
    }

    /// Sets the time, in seconds since 1970, as `authority` says it is at `now`. `systemSeconds`: what the system's clock
    /// shows.
    ///
    /// A phone may set the clock ahead, and back by as much as `corrections` has left: then the time that is shown stands
    /// still until it is right.
    public mutating func set(
        to epochSeconds: Int64, by authority: Authority, systemSeconds: Int64, at now: Instant,
        into events: inout [Event]
    ) -> Outcome {
        guard quality != .synchronised else { return .synchronised }
        guard epochSeconds >= buildTime else { return .tooEarly }
        let present = running(at: now)
        switch authority {
        case .operatorLocally: trust(epochSeconds)
        case .phone:
            guard let present else {
                guard epochSeconds >= earliest else { return .tooEarly }
                break
            }
            if 0..<ReaderClock.tolerance ~= present - epochSeconds {
                // As good as the same, which is no reason for time to stand still.
                setAt = now
                assess(false, at: now, into: &events)
                return .done
            }
            guard correct(present, to: epochSeconds) else { return .tooFarBack }
        }
        offset = epochSeconds - systemSeconds
        known = (now, epochSeconds)
        setAt = now
        if let present {
            if abs(epochSeconds - present) >= ReaderClock.tolerance {
                events.append(.stepped(by: epochSeconds - present))
            }
        } else {
            events.append(.wasSet(epochSeconds: max(floor, epochSeconds)))
        }
        assess(false, at: now, into: &events)
        return .done
    }

    /// What the first time that is known may be: a clock that was taken back before a restart still is.
    private var earliest: Int64 { max(buildTime, floor - ReaderClock.longestStandstill) }

    /// Somebody who is believed says that it is `time`: what was shown before does not count any more.
    private mutating func trust(_ time: Int64) {
        offset = 0
        floor = max(buildTime, min(floor, time))
        corrections = CorrectionAllowance()
    }

    /// Whether a phone may set the clock from `present` to `time`; if that is back, what is shown stands still from here.
    private mutating func correct(_ present: Int64, to time: Int64) -> Bool {
        guard time < present else { return true }
        let shown = max(floor, present)
        guard shown - time <= ReaderClock.longestStandstill, corrections.take(present - time, at: shown) else {
            return false
        }
        floor = shown
        return true
    }

    private mutating func assess(_ isSynchronised: Bool, at now: Instant, into events: inout [Event]) {
        let age = setAt.map { now - $0 } ?? .zero
        let next: Quality = isSynchronised ? .synchronised : age >= staleAfter ? .stale : .set
        guard next != quality else { return }
        quality = next
        events.append(.quality(next))
    }
}
