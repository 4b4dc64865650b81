// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The times of the attempts to connect, so that a fleet does not come back all at once.
///
/// The first attempt after a start or a connection is spread uniformly, later ones are decorrelated up to ten minutes.
/// A connection of a minute resets them.
public struct Reconnection: Equatable, Sendable {
    /// The least time between the beginnings of two attempts.
    public static let least = Duration.seconds(5)
    /// The longest pause.
    public static let longest = Duration.seconds(600)
    /// The age of a connection from which on it counts as good.
    public static let goodAfter = Duration.seconds(60)
    /// The number of connections lost within `goodAfter`, without any other cause, that says that another client takes
    /// them.
    public static let lossesOfTwo = 3
    /// The least pause after that.
    public static let pauseOfTwo = Duration.seconds(30)

    /// The time over which the first attempts of a fleet are spread.
    public let spread: Duration
    private var lastAttempt: Instant?
    private var connectedAt: Instant?
    private var pause: Duration?
    /// The times of losses that another client may have caused.
    private var losses: [Instant] = []
    /// True after the broker has said that another client has taken the session.
    private var isTakenOver = false

    /// Attempts of a fleet that are spread over this time.
    public init(spread: Duration) { self.spread = spread }

    /// True after losses that say that another client has the same identity.
    public var isContested: Bool { isTakenOver || losses.count >= Reconnection.lossesOfTwo }

    /// An attempt begins.
    public mutating func begin(at now: Instant) { lastAttempt = now }

    /// The broker serves.
    public mutating func connect(at now: Instant) { connectedAt = now }

    /// The connection has stood long enough, if it has: earlier losses count no more.
    public mutating func settle(at now: Instant) {
        guard let connectedAt, now - connectedAt >= Reconnection.goodAfter else { return }
        (pause, losses, isTakenOver) = (nil, [], false)
    }

    /// The time at which the connection counts as good; nil without one.
    public var goodAt: Instant? {
        guard let connectedAt, pause != nil || isTakenOver || !losses.isEmpty else { return nil }
        return connectedAt + Reconnection.goodAfter
    }

    /// The connection, or the attempt, has failed. Returns the time of the next attempt.
    ///
    /// - Parameters:
    ///   - isOfAnother: true if another client may be the cause, and nothing else that is known.
    ///   - isTakenOver: true if the broker has said so.
    public mutating func fail(
        at now: Instant, isOfAnother: Bool = false, isTakenOver: Bool = false,
        random: inout some RandomNumberGenerator
    ) -> Instant {
        settle(at: now)
        losses.removeAll { now - $0 > Reconnection.goodAfter }
        if connectedAt != nil, isOfAnother { losses.append(now) }
        if isTakenOver { self.isTakenOver = true }
        connectedAt = nil
        let ceiling = pause.map { min($0 * 3, Reconnection.longest) } ?? spread
        let floor = pause == nil ? .zero : Reconnection.least
        var chosen = Reconnection.uniform(floor...max(floor, ceiling), &random)
        pause = max(chosen, Reconnection.least)
        if isContested { chosen = max(chosen, Reconnection.pauseOfTwo) }
        return max(now + chosen, earliest(from: now))
    }

    /// The time of the first attempt after a start: all readers of a site come back together after a power cut.
    public func first(from now: Instant, random: inout some RandomNumberGenerator) -> Instant {
        max(now + Reconnection.uniform(.zero...spread, &random), earliest(from: now))
    }

    /// The first time from `now` on at which an attempt may begin.
    private func earliest(from now: Instant) -> Instant {
        lastAttempt.map { max(now, $0 + Reconnection.least) } ?? now
    }

    static func uniform(_ range: ClosedRange<Duration>, _ random: inout some RandomNumberGenerator) -> Duration {
        let (least, most) = (range.lowerBound.wholeNanoseconds, range.upperBound.wholeNanoseconds)
        return .nanoseconds(Int64.random(in: least...most, using: &random))
    }
}
