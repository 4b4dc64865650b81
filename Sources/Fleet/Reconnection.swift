// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The times of the attempts to connect, so that a fleet does not reconnect all at once.
///
/// The first attempt after a start or a connection is spread uniformly; later ones are decorrelated up to ten minutes.
/// A connection of one minute resets them.
public struct Reconnection: Equatable, Sendable {
    /// The least time between the beginnings of two attempts.
    public static let least = Duration.seconds(5)
    /// The longest pause.
    public static let longest = Duration.seconds(600)
    /// The age at which a connection counts as good.
    public static let goodAfter = Duration.seconds(60)
    /// The number of connections lost within `goodAfter`, without any other cause, that indicates a second client.
    public static let lossesOfTwo = 3
    /// The shortest pause after that.
    public static let pauseOfTwo = Duration.seconds(30)

    /// The time over which the first attempts of a fleet are spread.
    public let spread: Duration
    private var lastAttempt: Instant?
    private var connectedAt: Instant?
    private var pause: Duration?
    /// The times of losses that another client may have caused.
    private var losses: [Instant] = []
    /// True after the broker has reported that another client has taken over the session.
    private var isTakenOver = false

    /// Creates the attempts of a reader in a fleet, spread over this time.
    public init(spread: Duration) { self.spread = spread }

    /// True if the losses indicate that another client has the same identity.
    public var isContested: Bool { isTakenOver || losses.count >= Reconnection.lossesOfTwo }

    /// Records the beginning of an attempt.
    public mutating func begin(at now: Instant) { lastAttempt = now }

    /// Records that the broker serves the link.
    public mutating func connect(at now: Instant) { connectedAt = now }

    /// Forgets earlier losses once the connection is old enough.
    public mutating func settle(at now: Instant) {
        guard let connectedAt, now - connectedAt >= Reconnection.goodAfter else { return }
        (pause, losses, isTakenOver) = (nil, [], false)
    }

    /// The time at which the connection counts as good; nil without one.
    public var goodAt: Instant? {
        guard let connectedAt, pause != nil || isTakenOver || !losses.isEmpty else { return nil }
        return connectedAt + Reconnection.goodAfter
    }

    /// Records the failure of the connection, or of an attempt, and returns the time of the next attempt.
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

    /// The time of the first attempt after a start. It is spread, since all readers of a site start together after a
    /// power cut.
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
