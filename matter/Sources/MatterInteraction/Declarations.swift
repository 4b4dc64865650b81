// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// An attribute of a cluster. The server adds the global attributes.
public struct AttributeDeclaration: Sendable, Equatable {
    /// The attribute.
    public var id: AttributeID
    /// The privilege to read.
    public var readPrivilege: Privilege
    /// The privilege to write; nil for a read-only attribute.
    public var writePrivilege: Privilege?
    /// True if a write must be timed.
    public var isTimed: Bool
    /// True for a list whose entries belong to fabrics.
    public var isFabricScoped: Bool
    /// True for a list, which can be sent in parts.
    public var isList: Bool
    /// True if changes are not reported (quality C).
    public var changesOmitted: Bool
    /// True if the value never changes (quality F).
    public var isFixed: Bool

    /// A declaration.
    public init(
        _ id: AttributeID, readPrivilege: Privilege = .view, writePrivilege: Privilege? = nil, isTimed: Bool = false,
        isFabricScoped: Bool = false, isList: Bool = false, changesOmitted: Bool = false, isFixed: Bool = false
    ) {
        self.id = id
        self.readPrivilege = readPrivilege
        self.writePrivilege = writePrivilege
        self.isTimed = isTimed
        self.isFabricScoped = isFabricScoped
        self.isList = isList
        self.changesOmitted = changesOmitted
        self.isFixed = isFixed
    }
}

/// A command that a cluster accepts.
public struct CommandDeclaration: Sendable, Equatable {
    /// The command.
    public var id: CommandID
    /// The privilege to invoke.
    public var privilege: Privilege
    /// True if the command must be timed.
    public var isTimed: Bool
    /// True if the command needs a fabric.
    public var isFabricScoped: Bool
    /// The command of the response; nil if the response is a status.
    public var response: CommandID?

    /// A declaration.
    public init(
        _ id: CommandID, privilege: Privilege = .operate, isTimed: Bool = false, isFabricScoped: Bool = false,
        response: CommandID? = nil
    ) {
        self.id = id
        self.privilege = privilege
        self.isTimed = isTimed
        self.isFabricScoped = isFabricScoped
        self.response = response
    }
}

/// An event that a cluster emits.
public struct EventDeclaration: Sendable, Equatable {
    /// The event.
    public var id: EventID
    /// The privilege to read.
    public var privilege: Privilege
    /// The priority in the event buffer.
    public var priority: EventPriority
    /// True if only the fabric that the event concerns may read it.
    public var isFabricSensitive: Bool

    /// A declaration.
    public init(
        _ id: EventID, privilege: Privilege = .view, priority: EventPriority, isFabricSensitive: Bool = false
    ) {
        self.id = id
        self.privilege = privilege
        self.priority = priority
        self.isFabricSensitive = isFabricSensitive
    }
}

/// A server cluster on an endpoint.
public struct ClusterDeclaration: Sendable, Equatable {
    /// The cluster.
    public var id: ClusterID
    /// The value of ClusterRevision.
    public var revision: UInt16
    /// The value of FeatureMap.
    public var features: UInt32
    /// True for a cluster of diagnostics (quality K), which a wildcard can omit.
    public var isDiagnostics: Bool
    /// The attributes without the global ones.
    public var attributes: [AttributeDeclaration]
    /// The accepted commands.
    public var commands: [CommandDeclaration]
    /// The events.
    public var events: [EventDeclaration]

    /// A declaration.
    public init(
        _ id: ClusterID, revision: UInt16, features: UInt32 = 0, isDiagnostics: Bool = false,
        attributes: [AttributeDeclaration], commands: [CommandDeclaration] = [], events: [EventDeclaration] = []
    ) {
        self.id = id
        self.revision = revision
        self.features = features
        self.isDiagnostics = isDiagnostics
        self.attributes = attributes
        self.commands = commands
        self.events = events
    }
}

/// A device type with the revision that an endpoint implements.
public struct DeviceTypeDeclaration: Sendable, Equatable {
    /// The device type.
    public var id: DeviceTypeID
    /// The revision.
    public var revision: UInt16

    /// A declaration.
    public init(_ id: DeviceTypeID, revision: UInt16) {
        self.id = id
        self.revision = revision
    }
}

/// An endpoint with its clusters.
public struct EndpointDeclaration: Sendable, Equatable {
    /// The endpoint.
    public var number: EndpointNumber
    /// The device types.
    public var deviceTypes: [DeviceTypeDeclaration]
    /// The server clusters.
    public var clusters: [ClusterDeclaration]

    /// A declaration.
    public init(_ number: EndpointNumber, deviceTypes: [DeviceTypeDeclaration], clusters: [ClusterDeclaration]) {
        self.number = number
        self.deviceTypes = deviceTypes
        self.clusters = clusters
    }
}
