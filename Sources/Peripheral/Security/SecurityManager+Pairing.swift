// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Timekeeping

extension SecurityManager {
    // MARK: - Operator

    /// Opens the operator's window until `end`: peers may pair unless the policy refuses all, and a bonded peer that
    /// has lost its keys may pair again. An authenticated key is never replaced by an unauthenticated one, nor a key by
    /// a weaker one; remove the bond for that.
    public mutating func openWindow(until end: Instant) { windowEnd = end }

    /// Closes the window; a pairing in progress continues.
    public mutating func closeWindow() { windowEnd = nil }

    /// Generates out-of-band data with a new key pair, which Secure Connections pairings use until it is withdrawn.
    /// Earlier data becomes invalid.
    ///
    /// - Returns: Nil if the source of randomness or libcrypto fails.
    public mutating func publishOutOfBandData() -> OutOfBandData? {
        guard let key = P256PrivateKey.draw(from: &port.random) else { return nil }
        let made = LocalOutOfBand(key: key, random: Value128(from: &port.random))
        guard let data = try? made.data() else { return nil }
        published = made
        return data
    }

    /// Withdraws the out-of-band data; each pairing generates a new key pair again.
    public mutating func withdrawOutOfBandData() { published = nil }

    /// Sets the out-of-band data received from a central, for the next pairing; nil removes it.
    public mutating func setPeerOutOfBandData(_ data: PeerOutOfBandData?) { received = data }

    // MARK: - Feature exchange

    /// Handles Pairing Request while no pairing is in progress.
    mutating func request(_ features: PairingFeatures, _ link: inout SecurityLink) {
        guard attempts.allows(link.name, at: port.now) else { return refuse(.repeatedAttempts) }
        let policy = policy(of: link)
        let inWindow = windowEnd.map { port.now < $0 } ?? false
        guard isAdmitted(link, by: policy.admission, inWindow: inWindow) else {
            let kept = policy.admission == .noPeers ? nil : link.bondedPeer
            return refuse(.pairingNotSupported, keeping: kept)
        }
        let negotiation: PairingNegotiation
        let bondingRefusal: BondStoreError?
        do throws(PairingFailureReason) {
            let proposal = try negotiated(features, policy, link)
            try admit(proposal, over: bond(of: link))
            bondingRefusal = refusalOfBond(proposal, link)
            negotiation = bondingRefusal == nil ? proposal : try negotiated(features, policy.withoutBonds, link)
        } catch {
            return refuse(error)
        }
        link.bondingRefusal = bondingRefusal
        if negotiation.isBonding { offeredBonds += 1 }
        link.replaceableBond = inWindow ? .anyBond : link.isProven ? .ownBond : .noBond
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

    private func negotiated(
        _ request: PairingFeatures, _ policy: SecurityPolicy, _ link: borrowing SecurityLink
    ) throws(PairingFailureReason) -> PairingNegotiation {
        try PairingNegotiation(
            request: request, policy: policy, outOfBand: received, isPublished: published != nil,
            hasIdentity: identity != nil, isIdentified: link.peer.unresolvedKind.isIdentity)
    }

    /// True if this peer may pair now. A bonded peer may only pair on a link encrypted with its key, or within the
    /// operator's window.
    private func isAdmitted(
        _ link: borrowing SecurityLink, by admission: SecurityPolicy.Admission, inWindow: Bool
    ) -> Bool {
        switch admission {
        case .noPeers: false
        case .withinWindow: inWindow || link.isProven
        case .unknownPeers: inWindow || link.isProven || link.bondedPeer == nil
        }
    }

    /// Refuses a pairing whose key would be weaker than the bond's key, even for one link.
    private func admit(_ negotiation: PairingNegotiation, over bond: Bond?) throws(PairingFailureReason) {
        guard let bond else { return }
        let isWeaker = bond.isStronger(
            thanAuthenticated: negotiation.model.isAuthenticated,
            secureConnections: negotiation.isSecureConnections, keySize: negotiation.keySize)
        if isWeaker { throw .authenticationRequirements }
    }

    /// Refuses a pairing before it begins. `identity` is the identity of the bond that is the cause, if any.
    mutating func refuse(_ reason: PairingFailureReason, keeping identity: BluetoothAddress? = nil) {
        port.emit(.send(.failed(reason)))
        port.emit(.failed(identity.map { .bondKept($0, reason) } ?? .refused(reason)))
    }

    // MARK: - The end

    /// Ends the pairing with Pairing Failed. `identity` is the identity of the bond that is the cause, if any.
    mutating func fail(
        _ reason: PairingFailureReason, _ link: inout SecurityLink, keeping identity: BluetoothAddress? = nil
    ) {
        port.emit(.send(.failed(reason)))
        finish(&link, with: identity.map { .bondKept($0, reason) } ?? .ended(reason))
    }

    /// Handles Pairing Failed of the central.
    mutating func ended(by reason: PairingFailureReason, _ link: inout SecurityLink) {
        guard link.pairing != nil else { return }
        finish(&link, with: .endedByPeer(reason))
    }

    /// Ends the pairing and records the failure. A link already encrypted with the key of the pairing is disconnected.
    mutating func finish(_ link: inout SecurityLink, with failure: PairingFailure) {
        let wasEncrypted = link.pairing?.isDistributing ?? false
        endPairing(&link)
        link.given = nil
        attempts.failed(link.name, policy: policy(of: link), at: port.now)
        port.emit(.failed(failure))
        if wasEncrypted {
            setUnprotected(&link)
            port.emit(.disconnect(.authenticationFailure))
        }
    }

    /// Removes the pairing from the link, with its claim to a place in the store.
    mutating func endPairing(_ link: inout SecurityLink) {
        if link.pairing?.negotiation.isBonding == true { offeredBonds -= 1 }
        link.pairing = nil
    }

    /// Stores the bond if the last input finished the pairing.
    mutating func storeIfFinished(_ link: inout SecurityLink) {
        guard let pairing = link.pairing, case .finished(let keys) = pairing.state else { return }
        guard pairing.negotiation.isBonding, let key = keys.longTermKey,
            let peer = keys.identity ?? link.peer.unresolvedKind.ifIdentity
        else { return complete(&link) }
        let bond = Bond(
            identity: peer, resolvingKey: keys.resolvingKey, longTermKey: key, diversifier: keys.diversifier,
            keySize: pairing.negotiation.keySize, isAuthenticated: pairing.negotiation.model.isAuthenticated,
            isSecureConnections: pairing.negotiation.isSecureConnections)
        if store.bonds.contains(where: { $0.identity == bond.identity }), !link.mayReplace(bond.identity) {
            return fail(.keyRejected, &link, keeping: bond.identity)
        }
        guard mayKeep(bond) else { return fail(.keyRejected, &link) }
        do throws(BondStoreError) {
            let evicted = try bondsToEvict(for: bond, link)
            try store.save(bond, evicting: evicted)
            for identity in evicted { port.emit(.bondRemoved(identity)) }
        } catch {
            // The peer has the keys. A pairing that failed leaves it none.
            port.emit(.send(.failed(.keyRejected)))
            return finish(&link, with: .notStored(error))
        }
        setBondedPeer(peer, of: &link)
        link.isProven = true
        if !link.level.isBonded {
            link.level.isBonded = true
            port.emit(.levelChanged(link.level))
        }
        complete(&link)
    }

    /// True if the bond does not take the identity of this device or of another bond, and is not weaker than the bond
    /// that it replaces. Replacement by another peer is checked before.
    private func mayKeep(_ bond: Bond) -> Bool {
        guard bond.identity != identity?.address else { return false }
        for other in store.bonds {
            if other.identity == bond.identity {
                let isWeaker = other.isStronger(
                    thanAuthenticated: bond.isAuthenticated, secureConnections: bond.isSecureConnections,
                    keySize: bond.keySize)
                if isWeaker { return false }
            } else if let key = bond.resolvingKey, other.resolvingKey == key {
                // The same resolving key for two identities: the second would match the addresses of the first
                // (CVE-2021-3436).
                return false
            }
        }
        return true
    }

    private mutating func complete(_ link: inout SecurityLink) {
        endPairing(&link)
        attempts.succeeded(link.peer.unresolvedKind)
        attempts.succeeded(link.name)
        port.emit(.paired(storeError: link.bondingRefusal))
    }
}

extension BluetoothAddress {
    /// The address if it is an identity address, otherwise nil.
    var ifIdentity: BluetoothAddress? { isIdentity ? self : nil }
}

extension Pairing {
    /// True if the link is already encrypted with the key of the pairing.
    var isDistributing: Bool {
        switch state {
        case .distribution, .finished: true
        default: false
        }
    }
}
