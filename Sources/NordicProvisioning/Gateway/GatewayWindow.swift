// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The time window in which phones may provision a gateway, opened by a person at the device or by its operator, and
/// closed automatically.
public struct GatewayWindow: Equatable, Sendable {
    /// The reason why a window was opened.
    public enum Cause: String, Sendable, CaseIterable {
        /// The button was pressed.
        case button
        /// The control socket requested it.
        case control
        /// No network was stored at the start.
        case firstBoot = "first-boot"
    }

    /// The reason why a window was closed.
    public enum End: String, Sendable, CaseIterable {
        /// The time is over.
        case timeOver = "time-over"
        /// The gateway has joined the network that a phone has configured.
        case done
        /// The control socket requested it.
        case control
        /// The gateway shuts down.
        case shutDown = "shut-down"
    }

    /// The time for which it stays open after a phone has configured a working network, so that the phone sees the
    /// result.
    public static let afterwards = Duration.seconds(30)
    /// The maximum extension for a join in progress: longer than one takes.
    public static let grace = Duration.seconds(90)

    /// The reason why it was opened.
    public let cause: Cause
    /// The end of the window.
    public private(set) var until: Instant
    /// True if a phone has configured a working network.
    public private(set) var isDone = false
    /// The end of the window that was opened.
    private let full: Instant
    private var limit: Instant { full + GatewayWindow.grace }

    /// A window that is open for `time`.
    public init(_ cause: Cause, at now: Instant, for time: Duration) {
        self.cause = cause
        full = now + time
        until = full
    }

    /// Records that a network configured by a phone works, and shortens the window.
    mutating func done(at now: Instant) {
        isDone = true
        until = min(until, now + GatewayWindow.afterwards)
    }

    /// Records that the phone has removed the network: the window gets the rest of its time again.
    mutating func undone() {
        guard isDone else { return }
        isDone = false
        until = max(until, full)
    }

    /// The reason to close now; nil for none. The window is extended while a join is in progress.
    mutating func end(at now: Instant, isJoining: Bool) -> End? {
        guard until <= now else { return nil }
        if isJoining, now < limit {
            until = min(now + .seconds(1), limit)
            return nil
        }
        return isDone ? .done : .timeOver
    }
}
