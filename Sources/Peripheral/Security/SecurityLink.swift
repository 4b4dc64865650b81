// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The state of the Security Manager for one link.
public struct SecurityLink {
    /// The key given to the controller and not yet confirmed by an event.
    enum GivenKey { case bond, pairing }
    /// The bond that a pairing may replace: none, the peer's if the peer was authenticated before the pairing began, or
    /// any within the operator's window.
    enum ReplaceableBond { case noBond, ownBond, anyBond }

    var isOpen = false
    var peer = BluetoothAddress(kind: .public, value: 0)
    var own = BluetoothAddress(kind: .public, value: 0)
    /// The policy of this link; nil for the policy of the Security Manager.
    var policy: SecurityPolicy?
    /// The claimed identity of the bonded peer; proven only while `isProven` is true.
    public internal(set) var bondedPeer: BluetoothAddress?
    /// The present security level.
    public internal(set) var level = LinkSecurityLevel()
    var pairing: Pairing?
    /// The reason that the pairing in progress does not offer bonding although both sides want it; nil if it does.
    var bondingRefusal: BondStoreError?
    var given: GivenKey?
    /// The link is encrypted with the key of the bond, which proves the peer's identity.
    var isProven = false
    /// The bond that the pairing in progress may replace.
    var replaceableBond = ReplaceableBond.noBond
    /// A pairing timed out: no further PDUs are sent or accepted.
    var isSilenced = false

    /// A link that is not open.
    public init() {}

    init(peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy?, bondedPeer: BluetoothAddress?) {
        isOpen = true
        self.policy = policy
        self.peer = peer
        self.own = own
        self.bondedPeer = bondedPeer
        level.isBonded = bondedPeer != nil
    }

    /// True if the pairing in progress may replace the bond of `identity`.
    func mayReplace(_ identity: BluetoothAddress) -> Bool {
        switch replaceableBond {
        case .noBond: false
        case .ownBond: bondedPeer == identity
        case .anyBond: true
        }
    }

    /// The address under which failed attempts are recorded.
    var name: BluetoothAddress { bondedPeer ?? peer.unresolvedKind }

    /// The identity of the bonded peer while the link is encrypted with the key of its bond; otherwise nil. State
    /// stored per bond, such as client configurations, is restored for this peer.
    public var provenPeer: BluetoothAddress? { isProven ? bondedPeer : nil }

    /// True if a pairing is in progress.
    public var isPairing: Bool { pairing != nil }

    /// The time at which `SecurityManager.advance` must be called; nil without a deadline.
    public var deadline: Instant? { pairing?.deadline }
}
