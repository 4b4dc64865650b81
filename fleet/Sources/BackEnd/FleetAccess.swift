// SPDX-License-Identifier: Apache-2.0

public import MQTT

/// The broker, and the client identifier there.
public struct FleetAccess {
    /// The broker.
    public let broker: Broker
    /// The client identifier.
    public let identity: String

    /// Access with this identifier.
    public init(broker: Broker, identity: String) { (self.broker, self.identity) = (broker, identity) }
}
