public import Timekeeping

/// The reader's own clock: what time it is at the door, and how far that can be believed.
///
/// A value. The shell tells what the system's clock shows (`observe`), and gets back what is worth a record. Between two
/// observations time runs with the monotonic clock, so a system clock that is set does not go unnoticed. The system's
/// clock is never set from here: what a phone or an operator says is kept as the difference to it.
///
/// A synchronised system clock wins over everything else. One that is not may go forward, and back by up to a day; a
/// larger step back would let credentials that have ended open again, and needs an operator.
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
        /// The time is before this firmware was built or, from a phone, before the last event.
        case tooEarly
        /// More than a day back: only an operator may do that.
        case tooFarBack
    }

    /// A step of less is how clocks differ, and no event.
    public static let tolerance: Int64 = 2
    /// How far back a phone, or an unsynchronised system clock, may set the clock.
    public static let maximumStepBack: Int64 = 86_400
    /// How far the reader's time can be from the system's, in seconds: 34,000 years. What was kept and is more is damage.
    private static let farthestOffset: UInt64 = 1 << 40

    /// The zone of the local time.
    public var zone: TimeZoneRule
    /// After how long without being set the time is stale (IEC 60839-11-1 wants a clock to be set each 24 hours at the
    /// higher grades).
    public let staleAfter: Duration
    /// When this firmware was built, in seconds since 1970: what shows an earlier time has not been set.
    public let buildTime: Int64
    /// A phone sets nothing earlier: the later of the firmware's build time and the last event of an earlier run. Those of
    /// this run do not count: a clock that is fast has put them on record, and is to be corrected.
    public let floor: Int64
    /// How far the time can be believed.
    public private(set) var quality = Quality.unset
    /// How many seconds the reader's time is ahead of the system's; to be kept, and given back at the next start.
    public private(set) var offset: Int64
    /// The reader's time when it was last observed or set.
    private var known: (instant: Instant, epochSeconds: Int64)?
    private var setAt: Instant?

    /// A clock that shows nothing until it is observed.
    ///
    /// - Parameters:
    ///   - buildTime: of this firmware, in seconds since 1970; nothing is earlier.
    ///   - lastEvent: the time of the last event on record, if there is one.
    ///   - offset: what `offset` was at the end of the last run; one that cannot be real counts as none.
    public init(
        zone: TimeZoneRule, buildTime: Int64, lastEvent: Int64? = nil, offset: Int64 = 0,
        staleAfter: Duration = .seconds(86_400)
    ) {
        self.zone = zone
        self.offset = offset.magnitude <= ReaderClock.farthestOffset ? offset : 0
        self.staleAfter = staleAfter
        self.buildTime = buildTime
        floor = max(buildTime, lastEvent ?? buildTime)
    }

    /// Whether they show the same, and believe it as far.
    public static func == (a: ReaderClock, b: ReaderClock) -> Bool {
        a.zone == b.zone && a.buildTime == b.buildTime && a.floor == b.floor && a.quality == b.quality
            && a.offset == b.offset
            && a.known?.instant == b.known?.instant && a.known?.epochSeconds == b.known?.epochSeconds
            && a.setAt == b.setAt && a.staleAfter == b.staleAfter
    }

    /// Seconds since 1970-01-01 UTC at `now`; nil while unset.
    public func epochSeconds(at now: Instant) -> Int64? {
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
        if isSynchronised { offset = 0 }
        var time = systemSeconds + offset
        guard let expected = epochSeconds(at: now) else {
            guard isSynchronised || time >= floor else { return }
            known = (now, time)
            setAt = now
            events.append(.wasSet(epochSeconds: time))
            return assess(isSynchronised, at: now, into: &events)
        }
        let step = time - expected
        if !isSynchronised, step < -ReaderClock.maximumStepBack || time < floor && step < -ReaderClock.tolerance {
            // The reader goes on with its own time, which is now so much further ahead.
            offset -= step
            time = expected
            events.append(.refusedStep(by: step))
        } else if abs(step) >= ReaderClock.tolerance {
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
    public mutating func set(
        to epochSeconds: Int64, by authority: Authority, systemSeconds: Int64, at now: Instant,
        into events: inout [Event]
    ) -> Outcome {
        guard quality != .synchronised else { return .synchronised }
        let present = self.epochSeconds(at: now)
        if authority == .phone {
            if let present, epochSeconds - present < -ReaderClock.maximumStepBack { return .tooFarBack }
            guard epochSeconds >= floor else { return .tooEarly }
        }
        guard epochSeconds >= buildTime else { return .tooEarly }
        offset = epochSeconds - systemSeconds
        known = (now, epochSeconds)
        setAt = now
        if let present {
            if abs(epochSeconds - present) >= ReaderClock.tolerance {
                events.append(.stepped(by: epochSeconds - present))
            }
        } else {
            events.append(.wasSet(epochSeconds: epochSeconds))
        }
        assess(false, at: now, into: &events)
        return .done
    }

    private mutating func assess(_ isSynchronised: Bool, at now: Instant, into events: inout [Event]) {
        let age = setAt.map { now - $0 } ?? .zero
        let next: Quality = isSynchronised ? .synchronised : age >= staleAfter ? .stale : .set
        guard next != quality else { return }
        quality = next
        events.append(.quality(next))
    }
}
