public import Timekeeping

extension SecurityManager {
    /// The controller asks for the key of a link (LE Long Term Key Request, Core 5.4, Vol 4, Part E, 7.7.65.5). Nil is
    /// to be answered with LE Long Term Key Request Negative Reply.
    ///
    /// During a pairing only its own key is given, and only once its check has been passed (CVE-2020-13593). A bond's
    /// key is given if it has the asked-for name and is what the policy demands.
    public mutating func longTermKeyRequested(slot: Int, name: LTKIdentifier) -> Value128? {
        guard links.indices.contains(slot), links[slot].isOpen, !links[slot].isSilenced else { return nil }
        links[slot].given = nil
        if let pairing = links[slot].pairing {
            guard name == .zero, let key = pairing.encryptionKey else { return nil }
            links[slot].given = .pairing
            return key
        }
        guard let bond = links[slot].bond, bond.diversifier == name, !bond.longTermKey.isZero,
            policy(of: slot).allows(secureConnections: bond.isSecureConnections, keySize: bond.keySize)
        else { return nil }
        links[slot].given = .bond
        return bond.longTermKey
    }

    /// The controller has said that encryption changed, or that its key was refreshed (Encryption Change, 7.7.8, and
    /// Encryption Key Refresh Complete, 7.7.39, which has no `enabled`: give 1).
    ///
    /// Only success with the value 1, after a key that came from here, protects the link. Anything else leaves it open
    /// to nothing and ends it; the bond stays.
    public mutating func encryptionChanged(slot: Int, status: HCIStatus, enabled: UInt8 = 1, at now: Instant) {
        guard begin(slot, now) else { return }
        let given = links[slot].given
        links[slot].given = nil
        guard status == .success, enabled == 1, let given else { return lostProtection(slot) }
        switch given {
        case .bond: protectedByBond(slot)
        case .pairing: protectedByPairing(slot)
        }
    }

    private mutating func protectedByBond(_ slot: Int) {
        // Keys are given to the controller for a bond only while no pairing goes on; one may have begun since.
        guard links[slot].pairing == nil, let bond = links[slot].bond else { return lostProtection(slot) }
        links[slot].isProven = true
        setLevel(
            LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: bond.isAuthenticated,
                isSecureConnections: bond.isSecureConnections, keySize: bond.keySize, isBonded: true), slot)
    }

    private mutating func protectedByPairing(_ slot: Int) {
        guard let pairing = links[slot].pairing, let key = pairing.encryptionKey else { return lostProtection(slot) }
        links[slot].isProven = false
        setLevel(
            LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: pairing.negotiation.model.isAuthenticated,
                isSecureConnections: pairing.negotiation.isSecureConnections, keySize: pairing.negotiation.keySize,
                isBonded: links[slot].bond != nil), slot)
        do throws(PairingFailureReason) {
            try links[slot].pairing?.encrypted(with: key, &port)
        } catch {
            return fail(error, slot)
        }
        settle(slot)
    }

    /// Encryption failed, ended, or came from nowhere.
    private mutating func lostProtection(_ slot: Int) {
        setUnprotected(slot)
        if links[slot].pairing != nil { finish(slot, with: .notEncrypted) }
        port.emit(.disconnect(.authenticationFailure))
    }

    /// Closes everything that encryption had opened.
    mutating func setUnprotected(_ slot: Int) {
        links[slot].isProven = false
        setLevel(LinkSecurityLevel(isBonded: links[slot].bond != nil), slot)
    }

    private mutating func setLevel(_ level: LinkSecurityLevel, _ slot: Int) {
        guard links[slot].level != level else { return }
        links[slot].level = level
        port.emit(.levelChanged(level))
    }

    /// Asks the central to encrypt the link, if it is bonded, the link is not encrypted and no pairing goes on; else
    /// does nothing and says false. An unknown peer is never asked: that would tell it to pair.
    public mutating func requestEncryption(slot: Int, at now: Instant) -> Bool {
        guard begin(slot, now), !links[slot].isSilenced, links[slot].pairing == nil, let bond = links[slot].bond,
            !links[slot].level.isEncrypted
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

    /// Forgets a bond. Links that it protects end.
    public mutating func forget(_ identity: BluetoothAddress) {
        store.remove(identity)
        for slot in links.indices where links[slot].bond?.identity == identity {
            let wasProven = links[slot].isProven
            links[slot].bond = nil
            port.slot = slot
            if wasProven {
                setUnprotected(slot)
                port.emit(.disconnect(.remoteUserTerminated))
            } else {
                links[slot].isProven = false
                var level = links[slot].level
                level.isBonded = false
                setLevel(level, slot)
            }
        }
    }
}
