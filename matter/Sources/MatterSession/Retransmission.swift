// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The times of the message reliability protocol (Core 4.12.8).
enum Retransmission {
    /// The maximum number of transmissions of a message (MRP_MAX_TRANSMISSIONS).
    static let transmissionLimit = 5
    /// The time within which an answer carries the acknowledgement (MRP_STANDALONE_ACK_TIMEOUT).
    static let acknowledgementDelay = Duration.milliseconds(200)

    /// The intervals of a peer that did not state any.
    private enum Default {
        static let idleInterval: UInt32 = 500
        static let activeInterval: UInt32 = 300
        static let activeThreshold: UInt16 = 4000
    }

    /// The interval of a peer: its active interval if a message arrived within its active threshold, otherwise its idle
    /// interval.
    static func interval(of peer: SessionParameters, lastHeard: Instant, at now: Instant) -> Duration {
        let threshold = Duration.milliseconds(Int(peer.activeThreshold ?? Default.activeThreshold))
        let isActive = now - lastHeard < threshold
        let interval =
            isActive
            ? peer.activeInterval ?? Default.activeInterval : peer.idleInterval ?? Default.idleInterval
        return .milliseconds(Int(min(interval, SessionParameters.greatestInterval)))
    }

    /// The time after transmission `attempt`, from 0: interval × 1.1 × 1.6^max(0, attempt − 1), and up to a quarter
    /// more.
    ///
    /// - Parameter jitter: a random octet; 255 gives nearly the full quarter.
    static func backOff(_ interval: Duration, attempt: Int, jitter: UInt8) -> Duration {
        var wait = interval.wholeNanoseconds / 10 * 11
        for _ in 1..<max(1, min(attempt, transmissionLimit)) { wait = wait / 5 * 8 }
        return .nanoseconds(wait + wait / 1024 * Int64(jitter))
    }
}
