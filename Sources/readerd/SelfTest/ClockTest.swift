import Reader

/// Looks at the system's clock, on which the reader's is based.
struct ClockTest {
    /// Seconds since 1970-01-01 UTC.
    var seconds: Int64
    /// Whether something keeps it synchronised.
    var isSynchronised: Bool
    /// When this firmware was built.
    var buildTime: Int64
    /// When the newest event on record was; nil if there is none, or its time is not known.
    var lastEvent: Int64?

    /// What the reader can make of it.
    var outcome: SelfTestOutcome {
        let shown = ClockTest.text(seconds)
        guard seconds >= buildTime else {
            return .failed(
                "not set: it shows \(shown), before this firmware was built, and no credential can be checked; set "
                    + "it, or have it synchronised")
        }
        if let lastEvent, seconds < lastEvent {
            return .failed(
                "it shows \(shown), before the last event on record (\(ClockTest.text(lastEvent))); set it, or have "
                    + "it synchronised")
        }
        return .ok(isSynchronised ? "\(shown), synchronised" : "\(shown), set, and not synchronised")
    }

    private static func text(_ seconds: Int64) -> String {
        let time = AuditTime(epochSeconds: seconds, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return EventLine.time(time) ?? "\(seconds)"
    }
}
