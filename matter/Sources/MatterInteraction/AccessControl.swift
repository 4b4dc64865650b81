// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// An entry of the access control list.
public struct AccessControlEntry: Equatable, Sendable {
    /// The way a subject proves itself.
    public enum AuthenticationMode: UInt8, Sendable {
        case pase = 1
        case `case`
        case group
    }

    /// The fabric that the entry belongs to.
    public var fabric: FabricIndex
    /// The privilege that the entry grants.
    public var privilege: Privilege
    /// The kind of the subjects.
    public var authenticationMode: AuthenticationMode
    /// Nodes and CASE authenticated tags; nil or empty for all of the fabric.
    public var subjects: [NodeID]?
    /// The parts of the node; nil or empty for all.
    public var targets: [AccessControlTarget]?

    /// An entry.
    public init(
        fabric: FabricIndex, privilege: Privilege, authenticationMode: AuthenticationMode, subjects: [NodeID]?,
        targets: [AccessControlTarget]?
    ) {
        self.fabric = fabric
        self.privilege = privilege
        self.authenticationMode = authenticationMode
        self.subjects = subjects
        self.targets = targets
    }
}

/// A part of the node: every member that is not nil must match.
public struct AccessControlTarget: Hashable, Sendable {
    /// The cluster; nil for any.
    public var cluster: ClusterID?
    /// The endpoint; nil for any.
    public var endpoint: EndpointNumber?
    /// A device type of the endpoint; nil for any.
    public var deviceType: DeviceTypeID?

    /// A target.
    public init(cluster: ClusterID? = nil, endpoint: EndpointNumber? = nil, deviceType: DeviceTypeID? = nil) {
        self.cluster = cluster
        self.endpoint = endpoint
        self.deviceType = deviceType
    }
}

/// The privileges of a peer on one cluster of one endpoint.
public struct GrantedPrivileges: Sendable {
    private var granted: [Privilege] = []

    /// The privileges that `entries` grant `accessor` on `cluster` of `endpoint`; over PASE, all.
    public init(
        of accessor: Accessor, on cluster: ClusterID, of endpoint: EndpointDeclaration,
        entries: [AccessControlEntry]
    ) {
        guard case .case(let node, let tags) = accessor.authentication else {
            granted = [.administer]
            return
        }
        guard let fabric = accessor.fabric else { return }
        for entry in entries where entry.fabric == fabric && entry.authenticationMode == .case {
            guard !granted.contains(entry.privilege), entry.hasSubject(node, tags),
                entry.hasTarget(cluster, of: endpoint)
            else { continue }
            granted.append(entry.privilege)
        }
    }

    /// True if `privilege` is included.
    public func include(_ privilege: Privilege) -> Bool { granted.contains { $0.includes(privilege) } }
}

extension AccessControlEntry {
    fileprivate func hasSubject(_ node: NodeID, _ tags: [CASEAuthenticatedTag]) -> Bool {
        guard let subjects, !subjects.isEmpty else { return true }
        return subjects.contains { subject in
            guard let required = subject.authenticatedTag else { return subject == node }
            return required.version > 0
                && tags.contains { $0.identifier == required.identifier && $0.version >= required.version }
        }
    }

    fileprivate func hasTarget(_ cluster: ClusterID, of endpoint: EndpointDeclaration) -> Bool {
        guard let targets, !targets.isEmpty else { return true }
        return targets.contains { target in
            // A target without any part is malformed and matches nothing.
            guard target != AccessControlTarget() else { return false }
            return (target.cluster == nil || target.cluster == cluster)
                && (target.endpoint == nil || target.endpoint == endpoint.number)
                && (target.deviceType == nil || endpoint.deviceTypes.contains { $0.id == target.deviceType })
        }
    }
}
