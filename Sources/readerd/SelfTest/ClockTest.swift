// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// The test of the reader's clock: the system clock, and the reader's offset from it.
struct ClockTest {
    /// The system's clock, in seconds since 1970-01-01 UTC.
    var seconds: Int64
    var isSynchronised: Bool
    var buildTime: Int64
    /// The time of the newest event on record; nil if unknown.
    var lastEvent: Int64?
    /// The stored state of the reader's clock.
    var marks: ClockMarks?

    /// The outcome, from a clock as the reader would start it.
    var outcome: SelfTestOutcome {
        var clock = ReaderClock(zone: .utc, buildTime: buildTime, lastEvent: lastEvent, marks: marks)
        var events: [ReaderClock.Event] = []
        clock.observe(systemSeconds: seconds, isSynchronised: isSynchronised, at: .origin, into: &events)
        let system = marks.map { $0.offset == 0 } ?? true ? "" : "; system clock \(ClockTest.text(seconds))"
        // The reader trusts a synchronised clock; an operator should know if it was or is not.
        let earliest = max(lastEvent ?? buildTime, buildTime)
        guard let time = clock.epochSeconds(at: .origin), time >= earliest else {
            return .failed(fault(max(earliest, clock.floor), system))
        }
        let shown = ClockTest.text(time)
        return .ok(isSynchronised ? "\(shown), synchronised" : "\(shown), set, not synchronised\(system)")
    }

    /// Returns the fault of a time before `floor`.
    private func fault(_ floor: Int64, _ system: String) -> String {
        let shown = ClockTest.text(seconds &+ (marks?.offset ?? 0))
        let remedy = "set it, or set up a time service"
        return floor == buildTime
            ? "not set: \(shown), before this firmware's build, no credential can be checked; \(remedy)"
            : "\(shown)\(system), before the latest recorded time (\(ClockTest.text(floor))); \(remedy)"
    }

    private static func text(_ seconds: Int64) -> String {
        let time = AuditTime(epochSeconds: seconds, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return EventLine.time(time) ?? "\(seconds)"
    }
}
