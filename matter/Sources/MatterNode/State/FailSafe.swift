// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import Timekeeping

/// The armed fail-safe (Matter Core 11.10.7.2): all changes since it was armed, and the means to undo them.
///
/// The stored state never contains changes under the fail-safe, so that a loss of power undoes them.
struct FailSafe: Sendable {
    /// The key pair of a CSR.
    struct Request: Sendable {
        let key: P256PrivateKey
        let isForUpdate: Bool
    }

    /// A change of credentials; at most one per fail-safe.
    enum CredentialChange: Sendable {
        case added(FabricIndex)
        case updated(previous: Fabric)
    }

    /// The network before its first change.
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
    /// The CSR of the future operational key.
    var request: Request?
    /// The root of the future fabric.
    var root: OperationalCertificate?
    /// The added or replaced credentials.
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

    /// True for a commissioner's fail-safe, false for an administrator's.
    var isOfCommissioner: Bool { if case .added = credentials { true } else { fabric == nil } }

    /// Restarts the time, up to the cumulative limit.
    mutating func extend(to end: Instant, cumulative: Duration) { deadline = min(end, start + cumulative) }

    /// `state` without the changes under this fail-safe.
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
