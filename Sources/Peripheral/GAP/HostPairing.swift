public import Timekeeping

/// Pairing and bonds, as the device sees them.
extension Host {
    // MARK: - The user

    /// The user's answer to `compare`: whether the central shows the same number. False if there is no such question
    /// any more.
    public mutating func answerComparison(_ link: LinkID, _ isSame: Bool, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.answerComparison(isSame, on: &connections[slot].security, at: now)
    }

    /// The user's answer to `requestPasskey`: the six digits that the central shows, or nil for "none". False if there
    /// is no such question any more, or the number has more than six digits.
    public mutating func enterPasskey(_ link: LinkID, _ passkey: UInt32?, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.enterPasskey(passkey, on: &connections[slot].security, at: now)
    }

    /// Asks a bonded central to encrypt the link (Security Request, Core 5.4, Vol 3, Part H, 2.4.6). False, and nothing
    /// is sent, if it is not bonded, the link is encrypted already, or a pairing goes on: one that is not bonded would
    /// be told to pair.
    public mutating func requestEncryption(_ link: LinkID, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.requestEncryption(on: &connections[slot].security, at: now)
    }

    // MARK: - The operator

    /// Until `end`, anybody whom a device's policy does not keep out altogether may pair, and a bonded peer may pair
    /// again although it has lost its keys. A key is never replaced by a weaker one.
    public mutating func openPairingWindow(until end: Instant) { security.manager.openWindow(until: end) }

    /// Ends the window; a pairing that has begun goes on.
    public mutating func closePairingWindow() { security.manager.closeWindow() }

    /// Makes data to be given out as a code or over NFC, with a new key that Secure Connections use from now on. What
    /// was given out before is void. Nil without a setup for pairing, and if no key can be made.
    ///
    /// A central that has the data is authenticated by it, and the other way round (Core 5.4, Vol 3, Part H,
    /// 2.3.5.6.4); whoever reads the code can pair, so show it to those who may.
    public mutating func publishOutOfBandData() -> OutOfBandData? {
        security.isSetUp ? security.manager.publishOutOfBandData() : nil
    }

    /// Nothing is given out any more.
    public mutating func withdrawOutOfBandData() { security.manager.withdrawOutOfBandData() }

    /// Takes what came of a central on another way than the air, for the next pairing; nil forgets it.
    public mutating func setPeerOutOfBandData(_ data: PeerOutOfBandData?) {
        security.manager.setPeerOutOfBandData(data)
    }

    /// Every bond that is kept.
    public var bonds: [Bond] { security.manager.bonds }

    /// Forgets a bond, with what is kept of its client. Links that it protects end with reason 0x13.
    public mutating func forget(_ identity: BluetoothAddress, at now: Instant) {
        forgetClientStates(of: identity)
        security.manager.forget(identity)
        for slot in connections.indices where connections[slot].security.bondedPeer == identity {
            security.manager.forgotten(identity, on: &connections[slot].security)
            performSecurityActions(slot, at: now)
        }
        sendCommands(at: now)
        sendData()
    }

    // MARK: - Links

    /// How the link is protected now; not at all if it is gone.
    public func securityLevel(_ link: LinkID) -> LinkSecurityLevel {
        securedSlot(of: link).map { connections[$0].security.level } ?? LinkSecurityLevel()
    }

    /// The identity of the bonded peer at the other end: who it says it is, until the link is encrypted with the bond's
    /// key.
    public func bondedPeer(_ link: LinkID) -> BluetoothAddress? {
        securedSlot(of: link).flatMap { connections[$0].security.bondedPeer }
    }

    /// The identity of the bonded peer at the other end, once the link is encrypted with a key that only it has.
    public func provenPeer(_ link: LinkID) -> BluetoothAddress? {
        securedSlot(of: link).flatMap { connections[$0].security.provenPeer }
    }

    private func securedSlot(of link: LinkID) -> Int? {
        guard let slot = announcedSlot(of: link), connections[slot].security.isOpen else { return nil }
        return slot
    }

    private mutating func finishSecurityInput(_ slot: Int, at now: Instant) {
        performSecurityActions(slot, at: now)
        sendCommands(at: now)
        sendData()
    }
}
