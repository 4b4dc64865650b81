public import Crypto
public import Timekeeping

/// The Security Manager of a peripheral (Core 5.4, Vol 3, Part H).
///
/// A value without I/O: PDUs of the Security Manager's channel, what the controller says of encryption, the user's
/// answers and the time go in; what is to be done on the link is taken with `nextAction` after each input. What is kept
/// of a link is a `SecurityLink`, which belongs to its connection and is passed to each call; one that is not open is
/// ignored.
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
    var attempts = PairingAttempts()
    var windowEnd: Instant?
    var published: LocalOutOfBand?
    var received: PeerOutOfBandData?
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
    public func open(
        _ link: inout SecurityLink, peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy? = nil
    ) {
        link = SecurityLink(
            peer: peer, own: own, policy: policy,
            bondedPeer: IdentityResolution.bond(of: peer, in: store.bonds)?.identity)
    }

    /// What is demanded on the link.
    func policy(of link: borrowing SecurityLink) -> SecurityPolicy { link.policy ?? policy }

    /// The bond with the link's peer, if there is one.
    func bond(of link: borrowing SecurityLink) -> Bond? {
        guard let peer = link.bondedPeer else { return nil }
        return store.bonds.first { $0.identity == peer }
    }

    /// The link is gone. A pairing that was going on counts as failed.
    public mutating func close(_ link: inout SecurityLink, at now: Instant) {
        if link.pairing != nil { attempts.failed(link.name, policy: policy(of: link), at: now) }
        link = SecurityLink()
    }

    // MARK: - The channel

    /// Takes one PDU of the link.
    ///
    /// Reserved codes are ignored (3.3), and so are commands without a pairing, Pairing Request apart. In a pairing, a
    /// malformed command ends it with "Invalid Parameters" and one out of place with "Unspecified Reason". Pairing Failed
    /// is never answered.
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
        settle(&link)
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

    /// The user's answer to `compare`. False if there was no question any more.
    public mutating func answerComparison(_ isSame: Bool, on link: inout SecurityLink, at now: Instant) -> Bool {
        guard begin(link, now) else { return false }
        do throws(PairingFailureReason) {
            return try link.pairing?.answerComparison(isSame, &port) ?? false
        } catch {
            fail(error, &link)
            return true
        }
    }

    /// The user's answer to `requestPasskey`: six digits as a number up to 999 999, or nil for "none". False if there
    /// was no question any more, or the number is too large.
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

    /// Ends pairings that have taken too long. After that the link's channel stays shut (3.4), so the link ends.
    public mutating func advance(_ link: inout SecurityLink, to now: Instant) {
        guard let deadline = link.deadline, now >= deadline, begin(link, now) else { return }
        link.isSilenced = true
        finish(&link, with: .timedOut)
        port.emit(.disconnect(.authenticationFailure))
    }

    /// Notes the time of what follows; false if the link is not open.
    mutating func begin(_ link: borrowing SecurityLink, _ now: Instant) -> Bool {
        port.now = now
        return link.isOpen
    }
}
