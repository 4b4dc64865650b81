// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The reader's own clock: the time at the door, and its quality.
///
/// A value. The shell reports the system clock's time (`observe`) and receives the events to be recorded. Between two
/// observations time runs with the monotonic clock, so that a step of the system clock is noticed. The reader never
/// sets the system clock: a time set by a phone or an operator is kept as an offset from it.
///
/// A synchronised system clock, an operator at the reader, and an issuer's signed command (`CLK_SET`) give
/// authoritative times. Since the last of them, phones and an unsynchronised system clock together may set the clock
/// back by a day at most, and phones may set it ahead by a year at most. The amounts used are in `marks`, which are
/// kept over a restart. A validity that has ended at the latest time shown remains ended (`latestSeconds`).
public struct ReaderClock: Equatable, Sendable {
    /// The quality of the time.
    public enum Quality: String, Equatable, Sendable {
        /// No time is known: nothing that depends on it is decided.
        case unset
        /// The clock was set and is not synchronised.
        case set
        /// As `set`, longer ago than `staleAfter`.
        case stale
        /// The system clock is synchronised.
        case synchronised
    }

    /// An event of the clock to be recorded.
    public enum Event: Equatable, Sendable {
        /// The clock has a time, for the first time since the start.
        case wasSet(epochSeconds: Int64)
        /// The time has changed by this many seconds, apart from the time elapsed.
        case stepped(by: Int64)
        /// The system clock has gone back by this many seconds, and the reader's clock did not follow.
        case refusedStep(by: Int64)
        /// The quality has changed to this one.
        case quality(Quality)
    }

    /// The source of a time.
    public enum Authority: Equatable, Sendable {
        /// A command of a phone, whose time is not signed.
        case phone
        /// A command whose signed validity names the time to a day.
        case issuer
        /// An operator at the reader.
        case operatorLocally
    }

    /// The result of setting the clock.
    public enum Outcome: Equatable, Sendable {
        /// The clock shows the time given.
        case done
        /// Refused: the system clock is synchronised and takes precedence.
        case synchronised
        /// Refused: the time is before the firmware's build; from a phone, before the latest time of an earlier run;
        /// from an issuer, more than an hour before the authoritative time carried forward.
        case tooEarly
        /// Refused: the steps back since the last authoritative time would exceed a day.
        case tooFarBack
        /// Refused: the steps ahead by phones since then would exceed a year.
        case tooFarAhead
    }

    /// The smallest step that is an event, in seconds. Clocks differ by less.
    public static let tolerance: Int64 = 2
    /// The maximum sum of steps back by phones and an unsynchronised system clock since the last authoritative time, in
    /// seconds: far more than the error of a quartz in a year.
    public static let maximumBack: Int64 = 86_400
    /// The tolerance for an issuer's time behind the authoritative time carried forward, in seconds: more than a quartz
    /// gains in years.
    public static let issuerTolerance: Int64 = 3600
    /// The maximum sum of steps ahead by phones since then, in seconds: a board without a battery may be off for a
    /// year.
    public static let maximumAhead: Int64 = 366 * 86_400
    /// The maximum time, in seconds, between a firmware's build and the first time that a phone may set.
    public static let maximumShelfLife: Int64 = 10 * 366 * 86_400

    /// The time zone of the local time.
    public var zone: TimeZoneRule
    /// The age at which a time that was set is stale (IEC 60839-11-1 wants a clock to be set each 24 hours at the
    /// higher grades).
    public let staleAfter: Duration
    /// The firmware's build time in seconds since 1970: a clock that shows an earlier time has not been set.
    public let buildTime: Int64
    /// The earliest time that a phone may set: the latest of the firmware's build, the last event and the last time
    /// shown by earlier runs. Events of this run do not count, since a fast clock may have recorded them, and must be
    /// correctable. An authoritative time lowers the limit to the build time.
    public private(set) var floor: Int64
    /// The quality of the time.
    public private(set) var quality = Quality.unset
    /// True while the time comes from a synchronised system clock or an operator and has not stepped since: certain
    /// enough to decide which orders predate it.
    public private(set) var isCertain = false
    /// The state to be kept for the next start.
    public private(set) var marks: ClockMarks
    /// True if this reader never had a time.
    private var isNew: Bool
    /// The reader's time when it was last observed or set.
    private var known: (instant: Instant, epochSeconds: Int64)?
    private var setAt: Instant?

    /// Creates a clock that is unset.
    ///
    /// - Parameters:
    ///   - buildTime: The firmware's build time in seconds since 1970, the lower limit of every time.
    ///   - lastEvent: The time of the last recorded event; nil without a recorded event.
    ///   - marks: The marks of the last run; nil for a reader that never ran.
    public init(
        zone: TimeZoneRule, buildTime: Int64, lastEvent: Int64? = nil, marks: ClockMarks? = nil,
        staleAfter: Duration = .seconds(86_400)
    ) {
        self.zone = zone
        self.staleAfter = staleAfter
        self.buildTime = buildTime
        isNew = marks == nil && lastEvent == nil
        floor = max(buildTime, lastEvent ?? buildTime, marks?.shown ?? buildTime)
        self.marks = marks ?? ClockMarks(latest: floor)
        self.marks.latest = max(floor, self.marks.latest)
        self.marks.shown = floor
    }

    /// True if both have the same time, quality and settings.
    public static func == (a: ReaderClock, b: ReaderClock) -> Bool {
        a.zone == b.zone && a.buildTime == b.buildTime && a.floor == b.floor && a.quality == b.quality
            && a.marks == b.marks
            && a.known?.instant == b.known?.instant && a.known?.epochSeconds == b.known?.epochSeconds
            && a.setAt == b.setAt && a.staleAfter == b.staleAfter && a.isCertain == b.isCertain
    }

    /// The seconds since 1970-01-01 UTC at `now`; nil while unset.
    public func epochSeconds(at now: Instant) -> Int64? {
        // Called for every frame: computed without a `Duration`. Rounded down also before the known instant, so that an
        // earlier event does not read up to a second late.
        known.map {
            let elapsed = now.nanoseconds &- $0.instant.nanoseconds
            let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
            return $0.epochSeconds + seconds - (rest < 0 ? 1 : 0)
        }
    }

    /// The latest time shown since the last authoritative one, at `now`; nil while unset.
    public func latestSeconds(at now: Instant) -> Int64? { epochSeconds(at: now).map { max($0, marks.latest) } }

    /// The time at `now` less the steps ahead by phones; nil while unset.
    public func earliestSeconds(at now: Instant) -> Int64? { epochSeconds(at: now).map { $0 - marks.ahead } }

    /// The time without the steps since the last authoritative time; while unset, counted from the time shown when the
    /// marks were kept.
    private func authoritativeSeconds(at now: Instant) -> Int64 {
        (epochSeconds(at: now) ?? marks.shown) + marks.back - marks.ahead
    }

    /// The local time at `now`; nil while unset.
    public func civilTime(at now: Instant) -> CivilTime? {
        epochSeconds(at: now).map { zone.civilTime(at: $0) }
    }

    /// The marks to be kept at `now`.
    public func marks(at now: Instant) -> ClockMarks {
        var marks = marks
        guard let shown = epochSeconds(at: now) else { return marks }
        marks.shown = shown
        marks.latest = max(marks.latest, shown)
        return marks
    }

    /// Handles the system clock's time at `now`, in seconds since 1970, and its synchronisation state. Call it at the
    /// start, each minute, and after the clock was set.
    public mutating func observe(
        systemSeconds: Int64, isSynchronised: Bool, at now: Instant, into events: inout [Event]
    ) {
        // A time before the firmware's build does not come from a time service.
        let isSynchronised = isSynchronised && systemSeconds >= buildTime
        if isSynchronised { (marks.offset, isCertain) = (0, true) }
        var time = systemSeconds + marks.offset
        guard let expected = epochSeconds(at: now) else {
            guard isSynchronised || time >= floor else { return }
            begin(at: time, now, into: &events)
            if isSynchronised { believe(time) }
            return assess(isSynchronised, at: now, into: &events)
        }
        let step = time - expected
        if isSynchronised {
            if abs(step) >= ReaderClock.tolerance { events.append(.stepped(by: step)) }
            if step < 0, step > -ReaderClock.tolerance { time = expected }
            believe(time)
            setAt = now
        } else if step <= -ReaderClock.tolerance, time < floor || marks.back - step > ReaderClock.maximumBack {
            // The reader keeps its own time, which is now further ahead of the system clock.
            marks.offset -= step
            time = expected
            events.append(.refusedStep(by: step))
        } else if abs(step) >= ReaderClock.tolerance {
            if step < 0 { goBack(from: expected, by: -step) }
            events.append(.stepped(by: step))
            (setAt, isCertain) = (now, false)
        } else if step < 0 {
            // A difference below the tolerance does not set time back.
            time = expected
        }
        known = (now, time)
        assess(isSynchronised, at: now, into: &events)
    }

    /// Sets the time at `now`, in seconds since 1970. `systemSeconds` is the time that the system clock shows.
    ///
    /// - Returns: `done`, or the reason of the refusal, which changes nothing.
    public mutating func set(
        to time: Int64, by authority: Authority, systemSeconds: Int64, at now: Instant, into events: inout [Event]
    ) -> Outcome {
        guard quality != .synchronised else { return .synchronised }
        guard time >= buildTime else { return .tooEarly }
        let present = epochSeconds(at: now)
        switch authority {
        case .operatorLocally: believe(time)
        case .issuer:
            guard time >= authoritativeSeconds(at: now) - ReaderClock.issuerTolerance else { return .tooEarly }
            believe(time)
        case .phone:
            let outcome = spend(on: time, present: present)
            guard outcome == .done else { return outcome }
        }
        isCertain = authority == .operatorLocally
        marks.offset = time - systemSeconds
        if let present {
            known = (now, time)
            setAt = now
            if time != present { events.append(.stepped(by: time - present)) }
        } else {
            begin(at: time, now, into: &events)
        }
        assess(false, at: now, into: &events)
        return .done
    }

    /// Counts a phone's step against the limits.
    private mutating func spend(on time: Int64, present: Int64?) -> Outcome {
        guard time >= floor else { return .tooEarly }
        guard let present else {
            // The steps of a new reader are counted from its first time.
            if isNew { return time <= floor + ReaderClock.maximumShelfLife ? .done : .tooFarAhead }
            return goAhead(by: time - floor)
        }
        if time >= present { return goAhead(by: time - present) }
        guard marks.back + (present - time) <= ReaderClock.maximumBack else { return .tooFarBack }
        goBack(from: present, by: present - time)
        return .done
    }

    private mutating func goAhead(by step: Int64) -> Outcome {
        guard step <= ReaderClock.maximumAhead - marks.ahead else { return .tooFarAhead }
        marks.ahead += step
        return .done
    }

    private mutating func goBack(from present: Int64, by step: Int64) {
        marks.latest = max(marks.latest, present)
        marks.back += step
    }

    /// Takes `time` as authoritative and resets the limits' counters.
    private mutating func believe(_ time: Int64) {
        isNew = false
        floor = buildTime
        (marks.latest, marks.shown) = (time, time)
        (marks.back, marks.ahead) = (0, 0)
    }

    /// Starts the clock at `time`.
    private mutating func begin(at time: Int64, _ now: Instant, into events: inout [Event]) {
        isNew = false
        known = (now, time)
        setAt = now
        events.append(.wasSet(epochSeconds: time))
    }

    private mutating func assess(_ isSynchronised: Bool, at now: Instant, into events: inout [Event]) {
        let age = setAt.map { now - $0 } ?? .zero
        let next: Quality = isSynchronised ? .synchronised : age >= staleAfter ? .stale : .set
        guard next != quality else { return }
        quality = next
        events.append(.quality(next))
    }
}
