public import Timekeeping

/// The reader's own clock: what time it is at the door, and how far that can be believed.
///
/// A value. The shell tells what the system's clock shows (`observe`), and gets back what is worth a record. Between two
/// observations time runs with the monotonic clock, so a system clock that is set does not go unnoticed. The system's
/// clock is never set from here: what a phone or an operator says is kept as the difference to it.
///
/// Authoritative times are those of a synchronised system clock, of an operator at the reader, and of an issuer that has
/// signed for it (`CLK_SET`). Since the last of them, phones and an unsynchronised system clock together put the clock
/// back by a day at most, and phones ahead by a year: what they have used up is in `marks`, which outlast a restart. What
/// had ended at the latest time shown stays ended (`latestSeconds`).
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
        /// A command of a phone, whose time nobody has signed.
        case phone
        /// A command whose signed validity names the time, to a day.
        case issuer
        /// An operator at the reader.
        case operatorLocally
    }

    /// What became of an attempt to set the clock.
    public enum Outcome: Equatable, Sendable {
        /// The clock shows the time given.
        case done
        /// The system's clock is synchronised, and is believed instead.
        case synchronised
        /// The time is before this firmware was built or, from a phone, before the latest time of an earlier run; from
        /// an issuer, an hour before what the last authoritative time comes to by now.
        case tooEarly
        /// All steps back since the last authoritative time come to more than a day.
        case tooFarBack
        /// All steps ahead by phones since then come to more than a year.
        case tooFarAhead
    }

    /// A step of less is how clocks differ, and no event.
    public static let tolerance: Int64 = 2
    /// How far phones, and an unsynchronised system clock, put the clock back since the last authoritative time, all
    /// steps together: far more than a quartz errs in a year.
    public static let maximumBack: Int64 = 86_400
    /// How far behind its own reckoning the reader believes an issuer: a quartz is fast by less in years.
    public static let issuerTolerance: Int64 = 3600
    /// How far phones put it ahead since then: a board without a battery may be off for a year.
    public static let maximumAhead: Int64 = 366 * 86_400
    /// How long after its build a firmware may get its first time from a phone.
    public static let maximumShelfLife: Int64 = 10 * 366 * 86_400

    /// The zone of the local time.
    public var zone: TimeZoneRule
    /// After how long without being set the time is stale (IEC 60839-11-1 wants a clock to be set each 24 hours at the
    /// higher grades).
    public let staleAfter: Duration
    /// When this firmware was built, in seconds since 1970: what shows an earlier time has not been set.
    public let buildTime: Int64
    /// The time before which no phone sets the clock: the latest of the firmware's build, the last event and the time that
    /// earlier runs have shown last. Events of this run do not count: a clock that is fast has put them on record, and is to be corrected.
    /// An authoritative time takes their place.
    public private(set) var floor: Int64
    /// How far the time can be believed.
    public private(set) var quality = Quality.unset
    /// The state to be kept, and given back at the next start.
    public private(set) var marks: ClockMarks
    /// Whether this reader never had a time before.
    private var isNew: Bool
    /// The reader's time when it was last observed or set.
    private var known: (instant: Instant, epochSeconds: Int64)?
    private var setAt: Instant?

    /// A clock that shows nothing until it is observed.
    ///
    /// - Parameters:
    ///   - buildTime: of this firmware, in seconds since 1970; nothing is earlier.
    ///   - lastEvent: the time of the last event on record, if there is one.
    ///   - marks: those of the last run; nil for a reader that never ran.
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

    /// Whether they show the same, and believe it as far.
    public static func == (a: ReaderClock, b: ReaderClock) -> Bool {
        a.zone == b.zone && a.buildTime == b.buildTime && a.floor == b.floor && a.quality == b.quality
            && a.marks == b.marks
            && a.known?.instant == b.known?.instant && a.known?.epochSeconds == b.known?.epochSeconds
            && a.setAt == b.setAt && a.staleAfter == b.staleAfter
    }

    /// Seconds since 1970-01-01 UTC at `now`; nil while unset.
    public func epochSeconds(at now: Instant) -> Int64? {
        // Asked for with every frame, so without a duration in between.
        known.map { $0.epochSeconds + (now.nanoseconds &- $0.instant.nanoseconds) / 1_000_000_000 }
    }

    /// The latest time shown since the last authoritative one, at `now`; nil while unset.
    public func latestSeconds(at now: Instant) -> Int64? { epochSeconds(at: now).map { max($0, marks.latest) } }

    /// The time at `now` without what phones have put the clock ahead; nil while unset.
    public func earliestSeconds(at now: Instant) -> Int64? { epochSeconds(at: now).map { $0 - marks.ahead } }

    /// The time as it would be if no phone had moved the clock since the last authoritative time; while unset, as it was
    /// when the marks were kept.
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

    /// What the system's clock shows at `now`, in seconds since 1970, and whether something keeps it synchronised. To be
    /// called at the start, and each minute or when the clock was set.
    public mutating func observe(
        systemSeconds: Int64, isSynchronised: Bool, at now: Instant, into events: inout [Event]
    ) {
        // What keeps a clock before this firmware existed is no time service.
        let isSynchronised = isSynchronised && systemSeconds >= buildTime
        if isSynchronised { marks.offset = 0 }
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
            // The reader goes on with its own time, which is now so much further ahead.
            marks.offset -= step
            time = expected
            events.append(.refusedStep(by: step))
        } else if abs(step) >= ReaderClock.tolerance {
            if step < 0 { goBack(from: expected, by: -step) }
            events.append(.stepped(by: step))
            setAt = now
        } else if step < 0 {
            // Less than a tick of difference is no reason for time to go back.
            time = expected
        }
        known = (now, time)
        assess(isSynchronised, at: now, into: &events)
    }

    /// Sets the time, in seconds since 1970, as `authority` says it is at `now`. `systemSeconds`: what the system's clock
    /// shows.
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

    /// Takes a phone's step out of what phones may move the clock.
    private mutating func spend(on time: Int64, present: Int64?) -> Outcome {
        guard time >= floor else { return .tooEarly }
        guard let present else {
            // A new reader's first time is where its steps are counted from.
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

    /// Takes `time` as authoritative: what was counted before counts no more.
    private mutating func believe(_ time: Int64) {
        isNew = false
        floor = buildTime
        (marks.latest, marks.shown) = (time, time)
        (marks.back, marks.ahead) = (0, 0)
    }

    /// Shows a time from now on.
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
