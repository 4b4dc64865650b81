// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import Timekeeping

/// The armed fail-safe (Matter Core 11.10.7.2): all that was done since it was armed, and how to undo it.
///
/// The stored state never contains what the fail-safe covers: after a loss of power the node is as before.
struct FailSafe: Sendable {
    /// The key pair of a CSR.
    struct Request: Sendable {
        let key: P256PrivateKey
        let isForUpdate: Bool
    }

    /// A change of credentials; one per fail-safe.
    enum CredentialChange: Sendable {
        case added(FabricIndex)
        case updated(previous: Fabric)
    }

    /// The network as it was before its first change.
    struct PreviousNetwork: Sendable {
        let network: NodeState.Network?
    }

    /// The time at which it was first armed.
    let start: Instant
    /// The time of roll-back.
    private(set) var deadline: Instant
    /// The only fabric that may use it; nil for PASE before AddNOC.
    var fabric: FabricIndex?
    /// The session that armed it.
    let session: UInt16
    /// The CSR of the operational key to come.
    var request: Request?
    /// The root of the fabric to come.
    var root: OperationalCertificate?
    /// The credentials added or replaced.
    var credentials: CredentialChange?
    /// Set with the first change of the network.
    var previousNetwork: PreviousNetwork?

    /// A fail-safe armed at `now`.
    init(session: UInt16, fabric: FabricIndex?, at now: Instant) {
        self.session = session
        self.fabric = fabric
        start = now
        deadline = now
    }

    /// True if it is that of a commissioner, not of an administrator of a fabric.
    var isOfCommissioner: Bool { if case .added = credentials { true } else { fabric == nil } }

    /// Restarts the time; the sum is limited.
    mutating func extend(to end: Instant, cumulative: Duration) { deadline = min(end, start + cumulative) }

    /// `state` without all that this fail-safe covers.
    func undone(_ state: NodeState) -> NodeState {
        var state = state
        switch credentials {
        case .added(let index): state.remove(index)
        case .updated(let previous): state.put(previous)
        case nil: break
        }
        if let previousNetwork { state.network = previousNetwork.network }
        return state
    }
}
