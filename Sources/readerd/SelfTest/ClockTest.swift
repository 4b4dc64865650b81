import Reader

/// Looks at the reader's clock: the system's, and how far the reader's is ahead of it.
struct ClockTest {
    /// What the system's clock shows, in seconds since 1970-01-01 UTC.
    var seconds: Int64
    /// Whether something keeps it synchronised.
    var isSynchronised: Bool
    /// When this firmware was built.
    var buildTime: Int64
    /// When the newest event on record was; nil if there is none, or its time is not known.
    var lastEvent: Int64?
    /// How many seconds the reader's clock is ahead of the system's, as an earlier run has kept it.
    var offset: Int64 = 0

    /// What the reader's clock would show: one that is kept right is believed, whatever was set.
    private var time: Int64 { isSynchronised && seconds >= buildTime ? seconds : seconds &+ offset }

    /// What the reader can make of it.
    var outcome: SelfTestOutcome {
        let shown = ClockTest.text(time)
        guard time >= buildTime else {
            return .failed(
                "not set: it shows \(shown), before this firmware was built, and no credential can be checked; set "
                    + "it, or have it synchronised")
        }
        if let lastEvent, time < lastEvent {
            return .failed(
                "it shows \(shown), before the last event on record (\(ClockTest.text(lastEvent))); set it, or have "
                    + "it synchronised")
        }
        if isSynchronised { return .ok("\(shown), synchronised") }
        let system = offset == 0 ? "" : "; the system's shows \(ClockTest.text(seconds))"
        return .ok("\(shown), set, and not synchronised\(system)")
    }

    private static func text(_ seconds: Int64) -> String {
        let time = AuditTime(epochSeconds: seconds, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return EventLine.time(time) ?? "\(seconds)"
    }
}
