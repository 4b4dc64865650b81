// SPDX-License-Identifier: Apache-2.0

/// A point on the monotonic clock: nanoseconds since an origin chosen by the caller.
///
/// Protocol logic never reads a clock. Each input comes with an `Instant`, and deadlines are expressed as `Instant`;
/// tests supply any value.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the origin.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The origin.
    public static let origin = Instant(nanoseconds: 0)

    /// The chronological order.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `duration` later; saturates on overflow.
    @inlinable
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// The time from `earlier` to `later`; negative in reverse order.
    @inlinable
    public static func - (later: Instant, earlier: Instant) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(later < earlier ? Int64.min : Int64.max)
    }

    /// The earlier of two optional instants; nil if both are nil. Allocates nothing, unlike a list.
    @inlinable
    public static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero, clamped to the range of `Int64` (292 years).
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard overflow || carried else { return sum }
        return seconds < 0 ? .min : .max
    }

    /// The duration in whole milliseconds, rounded towards zero.
    @inlinable
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
