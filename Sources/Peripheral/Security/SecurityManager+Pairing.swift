import Crypto
public import Timekeeping

extension SecurityManager {
    // MARK: - Operator

    /// Until `end`, anybody whom the policy does not keep out altogether may pair, and a bonded peer may pair again
    /// although it has lost its keys. Never is an authenticated key replaced by an unauthenticated one, or a
    /// key by a weaker one: forget the bond for that.
    public mutating func openWindow(until end: Instant) { windowEnd = end }

    /// Ends the window; a pairing that has begun goes on.
    public mutating func closeWindow() { windowEnd = nil }

    /// Makes data to be given out as a code or over NFC, with a new key that Secure Connections use from now on. What
    /// was given out before is void. Nil if the source of randomness or libcrypto fails.
    public mutating func publishOutOfBandData() -> OutOfBandData? {
        guard let key = P256PrivateKey.draw(from: &port.random) else { return nil }
        let made = LocalOutOfBand(key: key, random: Value128(from: &port.random))
        guard let data = try? made.data() else { return nil }
        published = made
        return data
    }

    /// Nothing is given out any more; each pairing has a fresh key again.
    public mutating func withdrawOutOfBandData() { published = nil }

    /// Takes what came of a central on another way, for the next pairing; nil forgets it.
    public mutating func setPeerOutOfBandData(_ data: PeerOutOfBandData?) { received = data }

    // MARK: - Feature exchange

    /// A Pairing Request, with no pairing going on.
    mutating func request(_ features: PairingFeatures, _ link: inout SecurityLink) {
        guard attempts.allows(link.name, at: port.now) else { return refuse(.repeatedAttempts) }
        let policy = policy(of: link)
        let inWindow = windowEnd.map { port.now < $0 } ?? false
        guard isAdmitted(link, by: policy.admission, inWindow: inWindow) else {
            let kept = policy.admission == .nobody ? nil : link.bondedPeer
            return refuse(.pairingNotSupported, keeping: kept)
        }
        let negotiation: PairingNegotiation
        do throws(PairingFailureReason) {
            negotiation = try PairingNegotiation(
                request: features, policy: policy, outOfBand: received, isPublished: published != nil,
                hasIdentity: identity != nil)
            try admit(negotiation, over: bond(of: link))
        } catch {
            return refuse(error)
        }
        link.replaceable = inWindow ? .anybody : link.isProven ? .itself : .nobody
        link.pairing = Pairing(
            negotiation, initiator: link.peer, responder: link.own,
            material: Pairing.Material(
                published: published, received: received, identity: identity, allowsDebugKey: policy.allowsDebugKey))
        if negotiation.model == .outOfBand { received = nil }
        do throws(PairingFailureReason) {
            try link.pairing?.begin(&port)
        } catch {
            fail(error, &link)
        }
    }

    /// Whether this peer may pair now: a bonded one only where it has proved to be itself, or an operator looks on.
    private func isAdmitted(
        _ link: borrowing SecurityLink, by admission: SecurityPolicy.Admission, inWindow: Bool
    ) -> Bool {
        switch admission {
        case .nobody: false
        case .withinWindow: inWindow || link.isProven
        case .unknownPeers: inWindow || link.isProven || link.bondedPeer == nil
        }
    }

    /// A bond is never followed by a weaker key, not even for one link.
    private func admit(_ negotiation: PairingNegotiation, over bond: Bond?) throws(PairingFailureReason) {
        guard let bond else { return }
        let isWeaker = bond.isStronger(
            thanAuthenticated: negotiation.model.isAuthenticated,
            secureConnections: negotiation.isSecureConnections, keySize: negotiation.keySize)
        if isWeaker { throw .authenticationRequirements }
    }

    /// Says no before a pairing has begun; for the sake of the bond with `identity` if there is one.
    mutating func refuse(_ reason: PairingFailureReason, keeping identity: BluetoothAddress? = nil) {
        port.emit(.send(.failed(reason)))
        port.emit(.failed(identity.map { .bondKept($0, reason) } ?? .refused(reason)))
    }

    // MARK: - The end

    /// Ends the pairing and says why; for the sake of the bond with `identity` if there is one.
    mutating func fail(
        _ reason: PairingFailureReason, _ link: inout SecurityLink, keeping identity: BluetoothAddress? = nil
    ) {
        port.emit(.send(.failed(reason)))
        finish(&link, with: identity.map { .bondKept($0, reason) } ?? .ended(reason))
    }

    /// The central has ended the pairing, if there is one.
    mutating func ended(by reason: PairingFailureReason, _ link: inout SecurityLink) {
        guard link.pairing != nil else { return }
        finish(&link, with: .endedByPeer(reason))
    }

    /// The pairing is over. A link that it had already encrypted is closed to everything: its key was made by a pairing
    /// that failed.
    mutating func finish(_ link: inout SecurityLink, with failure: PairingFailure) {
        let wasEncrypted = link.pairing?.isDistributing ?? false
        link.pairing = nil
        link.given = nil
        attempts.failed(link.name, policy: policy(of: link), at: port.now)
        port.emit(.failed(failure))
        if wasEncrypted {
            setUnprotected(&link)
            port.emit(.disconnect(.authenticationFailure))
        }
    }

    /// After an input that a pairing took: if that was the last one, keeps the keys.
    mutating func settle(_ link: inout SecurityLink) {
        guard let pairing = link.pairing, case .finished(let keys) = pairing.state else { return }
        guard pairing.negotiation.isBonding, let key = keys.longTermKey,
            let peer = keys.identity ?? link.peer.unresolvedKind.ifIdentity
        else { return complete(&link, notKept: nil) }
        let bond = Bond(
            identity: peer, resolvingKey: keys.resolvingKey, longTermKey: key, diversifier: keys.diversifier,
            keySize: pairing.negotiation.keySize, isAuthenticated: pairing.negotiation.model.isAuthenticated,
            isSecureConnections: pairing.negotiation.isSecureConnections)
        if store.bonds.contains(where: { $0.identity == bond.identity }), !link.mayReplace(bond.identity) {
            return fail(.keyRejected, &link, keeping: bond.identity)
        }
        guard mayKeep(bond) else { return fail(.keyRejected, &link) }
        do throws(BondStoreError) {
            try store.save(bond)
        } catch {
            return complete(&link, notKept: error)
        }
        link.bondedPeer = peer
        link.isProven = true
        if !link.level.isBonded {
            link.level.isBonded = true
            port.emit(.levelChanged(link.level))
        }
        complete(&link, notKept: nil)
    }

    /// The rules that keep one peer from taking another's place, beside that a bond is replaced by its own peer alone.
    private func mayKeep(_ bond: Bond) -> Bool {
        guard bond.identity != identity?.address else { return false }
        for other in store.bonds {
            if other.identity == bond.identity {
                let isWeaker = other.isStronger(
                    thanAuthenticated: bond.isAuthenticated, secureConnections: bond.isSecureConnections,
                    keySize: bond.keySize)
                if isWeaker { return false }
            } else if let key = bond.resolvingKey, other.resolvingKey == key {
                // Two identities with one key: the second would answer to the addresses of the first (CVE-2021-3436).
                return false
            }
        }
        return true
    }

    private mutating func complete(_ link: inout SecurityLink, notKept error: BondStoreError?) {
        link.pairing = nil
        attempts.succeeded(link.peer.unresolvedKind)
        attempts.succeeded(link.name)
        port.emit(.paired(notKept: error))
    }
}

extension BluetoothAddress {
    /// The address if it can stand for a device for good.
    var ifIdentity: BluetoothAddress? { isIdentity ? self : nil }
}

extension Pairing {
    /// Whether the link is already encrypted with the pairing's key.
    var isDistributing: Bool {
        switch state {
        case .distribution, .finished: true
        default: false
        }
    }
}
