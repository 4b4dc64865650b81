public import Timekeeping

/// Notices when the wall clock steps, by the monotonic one.
public struct ClockWatch: Sendable {
    /// What is still no step, in seconds: the two clocks are read one after the other, in whole seconds, and
    /// synchronisation slews.
    public static let tolerance: Int64 = 2

    private var instant: Instant?
    private var epochSeconds: Int64?

    /// A watch that has seen nothing yet.
    public init() {}

    /// Takes what both clocks show. How many seconds the wall clock went ahead since the last time, negative for
    /// back, if that is a step; nil otherwise, also when it was set for the first time.
    public mutating func look(_ moment: Moment) -> Int64? {
        defer {
            instant = moment.instant
            epochSeconds = moment.epochSeconds
        }
        guard let before = instant, let former = epochSeconds, let current = moment.epochSeconds else { return nil }
        let passed = (moment.instant - before).wholeNanoseconds / 1_000_000_000
        let step = current &- former &- passed
        return abs(step) > ClockWatch.tolerance ? step : nil
    }
}
