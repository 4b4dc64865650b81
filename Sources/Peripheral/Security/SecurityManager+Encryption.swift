// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension SecurityManager {
    /// The key for LE Long Term Key Request (Core 5.4, Vol 4, Part E, 7.7.65.5). Nil requires LE Long Term Key Request
    /// Negative Reply.
    ///
    /// During a pairing only its own key is returned, and only after its check (CVE-2020-13593). The key of a bond is
    /// returned if the identifier matches and the policy permits the key.
    public func longTermKeyRequested(on link: inout SecurityLink, name: LTKIdentifier) -> Value128? {
        guard link.isOpen, !link.isSilenced else { return nil }
        link.given = nil
        if let pairing = link.pairing {
            guard name == .zero, let key = pairing.encryptionKey else { return nil }
            link.given = .pairing
            return key
        }
        guard let bond = bond(of: link), bond.diversifier == name, !bond.longTermKey.isZero,
            policy(of: link).allows(secureConnections: bond.isSecureConnections, keySize: bond.keySize)
        else { return nil }
        link.given = .bond
        return bond.longTermKey
    }

    /// Handles Encryption Change (7.7.8) and Encryption Key Refresh Complete (7.7.39), which has no `enabled`: pass 1.
    ///
    /// Only success with the value 1, after a key from `longTermKeyRequested`, protects the link. Any other result
    /// removes the protection and disconnects the link; the bond is retained.
    public mutating func encryptionChanged(
        on link: inout SecurityLink, status: HCIStatus, enabled: UInt8 = 1, at now: Instant
    ) {
        guard begin(link, now) else { return }
        let given = link.given
        link.given = nil
        guard status == .success, enabled == 1, let given else { return lostProtection(&link) }
        switch given {
        case .bond: protectedByBond(&link)
        case .pairing: protectedByPairing(&link)
        }
    }

    private mutating func protectedByBond(_ link: inout SecurityLink) {
        // The key of a bond is only given while no pairing is in progress; one may have begun since.
        guard link.pairing == nil, let bond = bond(of: link) else { return lostProtection(&link) }
        link.isProven = true
        setLevel(
            LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: bond.isAuthenticated,
                isSecureConnections: bond.isSecureConnections, keySize: bond.keySize, isBonded: true), &link)
    }

    private mutating func protectedByPairing(_ link: inout SecurityLink) {
        guard let pairing = link.pairing, let key = pairing.encryptionKey else { return lostProtection(&link) }
        link.isProven = false
        setLevel(
            LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: pairing.negotiation.model.isAuthenticated,
                isSecureConnections: pairing.negotiation.isSecureConnections, keySize: pairing.negotiation.keySize,
                isBonded: link.bondedPeer != nil), &link)
        do throws(PairingFailureReason) {
            try link.pairing?.encrypted(with: key, &port)
        } catch {
            return fail(error, &link)
        }
        storeIfFinished(&link)
    }

    /// Handles encryption that failed, ended, or started without a key from here.
    private mutating func lostProtection(_ link: inout SecurityLink) {
        setUnprotected(&link)
        if link.pairing != nil { finish(&link, with: .notEncrypted) }
        port.emit(.disconnect(.authenticationFailure))
    }

    /// Resets the security level to unencrypted.
    mutating func setUnprotected(_ link: inout SecurityLink) {
        link.isProven = false
        setLevel(LinkSecurityLevel(isBonded: link.bondedPeer != nil), &link)
    }

    private mutating func setLevel(_ level: LinkSecurityLevel, _ link: inout SecurityLink) {
        guard link.level != level else { return }
        link.level = level
        port.emit(.levelChanged(level))
    }

    /// Sends Security Request to a bonded central if the link is not encrypted and no pairing is in progress. It is
    /// never sent to an unknown peer: that would start a pairing.
    ///
    /// - Returns: False if nothing was sent.
    public mutating func requestEncryption(on link: inout SecurityLink, at now: Instant) -> Bool {
        guard begin(link, now), !link.isSilenced, link.pairing == nil, let bond = bond(of: link),
            !link.level.isEncrypted
        else { return false }
        var requirements: AuthenticationRequirements = .bonding
        if bond.isAuthenticated { requirements.insert(.mitm) }
        if bond.isSecureConnections { requirements.insert(.secureConnections) }
        port.emit(.send(.securityRequest(requirements)))
        return true
    }

    // MARK: - Bonds

    /// All stored bonds.
    public var bonds: [Bond] { store.bonds }

    /// Removes a bond. `forgotten` must be called for each open link.
    public mutating func forget(_ identity: BluetoothAddress) { store.remove(identity) }

    /// Handles the removal of a bond on one link; a link that the bond protects is disconnected.
    public mutating func forgotten(_ identity: BluetoothAddress, on link: inout SecurityLink) {
        guard link.bondedPeer == identity else { return }
        let wasProven = link.isProven
        setBondedPeer(nil, of: &link)
        link.isProven = false
        if wasProven {
            setUnprotected(&link)
            port.emit(.disconnect(.remoteUserTerminated))
        } else {
            var level = link.level
            level.isBonded = false
            setLevel(level, &link)
        }
    }
}
