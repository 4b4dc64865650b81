// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The peer of a session, for access control and commands.
public struct Accessor: Sendable, Hashable {
    /// The way the peer proved itself.
    public enum Authentication: Sendable, Hashable {
        /// Knowledge of the passcode: a commissioner, with the privilege to administer everything.
        case pase
        /// An operational certificate.
        case `case`(node: NodeID, tags: [CASEAuthenticatedTag])
    }

    /// The way the peer proved itself.
    public var authentication: Authentication
    /// The fabric of the session; nil for PASE before AddNOC.
    public var fabric: FabricIndex?
    /// The local number of the session.
    public var session: UInt16
    /// The challenge that attestation signatures cover, derived with the session's keys.
    public var attestationChallenge: [UInt8]
    /// True within a timed interaction. The server sets it.
    public var isTimed: Bool

    /// A peer.
    public init(
        authentication: Authentication, fabric: FabricIndex?, session: UInt16, attestationChallenge: [UInt8] = [],
        isTimed: Bool = false
    ) {
        self.authentication = authentication
        self.fabric = fabric
        self.session = session
        self.attestationChallenge = attestationChallenge
        self.isTimed = isTimed
    }

    /// The node of a CASE session.
    public var node: NodeID? {
        guard case .case(let node, _) = authentication else { return nil }
        return node
    }
}

/// A privilege of access control, with its number in an access control entry.
public enum Privilege: UInt8, Comparable, Sendable {
    /// Read values that are not secret.
    case view = 1
    /// Read on behalf of other nodes.
    case proxyView
    /// Operate the device.
    case operate
    /// Change settings.
    case manage
    /// Change access rights.
    case administer

    /// The order of the numbers.
    public static func < (left: Privilege, right: Privilege) -> Bool { left.rawValue < right.rawValue }

    /// True if a grant of this privilege includes `required`. Only Proxy View and Administer include Proxy View.
    public func includes(_ required: Privilege) -> Bool {
        switch self {
        case .proxyView: required == .view || required == .proxyView
        case .administer: true
        default: required != .proxyView && required <= self
        }
    }
}
