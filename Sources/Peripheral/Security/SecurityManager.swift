public import Crypto
public import Timekeeping

/// The Security Manager of a peripheral, for all its links (Core 5.4, Vol 3, Part H).
///
/// A value without I/O: PDUs of the Security Manager's channel, what the controller says of encryption, the user's
/// answers and the time go in; what is to be done is taken with `nextAction` after each input. Links are slots, as in
/// `GATTServer`; a slot out of range, or of a link that is not open, is ignored.
///
/// Nothing is trusted before the controller has said that a link is encrypted with a key that came from here.
public struct SecurityManager: ~Copyable {
    /// What is demanded of pairings and keys on links that were opened without a policy of their own. A change holds
    /// for pairings and encryptions that begin later.
    public var policy: SecurityPolicy
    /// Who this device is to bonded peers; nil hands out no identity.
    public let identity: SecurityIdentity?

    var store: any BondStore
    var port: SecurityPort
    var links: [SecurityLink]
    var attempts = PairingAttempts()
    var windowEnd: Instant?
    var published: LocalOutOfBand?
    var received: PeerOutOfBandData?
    private var actionHead = 0

    /// A Security Manager for slots 0 up to `linkCapacity`, all closed, with the bonds of `store`.
    public init(
        policy: SecurityPolicy, identity: SecurityIdentity?, store: any BondStore, random: any RandomSource,
        linkCapacity: Int
    ) {
        self.policy = policy
        self.identity = identity
        self.store = store
        port = SecurityPort(random: random)
        links = (0..<max(0, linkCapacity)).map { _ in SecurityLink() }
    }

    /// The next thing to be done, oldest first; nil when there is nothing left.
    public mutating func nextAction() -> SecurityAction? {
        guard actionHead < port.actions.count else {
            port.actions.removeAll(keepingCapacity: true)
            actionHead = 0
            return nil
        }
        actionHead += 1
        return port.actions[actionHead - 1]
    }

    // MARK: - Links

    /// A link was made. Both addresses are those of the connection, as they went over the air: the central's may be
    /// private, and this side's is the advertising set's. With a policy, that one holds for this link: devices on one
    /// radio differ.
    public mutating func open(
        slot: Int, peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy? = nil
    ) {
        guard links.indices.contains(slot) else { return }
        links[slot] = SecurityLink(
            peer: peer, own: own, policy: policy, bond: IdentityResolution.bond(of: peer, in: store.bonds))
    }

    /// What is demanded on the link.
    func policy(of slot: Int) -> SecurityPolicy { links[slot].policy ?? policy }

    /// The link is gone. A pairing that was going on counts as failed.
    public mutating func close(slot: Int, at now: Instant) {
        guard links.indices.contains(slot) else { return }
        if links[slot].pairing != nil { attempts.failed(links[slot].name, policy: policy(of: slot), at: now) }
        links[slot] = SecurityLink()
    }

    /// How the link is protected now.
    public func level(slot: Int) -> LinkSecurityLevel {
        links.indices.contains(slot) ? links[slot].level : LinkSecurityLevel()
    }

    /// The bonded peer at the other end: who it says it is, until the link is encrypted with the bond's key.
    public func bondedPeer(slot: Int) -> BluetoothAddress? {
        links.indices.contains(slot) ? links[slot].bond?.identity : nil
    }

    /// The bonded peer at the other end, once the link is encrypted with a key that only it has. What is kept per bond,
    /// as client configurations are, is to be brought back for this one.
    public func provenPeer(slot: Int) -> BluetoothAddress? {
        guard links.indices.contains(slot), links[slot].isProven else { return nil }
        return links[slot].bond?.identity
    }

    /// Whether a pairing is going on.
    public func isPairing(slot: Int) -> Bool {
        links.indices.contains(slot) && links[slot].pairing != nil
    }

    // MARK: - The channel

    /// Takes one PDU of the link.
    ///
    /// Reserved codes are ignored (3.3), and so are commands without a pairing, Pairing Request apart. In a pairing, a
    /// malformed command ends it with "Invalid Parameters" and one out of place with "Unspecified Reason". Pairing Failed
    /// is never answered.
    public mutating func receive(_ pdu: Span<UInt8>, slot: Int, at now: Instant) {
        guard begin(slot, now), !links[slot].isSilenced else { return }
        let command: SecurityPDU
        do throws(SecurityPDU.ParseError) {
            command = try SecurityPDU.parse(pdu)
        } catch {
            return malformed(error, slot)
        }
        if case .failed(let reason) = command { return ended(by: reason, slot) }
        guard links[slot].pairing != nil else {
            if case .pairingRequest(let features) = command { request(features, slot) }
            return
        }
        do throws(PairingFailureReason) {
            try links[slot].pairing?.receive(command, &port)
        } catch {
            return fail(error, slot)
        }
        settle(slot)
    }

    private mutating func malformed(_ error: SecurityPDU.ParseError, _ slot: Int) {
        guard let code = error.code else { return }
        if code == .failed { return ended(by: .unspecified, slot) }
        if links[slot].pairing != nil {
            fail(.invalidParameters, slot)
        } else if code == .pairingRequest {
            refuse(.invalidParameters)
        }
    }

    // MARK: - The user

    /// The user's answer to `compare`. False if there was no question any more.
    public mutating func answerComparison(_ isSame: Bool, slot: Int, at now: Instant) -> Bool {
        guard begin(slot, now) else { return false }
        do throws(PairingFailureReason) {
            return try links[slot].pairing?.answerComparison(isSame, &port) ?? false
        } catch {
            fail(error, slot)
            return true
        }
    }

    /// The user's answer to `requestPasskey`: six digits as a number up to 999 999, or nil for "none". False if there
    /// was no question any more, or the number is too large.
    public mutating func enterPasskey(_ passkey: UInt32?, slot: Int, at now: Instant) -> Bool {
        guard begin(slot, now), passkey ?? 0 < 1_000_000 else { return false }
        do throws(PairingFailureReason) {
            return try links[slot].pairing?.enterPasskey(passkey, &port) ?? false
        } catch {
            fail(error, slot)
            return true
        }
    }

    // MARK: - Time

    /// When `advance` is to be called; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        var earliest: Instant?
        for slot in links.indices {
            guard let deadline = links[slot].pairing?.deadline else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }

    /// Ends pairings that have taken too long. After that the link's channel stays shut (3.4), so the link ends.
    public mutating func advance(to now: Instant) {
        for slot in links.indices {
            guard let deadline = links[slot].pairing?.deadline, now >= deadline, begin(slot, now) else { continue }
            links[slot].isSilenced = true
            finish(slot, with: .timedOut)
            port.emit(.disconnect(.authenticationFailure))
        }
    }

    /// Notes which link what follows is about; false if there is none.
    mutating func begin(_ slot: Int, _ now: Instant) -> Bool {
        guard links.indices.contains(slot), links[slot].isOpen else { return false }
        port.slot = slot
        port.now = now
        return true
    }
}

/// What the Security Manager keeps of one link.
struct SecurityLink {
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
    var bond: Bond?
    var level = LinkSecurityLevel()
    var pairing: Pairing?
    var given: GivenKey?
    /// The link is encrypted with the bond's key: the peer is who the bond says.
    var isProven = false
    /// Whose bond the pairing that is going on may replace.
    var replaceable = Replaceable.nobody
    /// A pairing timed out: nothing more is said or heard.
    var isSilenced = false

    init() {}

    init(peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy?, bond: Bond?) {
        isOpen = true
        self.policy = policy
        self.peer = peer
        self.own = own
        self.bond = bond
        level.isBonded = bond != nil
    }

    /// Whether the pairing that is going on may replace the bond of `identity`.
    func mayReplace(_ identity: BluetoothAddress) -> Bool {
        switch replaceable {
        case .nobody: false
        case .itself: bond?.identity == identity
        case .anybody: true
        }
    }

    /// What the peer is remembered by.
    var name: BluetoothAddress { bond?.identity ?? peer.unresolvedKind }
}
