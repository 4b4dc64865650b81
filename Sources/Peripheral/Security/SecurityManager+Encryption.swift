public import Timekeeping

extension SecurityManager {
    /// The controller asks for the key of a link (LE Long Term Key Request, Core 5.4, Vol 4, Part E, 7.7.65.5). Nil is
    /// to be answered with LE Long Term Key Request Negative Reply.
    ///
    /// During a pairing only its own key is given, and only once its check has been passed (CVE-2020-13593). A bond's
    /// key is given if it has the asked-for name and is what the policy demands.
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

    /// The controller has said that encryption changed, or that its key was refreshed (Encryption Change, 7.7.8, and
    /// Encryption Key Refresh Complete, 7.7.39, which has no `enabled`: give 1).
    ///
    /// Only success with the value 1, after a key that came from here, protects the link. Anything else leaves it open
    /// to nothing and ends it; the bond stays.
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
        // Keys are given to the controller for a bond only while no pairing goes on; one may have begun since.
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
        settle(&link)
    }

    /// Encryption failed, ended, or came from nowhere.
    private mutating func lostProtection(_ link: inout SecurityLink) {
        setUnprotected(&link)
        if link.pairing != nil { finish(&link, with: .notEncrypted) }
        port.emit(.disconnect(.authenticationFailure))
    }

    /// Closes everything that encryption had opened.
    mutating func setUnprotected(_ link: inout SecurityLink) {
        link.isProven = false
        setLevel(LinkSecurityLevel(isBonded: link.bondedPeer != nil), &link)
    }

    private mutating func setLevel(_ level: LinkSecurityLevel, _ link: inout SecurityLink) {
        guard link.level != level else { return }
        link.level = level
        port.emit(.levelChanged(level))
    }

    /// Asks the central to encrypt the link, if it is bonded, the link is not encrypted and no pairing goes on; else
    /// does nothing and says false. An unknown peer is never asked: that would tell it to pair.
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

    /// Every bond that is kept.
    public var bonds: [Bond] { store.bonds }

    /// Forgets a bond. Each open link is to be told by `forgotten`.
    public mutating func forget(_ identity: BluetoothAddress) { store.remove(identity) }

    /// The bond with this identity is forgotten: a link that it protects ends.
    public mutating func forgotten(_ identity: BluetoothAddress, on link: inout SecurityLink) {
        guard link.bondedPeer == identity else { return }
        let wasProven = link.isProven
        link.bondedPeer = nil
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
