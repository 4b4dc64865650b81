/// How far phones may still take the reader's clock back.
///
/// It comes back with the reader's own time, evenly, and so slowly that nobody who corrects the clock again and again
/// keeps it from going on: what he gains is `limit`, and then 10 s a day.
public struct CorrectionAllowance: Equatable, Sendable {
    /// All of it, in seconds: what a quartz that is 100 ppm fast, a bad one in the cold, gains within `period`.
    public static let limit: Int64 = 300
    /// How many seconds it takes until all of it is there again: so long a site may go without a phone that is right.
    public static let period: Int64 = 30 * 86_400
    private static let secondsForOne = period / limit

    /// When all of it is there again, in seconds since 1970 by the reader's clock; in the past while it is. To be kept,
    /// and given back at the next start.
    public private(set) var restoredAt: Int64

    /// An allowance of which all is there at `restoredAt`.
    public init(restoredAt: Int64 = 0) {
        self.restoredAt = restoredAt
    }

    /// How many seconds there are left when the reader's clock shows `now`.
    public func left(at now: Int64) -> Int64 {
        let (missing, isFar) = restoredAt.subtractingReportingOverflow(now)
        guard !isFar, missing > 0 else { return isFar && restoredAt > 0 ? 0 : CorrectionAllowance.limit }
        guard missing < CorrectionAllowance.period else { return 0 }
        return (CorrectionAllowance.period - missing) / CorrectionAllowance.secondsForOne
    }

    /// Takes `seconds` of it if that many are left when the reader's clock shows `now`; whether they were.
    mutating func take(_ seconds: Int64, at now: Int64) -> Bool {
        guard seconds <= left(at: now) else { return false }
        restoredAt = max(restoredAt, now) + seconds * CorrectionAllowance.secondsForOne
        return true
    }
}
