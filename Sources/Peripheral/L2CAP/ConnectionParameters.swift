/// Connection parameters that a peripheral asks for (Core 5.4, Vol 3, Part A, 4.20).
public struct ConnectionParameters: Equatable, Sendable {
    /// Units of 1.25 ms, 6 to 3200.
    public var minimumInterval: UInt16
    /// Units of 1.25 ms, `minimumInterval` to 3200.
    public var maximumInterval: UInt16
    /// Connection events that the peripheral may pass over, 0 to 499.
    public var latency: UInt16
    /// Units of 10 ms, 10 to 3200.
    public var supervisionTimeout: UInt16

    /// These parameters.
    public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}
