public import Timekeeping

/// What the Security Manager keeps of one link.
public struct SecurityLink {
    /// Which key the controller was given and has not yet said to use.
    enum GivenKey { case bond, pairing }
    /// Whose bond a pairing may replace: that of the peer which had proved to be itself when the pairing began, or, in
    /// an operator's window, anybody's.
    enum Replaceable { case nobody, itself, anybody }

    var isOpen = false
    var peer = BluetoothAddress(kind: .public, value: 0)
    var own = BluetoothAddress(kind: .public, value: 0)
    /// What is demanded on this link; nil for what is demanded on all.
    var policy: SecurityPolicy?
    /// The identity of the bonded peer at the other end: who it says it is, until the link is encrypted with the bond's
    /// key.
    public internal(set) var bondedPeer: BluetoothAddress?
    /// How the link is protected now.
    public internal(set) var level = LinkSecurityLevel()
    var pairing: Pairing?
    var given: GivenKey?
    /// The link is encrypted with the bond's key: the peer is who the bond says.
    var isProven = false
    /// Whose bond the pairing that is going on may replace.
    var replaceable = Replaceable.nobody
    /// A pairing timed out: nothing more is said or heard.
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

    /// Whether the pairing that is going on may replace the bond of `identity`.
    func mayReplace(_ identity: BluetoothAddress) -> Bool {
        switch replaceable {
        case .nobody: false
        case .itself: bondedPeer == identity
        case .anybody: true
        }
    }

    /// What the peer is remembered by.
    var name: BluetoothAddress { bondedPeer ?? peer.unresolvedKind }

    /// The bonded peer at the other end, once the link is encrypted with a key that only it has. What is kept per bond,
    /// as client configurations are, is to be brought back for this one.
    public var provenPeer: BluetoothAddress? { isProven ? bondedPeer : nil }

    /// Whether a pairing is going on.
    public var isPairing: Bool { pairing != nil }

    /// When `SecurityManager.advance` is to be called; nil if only an input can change anything.
    public var deadline: Instant? { pairing?.deadline }
}
