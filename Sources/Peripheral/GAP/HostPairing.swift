// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Pairing and bonds: the interface of the device.
extension Host {
    // MARK: - The user

    /// Handles the user's answer to `compare`.
    ///
    /// - Parameter isSame: The central shows the same number.
    /// - Returns: False if no comparison is pending.
    public mutating func answerComparison(_ link: LinkID, _ isSame: Bool, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.answerComparison(isSame, on: &connections[slot].security, at: now)
    }

    /// Handles the user's answer to `requestPasskey`: the six digits shown by the central, or nil if the user has none.
    ///
    /// - Returns: False if no passkey is requested, or the number has more than six digits.
    public mutating func enterPasskey(_ link: LinkID, _ passkey: UInt32?, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.enterPasskey(passkey, on: &connections[slot].security, at: now)
    }

    /// Requests encryption from a bonded central (Security Request, Core 5.4, Vol 3, Part H, 2.4.6). It is not sent to
    /// a peer without a bond: that would start a pairing.
    ///
    /// - Returns: False if the peer is not bonded, the link is encrypted, or a pairing is in progress; nothing is sent
    ///   then.
    public mutating func requestEncryption(_ link: LinkID, at now: Instant) -> Bool {
        guard let slot = securedSlot(of: link) else { return false }
        defer { finishSecurityInput(slot, at: now) }
        return security.manager.requestEncryption(on: &connections[slot].security, at: now)
    }

    // MARK: - The operator

    /// Opens the operator's window until `end`: peers may pair unless a device's policy refuses all, and a bonded peer
    /// that has lost its keys may pair again. A key is never replaced by a weaker one.
    public mutating func openPairingWindow(until end: Instant) { security.manager.openWindow(until: end) }

    /// Closes the window; a pairing in progress continues.
    public mutating func closePairingWindow() { security.manager.closeWindow() }

    /// Generates out-of-band data with a new key pair, which Secure Connections pairings use until it is withdrawn.
    /// Earlier data becomes invalid.
    ///
    /// - Returns: Nil without a setup for pairing, or if no key can be generated.
    ///
    /// The data authenticates the central to this device and the reverse (Core 5.4, Vol 3, Part H, 2.3.5.6.4). Any
    /// reader of the code can pair: show it only to authorized users.
    public mutating func publishOutOfBandData() -> OutOfBandData? {
        security.isSetUp ? security.manager.publishOutOfBandData() : nil
    }

    /// Withdraws the out-of-band data.
    public mutating func withdrawOutOfBandData() { security.manager.withdrawOutOfBandData() }

    /// Sets the out-of-band data received from a central, for the next pairing; nil removes it.
    public mutating func setPeerOutOfBandData(_ data: PeerOutOfBandData?) {
        security.manager.setPeerOutOfBandData(data)
    }

    /// All stored bonds.
    public var bonds: [Bond] { security.manager.bonds }

    /// Removes a bond with the state of its client. Links that it protects end with reason 0x13.
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

    /// The security level of the link; unprotected for an unknown link.
    public func securityLevel(_ link: LinkID) -> LinkSecurityLevel {
        securedSlot(of: link).map { connections[$0].security.level } ?? LinkSecurityLevel()
    }

    /// The claimed identity of the bonded peer; unproven until the link is encrypted with the key of the bond.
    public func bondedPeer(_ link: LinkID) -> BluetoothAddress? {
        securedSlot(of: link).flatMap { connections[$0].security.bondedPeer }
    }

    /// The identity of the bonded peer while the link is encrypted with the key of its bond; otherwise nil.
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
