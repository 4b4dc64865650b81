public import Timekeeping

/// The time in which phones may bring a gateway into a network: opened by somebody who is at it, or has it in hand, and closed
/// by itself.
public struct GatewayWindow: Equatable, Sendable {
    /// Who has opened it.
    public enum Cause: String, Sendable, CaseIterable {
        /// Somebody has pressed the button.
        case button
        /// Somebody on the device itself has said so.
        case control
        /// It knew no network when it was started.
        case firstBoot = "first-boot"
    }

    /// Why it is closed.
    public enum End: String, Sendable, CaseIterable {
        /// Its time is over.
        case timeOver = "time-over"
        /// The gateway is in the network that a phone has named.
        case done
        /// Somebody on the device itself has said so.
        case control
        /// The gateway ends.
        case shutDown = "shut-down"
    }

    /// How long it stays open after a phone has named a network that works, for that phone to see so.
    public static let afterwards = Duration.seconds(30)
    /// How much longer it may stay open than it was to, for a join to end that has begun in it: longer than one takes.
    public static let grace = Duration.seconds(90)

    /// Who has opened it.
    public let cause: Cause
    /// When its time is over.
    public private(set) var until: Instant
    /// Whether a phone has named a network that works.
    public private(set) var isDone = false
    private var limit: Instant

    /// A window that is open for `time` from now on.
    public init(_ cause: Cause, at now: Instant, for time: Duration) {
        self.cause = cause
        until = now + time
        limit = until + GatewayWindow.grace
    }

    /// A network that a phone has named works.
    mutating func done(at now: Instant) {
        isDone = true
        until = min(until, now + GatewayWindow.afterwards)
    }

    /// Why it closes now; nil if it does not. It waits for a join that is under way.
    mutating func end(at now: Instant, isJoining: Bool) -> End? {
        guard until <= now else { return nil }
        if isJoining, now < limit {
            until = min(now + .seconds(1), limit)
            return nil
        }
        return isDone ? .done : .timeOver
    }
}
