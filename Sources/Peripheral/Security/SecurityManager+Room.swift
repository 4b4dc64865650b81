// SPDX-License-Identifier: Apache-2.0

// Room for bonds. A bond that only the peer has makes each of its visits fail until its user removes it there, so
// whether one can be stored is decided before bonding is offered (Core 5.4, Vol 3, Part H, 3.5.1).
extension SecurityManager {
    /// The reason that a pairing, for which both sides want bonding, does not offer it; nil if its bond can be stored.
    mutating func refusalOfBond(
        _ negotiation: PairingNegotiation, _ link: borrowing SecurityLink
    ) -> BondStoreError? {
        guard negotiation.isBonding else { return nil }
        if let error = store.storageError() { return error }
        let fixed = store.bonds.count { bond in
            bond.identity != link.bondedPeer
                && !mayMakeRoom(
                    bond, authenticated: negotiation.model.isAuthenticated,
                    secureConnections: negotiation.isSecureConnections, keySize: negotiation.keySize)
        }
        return fixed + offeredBonds < store.capacity ? nil : .full
    }

    /// The bonds that make room for `bond`: of the permitted bonds the least recently used, as few as necessary.
    ///
    /// - Throws: `full` if there are too few.
    func bondsToEvict(
        for bond: Bond, _ link: borrowing SecurityLink
    ) throws(BondStoreError) -> [BluetoothAddress] {
        let others = store.bonds.filter { $0.identity != bond.identity }
        let excess = max(others.count + 1 - store.capacity, 0)
        let candidates = others.filter {
            mayMakeRoom(
                $0, authenticated: bond.isAuthenticated, secureConnections: bond.isSecureConnections,
                keySize: bond.keySize)
        }
        guard candidates.count >= excess else { throw .full }
        return candidates.prefix(excess).map(\.identity)
    }

    /// True if this bond may make room for a bond with these properties: its peer has no link, and its key is not
    /// stronger. Otherwise an unauthenticated peer could remove the bonds of authenticated peers.
    private func mayMakeRoom(
        _ bond: Bond, authenticated: Bool, secureConnections: Bool, keySize: Int
    ) -> Bool {
        !linkedPeers.contains(bond.identity)
            && !bond.isStronger(
                thanAuthenticated: authenticated, secureConnections: secureConnections, keySize: keySize)
    }
}
