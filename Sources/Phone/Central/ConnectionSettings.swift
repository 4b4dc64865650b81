/// How a central connects (Core 5.4, Vol 4, Part E, 7.8.12). Values that HCI cannot say are moved to the nearest
/// that it can.
public struct ConnectionSettings: Equatable, Sendable {
    /// The connection interval, 7.5 ms to 4 s.
    public var interval: Duration
    /// How many events the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// How long silence is tolerated, 100 ms to 32 s.
    public var supervisionTimeout: Duration
    /// How long the peer may take to appear before the attempt is cancelled.
    public var timeLimit: Duration

    /// Settings as phones use them.
    public init(
        interval: Duration = .milliseconds(30), latency: UInt16 = 0, supervisionTimeout: Duration = .seconds(2),
        timeLimit: Duration = .seconds(10)
    ) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.timeLimit = timeLimit
    }

    /// The interval in 1.25 ms.
    var intervalUnits: UInt16 { UInt16(max(6, min(3200, interval / .microseconds(1250))).rounded()) }

    var latencyEvents: UInt16 { min(499, latency) }

    /// The time-out in 10 ms, above twice the longest silence that interval and latency allow.
    var timeoutUnits: UInt16 {
        let asked = max(10, min(3200, supervisionTimeout / .milliseconds(10)))
        let least = (1 + Double(latencyEvents)) * Double(intervalUnits) / 4 + 1
        return UInt16(min(3200, max(asked, least)).rounded(.up))
    }
}
