// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// The Security Manager of a peripheral (Core 5.4, Vol 3, Part H).
///
/// A value without I/O. Inputs are the PDUs of the Security Manager channel, encryption events, the answers of the
/// user, and the time. Actions are taken with `nextAction` after each input. The state of a link is a `SecurityLink`,
/// which belongs to its connection and is passed to each call; a link that is not open is ignored.
///
/// A link is protected only after the controller has confirmed encryption with a key from here.
public struct SecurityManager: ~Copyable {
    /// The policy for links that were opened without one. A change applies to pairings and encryptions that begin
    /// later.
    public var policy: SecurityPolicy
    /// The identity distributed to bonded peers; nil distributes none.
    public let identity: SecurityIdentity?

    var store: any BondStore
    var port: SecurityPort
    var attempts = PairingAttempts()
    var windowEnd: Instant?
    var published: LocalOutOfBand?
    var received: PeerOutOfBandData?
    /// The bonded peers of the open links, once per link: their bonds do not make room for others.
    var linkedPeers: [BluetoothAddress] = []
    /// The number of pairings in progress that will store a bond: each needs a place in the store.
    var offeredBonds = 0
    private var actionHead = 0

    /// A Security Manager with the bonds of `store`.
    public init(
        policy: SecurityPolicy, identity: SecurityIdentity?, store: any BondStore, random: any RandomSource
    ) {
        self.policy = policy
        self.identity = identity
        self.store = store
        port = SecurityPort(random: random)
    }

    /// The next action, oldest first; nil after the last.
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

    /// Opens a link. Both addresses are the addresses on the air: the central's may be private, and this side's belongs
    /// to the advertising set. `policy` applies to this link alone: the devices of one radio have different policies.
    public mutating func open(
        _ link: inout SecurityLink, peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy? = nil
    ) {
        link = SecurityLink(
            peer: peer, own: own, policy: policy,
            bondedPeer: IdentityResolution.bond(of: peer, in: store.bonds)?.identity)
        if let bondedPeer = link.bondedPeer { linkedPeers.append(bondedPeer) }
    }

    /// The policy of the link.
    func policy(of link: borrowing SecurityLink) -> SecurityPolicy { link.policy ?? policy }

    /// The bond with the link's peer, if there is one.
    func bond(of link: borrowing SecurityLink) -> Bond? {
        guard let peer = link.bondedPeer else { return nil }
        return store.bonds.first { $0.identity == peer }
    }

    /// Closes a link. A pairing in progress is recorded as failed; a bond whose key protected the link becomes the most
    /// recently used.
    public mutating func close(_ link: inout SecurityLink, at now: Instant) {
        if link.pairing != nil { attempts.failed(link.name, policy: policy(of: link), at: now) }
        endPairing(&link)
        if let peer = link.provenPeer { store.markUsed(peer) }
        setBondedPeer(nil, of: &link)
        link = SecurityLink()
    }

    /// Sets the bonded peer of a link that is open.
    mutating func setBondedPeer(_ peer: BluetoothAddress?, of link: inout SecurityLink) {
        if let former = link.bondedPeer, let index = linkedPeers.firstIndex(of: former) {
            linkedPeers.remove(at: index)
        }
        link.bondedPeer = peer
        if let peer { linkedPeers.append(peer) }
    }

    // MARK: - The channel

    /// Handles one PDU of the link.
    ///
    /// Reserved codes are ignored (3.3), and so are commands without a pairing except Pairing Request. A malformed
    /// command ends a pairing with "Invalid Parameters", a command out of order with "Unspecified Reason". Pairing
    /// Failed is never answered.
    public mutating func receive(_ pdu: Span<UInt8>, on link: inout SecurityLink, at now: Instant) {
        guard begin(link, now), !link.isSilenced else { return }
        let command: SecurityPDU
        do throws(SecurityPDU.ParseError) {
            command = try SecurityPDU.parse(pdu)
        } catch {
            return malformed(error, &link)
        }
        if case .failed(let reason) = command { return ended(by: reason, &link) }
        guard link.pairing != nil else {
            if case .pairingRequest(let features) = command { request(features, &link) }
            return
        }
        do throws(PairingFailureReason) {
            try link.pairing?.receive(command, &port)
        } catch {
            return fail(error, &link)
        }
        storeIfFinished(&link)
    }

    private mutating func malformed(_ error: SecurityPDU.ParseError, _ link: inout SecurityLink) {
        guard let code = error.code else { return }
        if code == .failed { return ended(by: .unspecified, &link) }
        if link.pairing != nil {
            fail(.invalidParameters, &link)
        } else if code == .pairingRequest {
            refuse(.invalidParameters)
        }
    }

    // MARK: - The user

    /// Handles the user's answer to `compare`.
    ///
    /// - Returns: False if no comparison is pending.
    public mutating func answerComparison(_ isSame: Bool, on link: inout SecurityLink, at now: Instant) -> Bool {
        guard begin(link, now) else { return false }
        do throws(PairingFailureReason) {
            return try link.pairing?.answerComparison(isSame, &port) ?? false
        } catch {
            fail(error, &link)
            return true
        }
    }

    /// Handles the user's answer to `requestPasskey`: a number up to 999 999, or nil if the user has no passkey.
    ///
    /// - Returns: False if no passkey is requested, or the number is too large.
    public mutating func enterPasskey(_ passkey: UInt32?, on link: inout SecurityLink, at now: Instant) -> Bool {
        guard begin(link, now), passkey ?? 0 < 1_000_000 else { return false }
        do throws(PairingFailureReason) {
            return try link.pairing?.enterPasskey(passkey, &port) ?? false
        } catch {
            fail(error, &link)
            return true
        }
    }

    // MARK: - Time

    /// Ends a pairing that timed out. The channel accepts no further PDUs (3.4), so the link is disconnected.
    public mutating func advance(_ link: inout SecurityLink, to now: Instant) {
        guard let deadline = link.deadline, now >= deadline, begin(link, now) else { return }
        link.isSilenced = true
        finish(&link, with: .timedOut)
        port.emit(.disconnect(.authenticationFailure))
    }

    /// Sets the time of the input.
    ///
    /// - Returns: False if the link is not open.
    mutating func begin(_ link: borrowing SecurityLink, _ now: Instant) -> Bool {
        port.now = now
        return link.isOpen
    }
}
