import Reader
import Timekeeping

/// Looks at the reader's clock: the system's, and how far the reader's is ahead of it.
struct ClockTest {
    /// The system's clock, in seconds since 1970-01-01 UTC.
    var seconds: Int64
    var isSynchronised: Bool
    var buildTime: Int64
    /// The time of the newest event on record; nil if there is none, or its time is not known.
    var lastEvent: Int64?
    /// The state of the reader's clock, as an earlier run has kept it.
    var marks: ClockMarks?

    /// The clock as the reader would accept it.
    var outcome: SelfTestOutcome {
        var clock = ReaderClock(zone: .utc, buildTime: buildTime, lastEvent: lastEvent, marks: marks)
        var events: [ReaderClock.Event] = []
        clock.observe(systemSeconds: seconds, isSynchronised: isSynchronised, at: .origin, into: &events)
        let system = marks.map { $0.offset == 0 } ?? true ? "" : "; the system's shows \(ClockTest.text(seconds))"
        // The reader believes a clock that is kept right; a person should know that it was not, or is not.
        let earliest = max(lastEvent ?? buildTime, buildTime)
        guard let time = clock.epochSeconds(at: .origin), time >= earliest else {
            return .failed(fault(max(earliest, clock.floor), system))
        }
        let shown = ClockTest.text(time)
        return .ok(isSynchronised ? "\(shown), synchronised" : "\(shown), set, and not synchronised\(system)")
    }

    /// The fault of a time before `floor`.
    private func fault(_ floor: Int64, _ system: String) -> String {
        let shown = ClockTest.text(seconds &+ (marks?.offset ?? 0))
        let remedy = "set it, or have it synchronised"
        return floor == buildTime
            ? "not set: it shows \(shown), before this firmware was built, and no credential can be checked; \(remedy)"
            : "it shows \(shown)\(system), before the latest time on record (\(ClockTest.text(floor))); \(remedy)"
    }

    private static func text(_ seconds: Int64) -> String {
        let time = AuditTime(epochSeconds: seconds, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return EventLine.time(time) ?? "\(seconds)"
    }
}
