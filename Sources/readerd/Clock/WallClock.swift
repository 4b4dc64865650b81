// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Reader
import Timekeeping

/// The reader's clock, based on the system clock: the time of every decision, and its quality.
///
/// Until the contents of an earlier run are known, it shows the system clock's time.
final class WallClock {
    /// A reading of the system clock.
    struct SystemTime {
        /// Seconds since 1970-01-01 UTC.
        var seconds: Int64
        /// The nanoseconds since the second began.
        var nanoseconds: Int64 = 0
        var isSynchronised: Bool

        /// Reads the system clock.
        static func now() -> SystemTime {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return SystemTime(
                seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec),
                isSynchronised: readerd_clock_is_synchronised())
        }
    }

    private let monotonic: () -> Instant
    private let system: () -> SystemTime
    private let buildTime: Int64
    private var zone: TimeZoneRule
    private var clock: ReaderClock?
    private var observedAt: Instant?

    /// The intervals of readings of the system clock, with and without a time.
    private static let interval = Duration.seconds(60)
    private static let unsetInterval = Duration.seconds(5)

    init(
        zone: TimeZoneRule, buildTime: Int64, monotonic: @escaping () -> Instant,
        system: @escaping () -> SystemTime = SystemTime.now
    ) {
        self.zone = zone
        self.buildTime = buildTime
        self.monotonic = monotonic
        self.system = system
    }

    /// Seconds since 1970-01-01 UTC; nil if the clock is not set.
    var epochSeconds: Int64? {
        if let clock { return clock.epochSeconds(at: monotonic()) }
        let now = system().seconds
        return now >= buildTime ? now : nil
    }

    /// The time of an input.
    var moment: Moment {
        let now = monotonic()
        return Moment(
            instant: now, epochSeconds: epochSeconds, latestSeconds: clock?.latestSeconds(at: now),
            earliestSeconds: clock?.earliestSeconds(at: now))
    }

    /// The time of an event.
    var auditTime: AuditTime { AuditTime(moment, zone: zone, quality: quality) }

    /// The time of an event that came before the clock began, by its monotonic time.
    func auditTime(at time: AuditTime) -> AuditTime {
        let instant = Instant(nanoseconds: time.uptimeMilliseconds * 1_000_000)
        let moment = Moment(instant: instant, epochSeconds: clock?.epochSeconds(at: instant))
        return AuditTime(moment, zone: zone, quality: quality)
    }

    /// The quality of the time, for events.
    var quality: AuditTime.Quality {
        guard let clock else { return system().isSynchronised ? .synchronised : .system }
        switch clock.quality {
        case .unset: return .unset
        case .synchronised: return .synchronised
        case .set, .stale: return clock.marks.offset == 0 ? .system : .phone
        }
    }

    /// The quality of the time, for the status.
    var readerQuality: ReaderClock.Quality { clock?.quality ?? .unset }

    /// Seconds since 1970-01-01 UTC if a synchronised clock or an operator vouches for them; nil otherwise.
    var certainSeconds: Int64? { clock?.isCertain == true ? epochSeconds : nil }

    /// The state to be stored; nil before `begin`.
    var marks: ClockMarks? { clock?.marks(at: monotonic()) }

    /// The time of the next call of `observe`; nil before `begin`.
    var nextDeadline: Instant? {
        guard let clock, let observedAt else { return nil }
        return observedAt + (clock.quality == .unset ? WallClock.unsetInterval : WallClock.interval)
    }

    /// Starts with the marks of an earlier run; nil for a reader that has never run.
    func begin(marks: ClockMarks?, lastEvent: Int64?) -> [ReaderClock.Event] {
        clock = ReaderClock(zone: zone, buildTime: buildTime, lastEvent: lastEvent, marks: marks)
        observedAt = nil
        return observe()
    }

    /// Reads the system clock if due, or in any case. Returns the events to be recorded.
    func observe(inAnyCase: Bool = false) -> [ReaderClock.Event] {
        let now = monotonic()
        if !inAnyCase, let deadline = nextDeadline, now < deadline { return [] }
        let shown = system()
        var events: [ReaderClock.Event] = []
        guard clock != nil else { return [] }
        observedAt = now
        // The reader's seconds begin with the system's: a validity that begins now is valid now.
        let second = Instant(nanoseconds: now.nanoseconds - shown.nanoseconds)
        clock?.observe(
            systemSeconds: shown.seconds, isSynchronised: shown.isSynchronised, at: second, into: &events)
        return events
    }

    /// Sets the time given by a phone or an operator.
    func set(
        to epochSeconds: Int64, by authority: ReaderClock.Authority, into events: inout [ReaderClock.Event]
    ) -> ReaderClock.Outcome {
        guard clock != nil else { return .tooEarly }
        let now = monotonic()
        return clock?.set(
            to: epochSeconds, by: authority, systemSeconds: system().seconds, at: now, into: &events) ?? .tooEarly
    }

    /// Changes the time zone, for a pushed configuration.
    func use(_ zone: TimeZoneRule) {
        self.zone = zone
        clock?.zone = zone
    }
}
