// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// One attribute.
public struct AttributePath: Hashable, Comparable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointNumber
    /// The cluster.
    public var cluster: ClusterID
    /// The attribute.
    public var attribute: AttributeID

    /// The path of an attribute.
    public init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeID) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.attribute = attribute
    }

    /// The order of a report: endpoint, cluster, attribute.
    public static func < (left: AttributePath, right: AttributePath) -> Bool {
        (left.endpoint, left.cluster, left.attribute) < (right.endpoint, right.cluster, right.attribute)
    }
}

/// One command.
public struct CommandPath: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointNumber
    /// The cluster.
    public var cluster: ClusterID
    /// The command.
    public var command: CommandID

    /// The path of a command.
    public init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ command: CommandID) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.command = command
    }
}

/// One event of a cluster.
public struct EventPath: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointNumber
    /// The cluster.
    public var cluster: ClusterID
    /// The event.
    public var event: EventID

    /// The path of an event.
    public init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ event: EventID) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.event = event
    }
}
