// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The parameters of a connection (Core 5.4, Vol 4, Part E, 7.8.12). Values outside the ranges of HCI are moved to
/// the nearest valid ones.
public struct ConnectionSettings: Equatable, Sendable {
    /// The connection interval, 7.5 ms to 4 s.
    public var interval: Duration
    /// The peripheral latency in events, 0 to 499.
    public var latency: UInt16
    /// The supervision time-out, 100 ms to 32 s.
    public var supervisionTimeout: Duration
    /// The time-out of the connection attempt.
    public var timeLimit: Duration

    /// Settings typical for phones.
    public init(
        interval: Duration = .milliseconds(30), latency: UInt16 = 0, supervisionTimeout: Duration = .seconds(2),
        timeLimit: Duration = .seconds(10)
    ) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.timeLimit = timeLimit
    }

    /// The parameters in the units of HCI.
    var parameters: ConnectionParameters {
        ConnectionParameters(
            minimumInterval: intervalUnits, maximumInterval: intervalUnits, latency: latencyEvents,
            supervisionTimeout: timeoutUnits)
    }

    /// The longest time for which a link with these settings outlasts its other end: the supervision time-out, within
    /// HCI's range and longer than the silence that interval and latency allow, or six intervals before the first
    /// packet (Core 5.4, Vol 6, Part B, 4.5.2).
    public var longestSilence: Duration {
        let timeout = Duration.milliseconds(10 * Int64(timeoutUnits))
        let sixIntervals = Duration.microseconds(6 * 1250 * Int64(intervalUnits))
        return max(timeout, sixIntervals)
    }

    /// The interval in units of 1.25 ms.
    private var intervalUnits: UInt16 { UInt16(max(6, min(3200, interval / .microseconds(1250))).rounded()) }

    private var latencyEvents: UInt16 { min(499, latency) }

    /// The time-out in units of 10 ms, above twice the longest silence that interval and latency allow.
    private var timeoutUnits: UInt16 {
        let asked = max(10, min(3200, supervisionTimeout / .milliseconds(10)))
        let least = (1 + Double(latencyEvents)) * Double(intervalUnits) / 4 + 1
        return UInt16(min(3200, max(asked, least)).rounded(.up))
    }
}
