// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// A step of the node for a person, a transcript or a finding.
public enum MatterNotice: Equatable, Sendable {
    /// A window has opened for commissioning, by this administrator; nil for the device itself.
    case windowOpened(WindowKind, by: MatterAuthor?)
    /// Commissioning is no longer possible.
    case windowClosed(WindowEnd)
    /// A commissioner has begun PASE.
    case passcodeAttempt
    /// PASE failed; the number of failures in this window.
    case passcodeFailed(count: Int)
    /// A PASE session exists.
    case passcodeAccepted
    /// The PASE session has ended.
    case passcodeSessionEnded
    /// A CASE session of this fabric and node exists.
    case sessionEstablished(fabric: FabricIndex, node: NodeID)
    /// A CASE session has ended.
    case sessionEnded(fabric: FabricIndex, node: NodeID)
    /// A CASE session ends next with its subscriptions: the table is full, and `by` has opened another session.
    case sessionDisplaced(fabric: FabricIndex, node: NodeID, by: MatterAuthor)
    /// The fail-safe was armed or extended, for this time from now.
    case failSafeArmed(seconds: Int, byCommand: Bool)
    /// The fail-safe has ended without success, and all changes were rolled back.
    case failSafeExpired(FailSafeEnd)
    /// A command was executed, or refused.
    case command(cluster: ClusterID, command: CommandID, name: String, fabric: FabricIndex?, outcome: String)
    /// A fabric was added; it is final after `commissioned`.
    case fabricAdded(FabricIndex, node: NodeID)
    /// The credentials of a fabric were replaced; they are final after `commissioned`.
    case fabricUpdated(FabricIndex)
    /// Commissioning is complete.
    case commissioned(FabricIndex)
    /// A fabric was removed, by this administrator if not nil.
    case fabricRemoved(FabricIndex, by: MatterAuthor?)
    /// A network was stored, with this name or identifier.
    case networkStored([UInt8])
    /// A join was requested, and has ended with this status (NetworkCommissioningStatusEnum).
    case networkJoined([UInt8], status: UInt8)
    /// The connection to the network was lost.
    case networkLost
    /// A subscription was established.
    case subscribed(fabric: FabricIndex, subscription: UInt32, maximumInterval: UInt16)
    /// A subscription has ended.
    case unsubscribed(subscription: UInt32)
    /// An operation of the lock, with the node that requested it, or its refusal.
    case lockOperation(LockAction, LockSource, fabric: FabricIndex?, node: NodeID?, isRefused: Bool)
    /// An order had no PIN that authorizes it.
    case pinRefused(LockAction, by: MatterAuthor?, PINRefusal)
    /// The device identifies itself to people.
    case identifying(seconds: UInt16)
    /// The state was not stored, so the reply that promises durability was not sent.
    case storingFailed
    /// An injected fault has acted.
    case faultInjected(String)
    /// The node was reset to its state as delivered.
    case factoryReset
    /// A message was dropped or refused, with the reason.
    case refused(String)
}

/// A node of a fabric that has requested something.
public struct MatterAuthor: Equatable, Sendable {
    /// The fabric of this node's table.
    public let fabric: FabricIndex
    /// The requesting node.
    public let node: NodeID

    /// The node `node` of `fabric`.
    public init(fabric: FabricIndex, node: NodeID) {
        self.fabric = fabric
        self.node = node
    }
}

/// The reason why no PIN authorizes an order.
public enum PINRefusal: Equatable, Sendable {
    /// It had none.
    case missing
    /// It was wrong, or of a user without access.
    case wrong
    /// So was the last one before PINs are disabled for a time.
    case lastWrong
    /// PINs are disabled for a time.
    case disabled
}

/// The kind of a commissioning window.
public enum WindowKind: UInt8, Equatable, Sendable {
    /// Opened by the device itself, with the label's code.
    case label = 0
    /// Opened by an administrator, with a code of its choice.
    case enhanced = 1
    /// Opened by an administrator, with the label's code.
    case basic = 2
}

/// The cause of a window's end.
public enum WindowEnd: Equatable, Sendable {
    /// Commissioning is complete.
    case commissioned
    /// Its time is over.
    case timeout
    /// An administrator revoked it.
    case revoked
    /// Twenty failures of PASE.
    case tooManyFailures
    /// A local operation.
    case closed
    /// The program that decides about windows was lost.
    case programLost
    /// The fabric of the administrator that opened it was removed, or the last fabric.
    case fabricRemoved
}

/// The cause of a fail-safe's end without success.
public enum FailSafeEnd: Equatable, Sendable {
    /// Its time is over.
    case timeout
    /// ArmFailSafe with 0 seconds.
    case disarmed
    /// The window was revoked.
    case revoked
    /// Its fabric was removed.
    case fabricRemoved
    /// The PASE session ended before a fabric was added.
    case sessionLost
    /// A factory reset.
    case factoryReset
}
